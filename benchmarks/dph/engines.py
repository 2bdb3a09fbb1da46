"""Rankings by qidf and by each engine that judges it."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.dph.agreement import Ranking
from benchmarks.dph.sample import Sample
from qidf.errors import QidfError
from qidf.evaluation import Collection, rank_dph
from qidf.evaluation.dph import dph_impacts, rank_by_impact
from qidf.evaluation.runs import Run, from_ranking


class EngineError(QidfError):
    """An engine that judges could not be run; its row is an error, not a disagreement."""


@dataclass(frozen=True, slots=True)
class Judge:
    """An engine, how it is run, and in what its scores differ by design."""

    name: str
    child: str
    # Terrier divides every token's count in the query by the largest.
    counts_relative: bool = False
    # Xapian replaces negative contributions by zero.
    clamps: bool = False
    install: str = ""


TERRIER = Judge(
    "terrier",
    "terrier_child.py",
    counts_relative=True,
    install="pip install python-terrier, with a JDK of at least 11, and name its interpreter",
)
XAPIAN = Judge(
    "xapian",
    "xapian_child.py",
    clamps=True,
    install="install Debian's python3-xapian and name the system's interpreter",
)


def ask(judge: Judge, python: str, sample: Sample, depth: int, scratch: Path) -> dict[str, Any]:
    """Let an engine rank the sample in its own interpreter."""
    source, target = scratch / "sample.json", scratch / f"{judge.name}.json"
    source.write_text(
        json.dumps({"documents": sample.documents, "queries": sample.queries, "depth": depth}),
        encoding="utf-8",
    )
    script = Path(__file__).with_name(judge.child)
    try:
        done = subprocess.run(
            [python, str(script), str(source), str(target)],
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError as error:
        raise EngineError(f"{judge.name} could not be run ({error}); {judge.install}") from error
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise EngineError(f"{judge.name} failed ({last}); {judge.install}")
    answer: dict[str, Any] = json.loads(target.read_text(encoding="utf-8"))
    expected = (len(sample.documents), sum(map(len, sample.documents)))
    if (answer["num_docs"], answer["num_tokens"]) != expected:
        raise EngineError(
            f"{judge.name} indexed {answer['num_docs']} documents of {answer['num_tokens']} tokens "
            f"instead of {expected[0]} of {expected[1]}; their scores can't be compared"
        )
    return answer


def scales(judge: Judge, sample: Sample) -> list[float]:
    """What an engine's scores of each query have to be multiplied by."""
    if not judge.counts_relative:
        return [1.0] * len(sample.queries)
    return [float(max(Counter(tokens).values(), default=1)) for tokens in sample.queries]


def collection_of(sample: Sample) -> Collection:
    """The sample indexed by qidf; ties go to the earlier document."""
    return Collection.build(sample.dataset(), analyzer="whitespace", ties="index")


def _rows(run: Run) -> list[Ranking]:
    return [
        [(int(doc), float(score)) for doc, score in zip(docs, scores, strict=True) if doc >= 0]
        for docs, scores in zip(run.positions, run.scores, strict=True)
    ]


def rank(collection: Collection, depth: int) -> list[Ranking]:
    """By qidf's DPH."""
    return _rows(rank_dph(collection, depth))


def rank_clamped(collection: Collection, depth: int) -> list[Ranking]:
    """By qidf's DPH with Xapian's rule that no term counts against a document."""
    segment = collection.segment
    texts = collection.dataset.queries.texts
    tokens = [text.split() for text in texts]
    terms = segment.terms.lookup([token for row in tokens for token in row])
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in tokens])]).astype(np.int64)
    clamped = np.maximum(dph_impacts(segment), 0.0)
    ranking = rank_by_impact(segment, clamped, terms, offsets, min(depth, segment.size))
    return _rows(from_ranking(collection, ranking, depth, "dph, clamped"))
