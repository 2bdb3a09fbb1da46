"""What is said about two rankings, and the page that says it."""

from __future__ import annotations

import itertools
import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

agreement = pytest.importorskip(
    "benchmarks.dph.agreement", reason="benchmarks are importable from the repository's root only"
)

from benchmarks.dph import engines, report, sample  # noqa: E402

from qidf.datasets import Dataset, Texts  # noqa: E402
from qidf.errors import InputError  # noqa: E402

RUNS = Path(report.__file__).parents[1] / "runs"


def naive_tau(xs: list[int], ys: list[int]) -> float | None:
    """Pair by pair."""
    total = x_pairs = y_pairs = 0
    for (x, y), (other_x, other_y) in itertools.combinations(zip(xs, ys, strict=True), 2):
        total += ((x > other_x) - (x < other_x)) * ((y > other_y) - (y < other_y))
        x_pairs += x != other_x
        y_pairs += y != other_y
    return total / math.sqrt(x_pairs * y_pairs) if x_pairs and y_pairs else None


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=12))
def test_tau_is_that_of_every_pair(pairs: list[tuple[int, int]]) -> None:
    xs, ys = [x for x, _ in pairs], [y for _, y in pairs]
    found = agreement.kendall_tau(np.array(xs, float), np.array(ys, float))
    assert found == (None if naive_tau(xs, ys) is None else pytest.approx(naive_tau(xs, ys)))


def test_a_ranking_agrees_with_itself_at_another_scale() -> None:
    ours = [[(3, 4.0), (1, 2.0), (0, -1.0)], [(2, 1.0)]]
    theirs = [[(3, 2.0), (1, 1.0), (0, -0.5)], [(2, 1.0)]]
    found = agreement.compare(ours, theirs, [1, 2], [2.0, 1.0], 100)
    assert (found.tau_median, found.order_tau_median, found.num_undefined_taus) == (1.0, 1.0, 1)
    assert (found.overlap_mean, found.largest_relative_difference) == (1.0, 0.0)
    assert found.ndcg_ours == pytest.approx((1 / math.log2(3) + 1) / 2)
    assert found.num_other_ndcg == 0


def test_a_swap_a_missing_document_and_another_score_show() -> None:
    ours = [[(0, 3.0), (1, 2.0), (2, 1.0)]]
    theirs = [[(1, 3.0), (0, 2.0), (5, 1.5)]]
    found = agreement.compare(ours, theirs, [0], [1.0], 100)
    assert found.tau_median == found.order_tau_mean == -1.0
    assert found.overlap_mean == pytest.approx(2 / 3)
    assert found.largest_relative_difference == pytest.approx(0.5)
    assert found.ndcg_mean_abs_difference == pytest.approx(1 - 1 / math.log2(3))
    assert found.num_other_ndcg == 1


def small() -> Dataset:
    texts = ["alpha beta beta", "beta gamma delta", "delta alpha", "epsilon zeta"]
    return Dataset(
        "small",
        "written here",
        Texts([f"d{at}" for at in range(4)], texts),
        Texts(["q0", "q1"], ["beta beta gamma unseen", "zeta"]),
        {"q0": {"d1": 1}, "q1": {"d3": 1}},
    )


def test_a_sample_keeps_the_queries_its_documents_answer_and_numbers_their_tokens() -> None:
    taken = sample.take(small(), 3)
    assert taken.documents == [["t0", "t1", "t1"], ["t1", "t2", "t3"], ["t3", "t0"]]
    assert (taken.queries, taken.golds) == ([["t1", "t1", "t2", "t4"]], [1])
    assert engines.scales(engines.TERRIER, taken) == [2.0]
    with pytest.raises(InputError, match="ask for fewer"):
        sample.take(small(), 5)


def test_clamped_scores_are_the_scores_where_nothing_counts_against_a_document() -> None:
    collection = engines.collection_of(sample.take(small(), 4))
    plain, clamped = engines.rank(collection, 10), engines.rank_clamped(collection, 10)
    assert [[doc for doc, _ in row] for row in plain] == [[1, 0], [3]]
    for ours, others in zip(plain, clamped, strict=True):
        assert {doc for doc, _ in ours} == {doc for doc, _ in others}
        assert all(score >= 0 for _, score in others)


@pytest.mark.parametrize("python", [sys.executable, "no-such-interpreter"])
def test_an_engine_that_is_not_there_is_an_error_that_says_what_to_install(
    python: str, tmp_path: Path
) -> None:
    judge = engines.Judge("nobody", "no_such_child.py", install="install nobody")
    with pytest.raises(engines.EngineError, match="install nobody"):
        engines.ask(judge, python, sample.take(small(), 4), 10, tmp_path)


def interpreter_with(module: str) -> str:
    """This interpreter or the system's, whichever has the module."""
    for python in (sys.executable, "/usr/bin/python3"):
        if (
            Path(python).exists()
            and not subprocess.run(
                [python, "-c", f"import {module}"], capture_output=True, check=False
            ).returncode
        ):
            return python
    pytest.skip(f"no interpreter has {module}")


@pytest.mark.parametrize("seed", [0, 1])
def test_xapian_ranks_every_document_as_the_clamped_formula_does(seed: int, tmp_path: Path) -> None:
    python = interpreter_with("xapian")
    random = np.random.default_rng(seed)
    odds = 1 / np.arange(1, 31)

    def text(length: int) -> list[str]:
        return [f"t{word}" for word in random.choice(30, length, p=odds / odds.sum())]

    taken = sample.Sample(
        [text(int(random.integers(2, 30))) for _ in range(60)],
        [text(int(random.integers(1, 12))) for _ in range(20)],
        [int(random.integers(60)) for _ in range(20)],
    )
    answer = engines.ask(engines.XAPIAN, python, taken, 60, tmp_path)
    collection = engines.collection_of(taken)
    plain, clamped = engines.rank(collection, 60), engines.rank_clamped(collection, 60)
    assert plain != clamped
    for ours, theirs in zip(clamped, answer["rankings"], strict=True):
        found, expected = dict(ours), dict(theirs)
        # Xapian may leave out what has a score of zero.
        assert {doc for doc, score in ours if score} <= set(expected) <= set(found)
        for doc, score in theirs:
            assert found[doc] == pytest.approx(score, rel=1e-6, abs=1e-6)


def test_an_error_stands_in_the_table_as_an_error() -> None:
    run = {
        "started": "2026-01-01T00:00:00",
        "commit": {"id": "abcdef0123"},
        "corpus": {"name": "small"},
        "depth": 10,
        "rows": [{"num_docs": 4, "num_queries": 2, "judge": "nobody", "error": "nobody is there"}],
    }
    assert "not measured: nobody is there" in report.page(run)


@pytest.mark.parametrize("path", sorted(RUNS.glob("dph-*.json")), ids=lambda path: path.stem)
def test_every_committed_page_is_that_of_its_run(path: Path) -> None:
    page = report.page(json.loads(path.read_text(encoding="utf-8")))
    assert path.with_suffix(".md").read_text(encoding="utf-8") == page
