"""qidf audit: at q = 1, scores and rankings are those of bm25s, bit for bit."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import click

from qidf.cli.group import Failure
from qidf.cli.reading import report_skipped, tracked

# Enough that a wrong weight, length or order of summation can't stay hidden.
NUM_QUERIES = 200
QUERY_TOKENS = 20
SEED = 0


@click.command("audit")
@click.argument("target", metavar="BM25S_DIR_OR_CORPUS", type=click.Path(path_type=Path))
@click.option("-k", type=click.IntRange(min=1), default=10, show_default=True, help="Of top-k.")
@click.option("--q", type=float, default=0.5, show_default=True, help="The q to go to and back.")
def command(target: Path, k: int, q: float) -> None:
    """Check that q = 1 is BM25 bit for bit.

    A bm25s index is rescaled to q and back, and every score and ranking compared with the original;
    its folder is read and left as it is. Documents are indexed by bm25s in memory, and the
    scores and rankings of a qidf index at q = 1 are compared with those of bm25s as well.
    """
    from qidf.corpora import BM25S, detect
    from qidf.engines.bm25s_index import audit, load

    if detect(target) == BM25S:
        retriever = load(target)
        report = audit(retriever, _vocabulary_queries(retriever), k=k, q=q)
        click.echo(f"bm25s, rescaled and back: {report}")
        passed = report.passed
    else:
        passed = _audit_documents(target, k, q)
    if not passed:
        raise Failure("the audit failed: q = 1 is not what it was; please report this")


def _vocabulary_queries(retriever: Any) -> list[list[str]]:
    """Random queries from the index's own words; the seed makes every run the same."""
    random = Random(SEED)
    words = sorted(retriever.vocab_dict)
    return [
        random.sample(words, min(QUERY_TOKENS, len(words)))
        for _ in range(NUM_QUERIES if words else 0)
    ]


def _audit_documents(target: Path, k: int, q: float) -> bool:
    from qidf.corpora import open_corpus
    from qidf.engines.bm25s_index import audit
    from qidf.errors import InputError, MissingExtraError
    from qidf.index import Index

    try:
        import bm25s
    except ImportError:
        raise MissingExtraError("bm25s", "bm25s") from None
    corpus = open_corpus(target)
    texts = [document.text for document in tracked(corpus, "Reading")]
    report_skipped(corpus)
    index = Index.build(texts)
    if not index.stats.num_tokens:
        raise InputError(f"there are no words to search for in {target}; give another corpus")
    retriever = bm25s.BM25()
    retriever.index(bm25s.tokenize(texts, show_progress=False), show_progress=False)
    asked = texts[:: max(1, len(texts) // NUM_QUERIES)]
    queries = [tokens for tokens in map(index.analyzer.tokens, asked) if tokens]
    report = audit(retriever, queries, k=k, q=q)
    click.echo(f"bm25s, rescaled and back: {report}")
    difference, same = _against_index(retriever, index, queries, k)
    click.echo(
        f"qidf index against bm25s at q = 1: max absolute score difference {difference},"
        f" top-{k} {'identical' if same else 'DIFFERENT'}"
    )
    return report.passed and difference == 0.0 and same


def _against_index(
    retriever: Any, index: Any, queries: list[list[str]], k: int
) -> tuple[float, bool]:
    """The largest difference in any document's score, and whether the rankings agree."""
    import numpy as np

    largest, same = 0.0, True
    ranking = index.rank(queries, k, 1.0)
    for row, tokens in enumerate(queries):
        expected = retriever.get_scores(tokens)
        found = index.scores(tokens, 1.0)
        largest = max(largest, float(np.abs(expected.astype(np.float64) - found).max()))
        # bm25s leaves the order of equal scores open; ours is the documents' own.
        order = np.argsort(-expected, kind="stable")[:k]
        order = order[expected[order] > 0]
        positions, scores = ranking.positions[row], ranking.scores[row]
        same &= bool(np.array_equal(positions[positions >= 0], order))
        same &= bool(np.array_equal(scores[positions >= 0], expected[order]))
    return largest, same
