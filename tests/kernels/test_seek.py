"""Finding a document in a term's postings, against bisection."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from qidf.kernels.topk import seek


@settings(max_examples=400, deadline=None, derandomize=True)
@given(
    docs=st.sets(st.integers(0, 300), max_size=80).map(sorted),
    low=st.integers(0, 80),
    high=st.integers(0, 80),
    doc=st.integers(-1, 301),
)
@example([], 0, 0, 5)
@example([5], 0, 1, 5)
@example([1, 2, 3, 4, 5, 6, 7, 8], 0, 8, 9)
@example([1, 2, 3, 4, 5, 6, 7, 8], 3, 5, 8)
def test_seek_is_bisection_from_the_left(docs: list[int], low: int, high: int, doc: int) -> None:
    high = min(high, len(docs))
    low = min(low, high)
    expected = bisect_left(docs, doc, low, high)
    assert seek(np.array(docs, np.int32), low, high, doc) == expected


@settings(max_examples=50, deadline=None, derandomize=True)
@given(
    docs=st.sets(st.integers(0, 2**31 - 1), max_size=60).map(sorted),
    wanted=st.lists(st.integers(0, 2**31 - 1), max_size=30).map(sorted),
)
def test_seeking_onwards_finds_every_document_as_seeking_afresh_does(
    docs: list[int], wanted: list[int]
) -> None:
    array, at = np.array(docs, np.int32), 0
    for doc in sorted({*wanted, *docs[::3]}):
        at = seek(array, at, len(docs), doc)
        assert at == bisect_left(docs, doc)
