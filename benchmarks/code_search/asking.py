"""Which questions are asked of which repositories, and what answers are worth."""

from __future__ import annotations

import statistics
import subprocess
from collections.abc import Iterator, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from benchmarks.code_search import changes, held_back
from benchmarks.code_search.halves import Half
from benchmarks.code_search.questions import (
    LineTokens,
    Question,
    Span,
    file_ndcg,
    is_within,
    span_ndcg,
)
from benchmarks.code_search.report import BUDGETS
from benchmarks.code_search.repositories import CACHE, REPOSITORIES, prepare

RUNS = Path(__file__).parent.parent / "runs"
SEED = 7
DOC_COMMENTS, CHANGES = "doc comments", "changes"
# Few repositories have more commits, and on some of them the slower tools take a second a question.
MAX_CHANGES = 60


def run_name(what: str) -> str:
    """A run's name: what was measured, when, and on which commit."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    ).stdout.strip()
    return f"{what}-{datetime.now(timezone.utc):%Y-%m-%d-%H%M}-{commit}"


def question_sets(
    half: Half, count: int, only: Sequence[str] | None = None, kind: str | None = None
) -> Iterator[tuple[str, str, Path, list[Question]]]:
    """Kind, repository, the folder to search, and what is asked of it."""
    if kind in (None, DOC_COMMENTS):
        for repository in REPOSITORIES:
            if not only or repository.name in only:
                copy = CACHE / "held_back" / half.value / repository.name
                source = prepare(repository)
                asked = held_back.make_questions(source, copy, count, SEED, half)
                yield DOC_COMMENTS, repository.name, copy, asked
    if kind in (None, CHANGES):
        for package in changes.sources(only):
            changed = changes.prepare(package, CACHE)
            asked = changes.make_questions(changed, min(count, MAX_CHANGES), half)
            yield CHANGES, changed.name, changed.root, asked


def quality(
    root: Path, answers: Sequence[Sequence[Span]], questions: Sequence[Question]
) -> dict[str, Any]:
    """What answers are worth: each measure for each question, and its mean."""
    lines = LineTokens(root)
    pairs = list(zip(answers, questions, strict=True))
    each: dict[str, list[float]] = {
        "file_ndcg10": [file_ndcg(*pair) for pair in pairs],
        "span_ndcg10": [span_ndcg(*pair) for pair in pairs],
    }
    for budget in BUDGETS:
        each[f"recall_{budget}"] = [float(is_within(*pair, budget, lines)) for pair in pairs]
    return {name: statistics.mean(found) for name, found in each.items()} | {"each": each}
