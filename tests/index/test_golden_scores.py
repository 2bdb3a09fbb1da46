"""BM25 and the paper's weighting give the bits they have always given."""

from __future__ import annotations

import hashlib
import json
import random

from golden import GOLDEN, check_golden
from qidf.index import Index

QUERIES = [
    "retry after a server error",
    "err err err return nil",
    "def parse_iso8601(text)",
    "func splitNode(node *btreeNode) (*btreeNode, error)",
    "append a record to the log and sync the file",
    "return return node node node error err err err err",
    "nothing_of_this_occurs anywhere_at_all",
    "of the a is",
]
ANALYZERS = ("generic", "whitespace", "identifier", "subtoken")


def cases() -> list[tuple[str, Index, list[str]]]:
    with open(GOLDEN / "ranking-corpus.jsonl", encoding="utf-8") as lines:
        documents = [json.loads(line) for line in lines]
    chance = random.Random(1)
    words = [f"w{int(chance.paretovariate(0.6))}" for _ in range(40_000)]
    texts = [" ".join(words[at : at + 20]) for at in range(0, len(words), 20)]
    queries = [" ".join(chance.choices(words, k=30)) for _ in range(12)]
    small = [(name, Index.build(documents, analyzer=name), QUERIES) for name in ANALYZERS]
    return [*small, ("pareto", Index.build(texts), queries)]


def test_the_scores_of_bm25_and_paper_are_the_golden_ones() -> None:
    lines = []
    for name, index, queries in cases():
        for q in (1.0, "auto", 0.99, 0.5, 0.1, 2.0):
            for k1, b in ((1.5, 0.75), (0.9, 0.4)):
                found = [index.scores(query, q, weighting="paper", k1=k1, b=b) for query in queries]
                if q == 1.0:
                    for query, paper in zip(queries, found, strict=True):
                        for said in ({"q": 1}, {"weighting": "bm25"}, {"formula": "lucene"}):
                            bm25 = index.scores(query, k1=k1, b=b, **said)
                            assert bm25.tobytes() == paper.tobytes()
                bits = b"".join(scores.astype("<f4").tobytes() for scores in found)
                digest = hashlib.sha256(bits).hexdigest()[:32]
                lines.append(f"{name:<10}  q = {q!s:<4}  k1 = {k1}  b = {b:<4}  {digest}")
    check_golden("scores.txt", "\n".join(lines) + "\n")
