"""The loops of searching, each against a plain reference."""

from __future__ import annotations

import ctypes
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qidf.index import Index, layout
from qidf.index.layout import Batch, Layout
from qidf.index.scoring import Scoring, contributions
from qidf.index.segment import Segment
from qidf.native import library, windows
from qidf.native.rows import fill_rows
from qidf.native.search import search_scratch
from qidf.native.windows import SHORT_LIST, fill_table

HEADER = (Path(library.__file__).parent / "qidf.h").read_text(encoding="utf-8")


def segment_of(seed: int, num_docs: int = 700, num_terms: int = 40) -> Segment:
    """Documents of all lengths, over terms from the commonest to the rarest."""
    dice = np.random.default_rng(seed)
    odds = 1 / np.arange(1, num_terms + 1) ** 1.2
    documents = []
    for _ in range(num_docs):
        length = int(dice.choice([0, 1, 3, 8, 20, 400], p=[0.05, 0.2, 0.3, 0.3, 0.14, 0.01]))
        terms = dice.choice(num_terms, length, p=odds / odds.sum())
        documents.append(" ".join(f"t{term}" for term in terms))
    return Index.build(documents, analyzer="whitespace")._ranker.segments[0]


def kept(found: Layout) -> dict[str, np.ndarray]:
    """The arrays of a layout by the names that the header gives them."""
    names = [name for name, _ in windows.Windows._fields_[2:]]
    return dict(zip(names, found._arrays[4:], strict=False))


@pytest.fixture(params=[3, 64, 8192])
def largest(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(layout, "LARGEST_WINDOW", request.param)
    monkeypatch.setattr(layout, "MANY_WINDOWS", 10**6)
    return int(request.param)


def test_every_document_has_a_place_among_others_of_its_length(largest: int) -> None:
    segment = segment_of(1)
    arrays = kept(Layout(segment))
    places, docs, starts = arrays["places"], arrays["docs"], arrays["starts"]
    assert sorted(docs.tolist()) == list(range(segment.size))
    in_window = places >> 16
    assert (docs[starts[in_window] + (places & 0xFFFF)] == np.arange(segment.size)).all()
    assert np.bincount(in_window).max() <= largest
    assert (segment.lengths >= arrays["shortest"][in_window]).all()
    assert (segment.lengths <= arrays["longest"][in_window]).all()
    # Within a window documents keep their order.
    for begin, end in pairwise(starts.tolist()):
        assert (np.diff(docs[begin:end].astype(np.int64)) > 0).all()


def test_a_table_holds_a_terms_postings_by_window_and_how_often(largest: int) -> None:
    segment = segment_of(2)
    found = Layout(segment)
    arrays, num_windows = kept(found), found._windows.num_windows
    counts = np.empty(3 * num_windows + 2, np.uint32)
    for term in range(len(segment.terms)):
        begin, end = segment.starts[term : term + 2]
        table = arrays["tables"][term]
        assert (table >= 0) == (end - begin > SHORT_LIST)
        if table < 0:
            continue
        fill_table(ctypes.byref(found._segment), ctypes.addressof(found._windows), term, counts)
        assert arrays["filled"][table] == 1
        heads, most = arrays["heads"][table], arrays["most"][table]
        numbers = arrays["numbers"][begin:end]
        assert heads[0] == 0
        assert heads[-1] == end - begin
        expected: list[list[int]] = [[] for _ in range(2 * num_windows)]
        highest = [0] * num_windows
        for doc, tf in zip(segment.docs[begin:end], segment.tfs[begin:end].tolist(), strict=True):
            place = int(arrays["places"][doc])
            expected[2 * (place >> 16) + (tf > 1)].append(place & 0xFFFF)
            highest[place >> 16] = max(highest[place >> 16], min(tf, 255))
        for at, wanted in enumerate(expected):
            assert numbers[heads[at] : heads[at + 1]].tolist() == wanted
        assert most.tolist() == [*highest, max(highest)]


@pytest.mark.parametrize("wide", [False, True])
def test_rows_are_postings_turned_round(wide: bool) -> None:
    documents = ["a b a", "", "b " * 62 + "c", "c " * 63, "a " * (70_000 if wide else 300)]
    segment = Index.build(documents, analyzer="whitespace")._ranker.segments[0]
    assert (segment.tfs.dtype == np.uint32) == wide
    starts = np.empty(segment.size + 1, np.uint32)
    entries = np.empty(len(segment.docs), np.uint32)
    fill_rows(ctypes.byref(Layout(segment)._segment), starts, entries)
    tokens = segment.terms.tokens()
    rows = [
        {tokens[entry & (2**26 - 1)]: entry >> 26 for entry in entries[begin:end].tolist()}
        for begin, end in pairwise(starts.tolist())
    ]
    assert rows == [{"a": 2, "b": 1}, {}, {"b": 62, "c": 1}, {"c": 63}, {"a": 63}]
    for begin, end in pairwise(starts.tolist()):
        assert (np.diff((entries[begin:end] & (2**26 - 1)).astype(np.int64)) > 0).all()


def exhaustive(
    segment: Segment, terms: np.ndarray, weights: np.ndarray, scoring: Scoring, average: float
) -> np.ndarray:
    scores = np.zeros(segment.size, np.float32)
    for term, weight in zip(terms.tolist(), weights, strict=True):
        if term >= 0:
            docs, added = contributions(segment, term, weight, scoring, average)
            scores[docs] += added
    return scores


SEGMENTS = [segment_of(3), segment_of(4, num_docs=90), segment_of(5, num_docs=1)]
weight_lists = st.one_of(
    st.floats(0.125, 10, width=32),
    st.floats(-5, 5, width=32),
    st.floats(2.0**-96, 2.0**96, width=32),
    st.sampled_from([1.0, 1e-30, 1e30]),
)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(data=st.data())
def test_search_finds_what_exhaustive_scoring_ranks_first_whatever_the_weights(
    data: st.DataObject,
) -> None:
    segment = SEGMENTS[data.draw(st.integers(0, 2))]
    num_terms = len(segment.terms)
    queries = data.draw(
        st.lists(
            st.lists(st.tuples(st.integers(-1, num_terms - 1), weight_lists), max_size=30),
            min_size=1,
            max_size=4,
        )
    )
    k = data.draw(st.sampled_from([1, 2, 7, 50, 700]))
    scoring = Scoring(
        k1=data.draw(st.sampled_from([0.0, 0.4, 1.5, 9.0])),
        b=data.draw(st.sampled_from([0, 0.75, 1])),
    )
    average = data.draw(st.sampled_from([1.0, 9.5]))
    excluded = None
    if data.draw(st.booleans()):
        excluded = (np.random.default_rng(k).random(segment.size) < 0.4).astype(np.uint8)
    terms = np.array([term for query in queries for term, _ in query], np.int32)
    weights = np.array([weight for query in queries for _, weight in query], np.float32)
    offsets = np.concatenate([[0], np.cumsum([len(query) for query in queries])]).astype(np.int64)
    batch = Batch(
        offsets,
        weights,
        scoring,
        average,
        np.full((len(queries), k), -1, np.int64),
        np.zeros((len(queries), k), np.float32),
        max(map(len, queries)),
    )
    found = Layout(segment)
    if data.draw(st.booleans()):
        found._served = layout.QUERIES_BEFORE_ROWS
    found.search(batch, terms, excluded, 1000, 0, len(queries))
    for row in range(len(queries)):
        part = slice(offsets[row], offsets[row + 1])
        scores = exhaustive(segment, terms[part], weights[part], scoring, average)
        docs = np.argsort(-scores, kind="stable")
        docs = docs[scores[docs] > 0]
        if excluded is not None:
            docs = docs[excluded[docs] == 0]
        docs = docs[:k]
        padding = [-1] * (k - len(docs))
        assert batch.positions[row].tolist() == [*(docs + 1000).tolist(), *padding]
        assert batch.scores[row, : len(docs)].tobytes() == scores[docs].tobytes()


def test_a_query_of_more_terms_than_units_is_searched_too() -> None:
    documents = [f"w{number} w{number + 1} all" for number in range(17_000)]
    index = Index.build(documents, analyzer="whitespace")
    query = [f"w{number}" for number in range(17_000)]
    ranking = index.rank([[*query, "all"]], 5, 1.0)
    scores = index.scores([*query, "all"], 1.0)
    assert ranking.positions[0].tolist() == np.argsort(-scores, kind="stable")[:5].tolist()


def test_scratch_grows_with_what_is_asked() -> None:
    small = search_scratch(100, 3, 64, 10, 10)
    for larger in ((10**6, 3, 64, 10, 10), (100, 300, 64, 10, 10), (100, 3, 8192, 10, 10)):
        assert search_scratch(*larger) > small
    assert search_scratch(100, 3, 64, 1000, 10) > small
    assert search_scratch(100, 3, 64, 10, 1000) > small


def test_constants_are_those_of_the_header() -> None:
    assert re.search(r"#define QIDF_SHORT_LIST (\d+)", HEADER)[1] == str(SHORT_LIST)  # type: ignore[index]
