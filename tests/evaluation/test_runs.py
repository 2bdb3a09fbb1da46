"""Runs: written and read as TREC does, with failures that stay failures."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_datasets import dataset, datasets

from qidf.datasets import Dataset
from qidf.errors import DuplicateIdError, InputError, InvalidArgumentError
from qidf.evaluation import Collection, Run, rank_index, read_run, run_search, write_run
from qidf.evaluation.collection import Ties
from qidf.weighting import BM25, wanted

DATA = dataset(
    {"a": "one two", "b": "one", "c": "two"},
    {"q1": "one", "q2": "two"},
    {"q1": {"b": 1}, "q2": {"c": 1}},
)


def ranking(run: Run) -> dict[str, list[tuple[str, float]]]:
    return {
        query_id: [
            (run.doc_ids[at], float(score))
            for at, score in zip(row, scores, strict=True)
            if at >= 0
        ]
        for query_id, row, scores in zip(run.query_ids, run.positions, run.scores, strict=True)
    }


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_a_line_has_six_columns(tmp_path: Path) -> None:
    run = Run("tag", ["q1"], ["a", "b"], np.array([[1, 0, -1]]), np.array([[2.5, 1.0, 0.0]]))
    write_run(run, tmp_path / "run")
    assert (tmp_path / "run").read_text() == "q1 Q0 b 1 2.5 tag\nq1 Q0 a 2 1.0 tag\n"


@given(datasets(), st.sampled_from([0.05, 0.5, 1.0]), st.booleans())
@settings(max_examples=50)
def test_what_is_written_reads_back_the_same_to_the_last_tie(
    tmp_path_factory: pytest.TempPathFactory, data: Dataset, q: float, keep: bool
) -> None:
    collection = Collection.build(data, keep_identical=keep)
    run = rank_index(collection, 10, wanted(q=q))
    path = tmp_path_factory.mktemp("runs") / "run"
    write_run(run, path)
    if not path.read_text():
        return
    again = read_run(path)
    found = {query_id: hits for query_id, hits in ranking(run).items() if hits}
    assert ranking(again) == found
    np.testing.assert_array_equal(
        again.for_queries(collection).ranks(collection), run.ranks(collection)
    )


def test_a_run_can_be_appended_to(tmp_path: Path) -> None:
    run = rank_index(Collection.build(DATA), 1, BM25)
    write_run(run, tmp_path / "run")
    write_run(run, tmp_path / "run", append=True)
    assert len((tmp_path / "run").read_text().splitlines()) == 4


@pytest.mark.parametrize(
    ("ties", "expected"), [("trec", "zba"), ("id", "abz"), ("index", "bza"), ("hash", "bza")]
)
def test_scores_decide_and_ties_are_broken_as_asked(
    tmp_path: Path, ties: Ties, expected: str
) -> None:
    lines = ["q Q0 b 3 1.0 t", "q Q0 z 1 1.0 t", "q Q0 a 2 1.0 t", "q Q0 top 9 2.0 t"]
    run = read_run(written(tmp_path / "run", "\n".join(lines)), ties=ties)
    assert [name for name, _ in ranking(run)["q"]] == ["top", *expected]


def test_scores_are_float32_as_they_are_to_trec_eval(tmp_path: Path) -> None:
    lines = ["q Q0 a 1 1.00000000002 t", "q Q0 b 2 1.00000000001 t"]
    run = read_run(written(tmp_path / "run", "\n".join(lines)))
    assert [name for name, _ in ranking(run)["q"]] == ["b", "a"]


def test_a_gzipped_run_is_read(tmp_path: Path) -> None:
    (tmp_path / "run.gz").write_bytes(gzip.compress(b"q Q0 a 1 1 t\n"))
    assert ranking(read_run(tmp_path / "run.gz")) == {"q": [("a", 1.0)]}


def test_a_query_that_a_run_does_not_have_has_failed(tmp_path: Path) -> None:
    run = read_run(written(tmp_path / "run", "q1 Q0 b 1 1 t\n"))
    own = run.for_queries(Collection.build(DATA))
    assert dict(own.failed) == {"q2": "it is not in the run"}
    assert own.query_ids == ["q1", "q2"]


def test_documents_from_elsewhere_keep_their_ranks(tmp_path: Path) -> None:
    text = "q1 Q0 elsewhere 1 3 t\nq1 Q0 b 2 1 t\nq9 Q0 a 1 1 t\n"
    collection = Collection.build(DATA)
    own = read_run(written(tmp_path / "run", text)).for_queries(collection)
    assert own.ranks(collection).tolist() == [2, 0]


def test_a_run_is_held_to_the_convention_on_identical_ids(tmp_path: Path) -> None:
    data = dataset({"a": "x", "b": "x"}, {"a": "x"}, {"a": {"b": 1}})
    run = read_run(written(tmp_path / "run", "a Q0 a 1 2 t\na Q0 b 2 1 t\n"))
    for keep, rank in ((False, 1), (True, 2)):
        collection = Collection.build(data, keep_identical=keep)
        assert run.for_queries(collection).ranks(collection).tolist() == [rank]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("q Q0 a 1 1\n", "line 1: the line has 5 columns"),
        ("q Q0 a 1 1 t\nq Q0 b 2 high t\n", "line 2: the score 'high' is not a number"),
        ("q Q0 a 1 nan t\n", "line 1: the score 'nan' is not a number"),
        ("\n", "ranks no document"),
    ],
)
def test_a_file_that_is_no_run_is_refused(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        read_run(written(tmp_path / "run", text))


def test_a_document_ranked_twice_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "run", "q Q0 a 1 2 t\nq Q0 a 2 1 t\n")
    with pytest.raises(DuplicateIdError, match="ranks a document twice for the query 'q'"):
        read_run(path)


@pytest.mark.parametrize(
    ("query_id", "doc_id", "tag"),
    [("q 1", "a", "t"), ("q", "a\tb", "t"), ("q", "a", ""), ("", "a", "t")],
)
def test_names_with_blanks_are_refused(
    tmp_path: Path, query_id: str, doc_id: str, tag: str
) -> None:
    run = Run(tag, [query_id], [doc_id], np.array([[0]]), np.array([[1.0]]))
    with pytest.raises(InputError, match="is empty or holds blanks"):
        write_run(run, tmp_path / "run")


def test_a_searcher_that_breaks_on_one_query_goes_on_with_the_others() -> None:
    def search(text: str) -> Iterator[tuple[str, float]]:
        if text == "one":
            raise RuntimeError("out of memory")
        yield "c", 2.0
        yield "a", 1.0
        raise AssertionError("nobody asked for more")

    run = run_search(search, DATA, 2)
    assert dict(run.failed) == {"q1": "RuntimeError: out of memory"}
    assert ranking(run) == {"q1": [], "q2": [("c", 2.0), ("a", 1.0)]}


def test_shapes_must_match() -> None:
    with pytest.raises(InvalidArgumentError, match="a run of 1 queries can't have positions"):
        Run("t", ["q"], ["a"], np.array([[0], [1]]), np.array([[1.0]]))
