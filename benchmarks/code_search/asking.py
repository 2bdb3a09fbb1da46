"""Which questions are asked of which repositories, and what answers are worth."""

from __future__ import annotations

import statistics
import subprocess
from collections.abc import Iterator, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from benchmarks.code_search import changes, exact, held_back
from benchmarks.code_search.halves import Half
from benchmarks.code_search.questions import (
    LineTokens,
    Question,
    Span,
    all_files_within,
    file_ndcg,
    is_within,
    span_ndcg,
    span_within,
)
from benchmarks.code_search.report import BUDGETS
from benchmarks.code_search.repositories import CACHE, REPOSITORIES, prepare

RUNS = Path(__file__).parent.parent / "runs"
SEED = 7
DOC_COMMENTS, CHANGES, ISSUES = "doc comments", "changes", "issues"
MESSAGES, ERRORS, NAMES = "messages", "errors", "names"
TESTS_AND_PROSE = "tests and prose"
KINDS = (DOC_COMMENTS, MESSAGES, ERRORS, NAMES, CHANGES, ISSUES, TESTS_AND_PROSE)
_EXACT = {
    MESSAGES: exact.message_questions,
    ERRORS: exact.error_questions,
    NAMES: exact.name_questions,
}
_OF_CHANGES: dict[str, dict[str, Any]] = {
    CHANGES: {},
    ISSUES: {"whole": True},
    TESTS_AND_PROSE: {"whole": True, "counts": changes.is_test_or_prose},
}
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
    for name, make in _EXACT.items():
        if kind in (None, name):
            for repository in REPOSITORIES:
                if not only or repository.name in only:
                    source = prepare(repository)
                    yield name, repository.name, source, make(source, count, SEED, half)
    for name, settings in _OF_CHANGES.items():
        if kind in (None, name):
            for package in changes.sources(only):
                changed = changes.prepare(package, CACHE)
                found = changes.make_questions(changed, min(count, MAX_CHANGES), half, **settings)
                if found:
                    yield name, changed.name, changed.root, found


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
    for depth in (1, 3, 5, 10):
        each[f"all_files_{depth}"] = [float(all_files_within(*pair, depth)) for pair in pairs]
        each[f"span_{depth}"] = [float(span_within(*pair, depth)) for pair in pairs]
    for budget in BUDGETS:
        each[f"recall_{budget}"] = [float(is_within(*pair, budget, lines)) for pair in pairs]
    return {name: statistics.mean(found) for name, found in each.items()} | {"each": each}
