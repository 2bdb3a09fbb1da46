"""Documents scored as one, and what each token adds, against a slow reference."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qidf.errors import InvalidArgumentError
from qidf.index import Document, Groups, Index, summed

WORDS = st.sampled_from(["aa", "bb", "cc", "dd", "ee", "ff"])
TEXT = st.lists(WORDS, min_size=1, max_size=6)
# Commits of groups of documents: each group is added at once, so it lies in one segment.
COMMITS = st.lists(st.lists(st.lists(TEXT, min_size=1, max_size=4), max_size=4), max_size=3)
ANALYZER = "whitespace(stopwords=none)"


def build(commits: list[list[list[list[str]]]], gone: set[int]) -> tuple[Index, Groups, list[int]]:
    """An index of these groups without the deleted ones, and the live groups' numbers."""
    index = Index.build([], analyzer=ANALYZER)
    number = 0
    for commit in commits:
        documents = []
        for group in commit:
            documents += [
                Document(" ".join(text), f"{number}:{place}") for place, text in enumerate(group)
            ]
            number += 1
        index.add(documents)
    ids = [each for stored in index._ranker.segments for each in stored.ids.all()]
    index.delete([each for each in ids if int(str(each).split(":")[0]) in gone])
    segments = index._ranker.segments
    starts, names = [], []
    for segment in segments:
        owners = [int(str(each).split(":")[0]) for each in segment.ids.all()]
        begins = [at for at in range(len(owners)) if at == 0 or owners[at] != owners[at - 1]]
        starts.append(np.array(begins, np.int64))
        names += [owners[at] for at in begins]
    return index, Groups.from_starts(segments, starts), names


@settings(max_examples=60, deadline=None)
@given(COMMITS, st.sets(st.integers(0, 11)), TEXT, st.sampled_from([1.0, 0.5]))
def test_groups_score_as_if_their_documents_were_one(
    commits: list[list[list[list[str]]]], gone: set[int], query: list[str], q: float
) -> None:
    joined = {
        number: [token for text in group for token in text]
        for number, group in enumerate(group for commit in commits for group in commit)
    }
    live = {number: tokens for number, tokens in joined.items() if number not in gone}
    index, groups, names = build(commits, gone)
    assert groups.num_groups == len(live)
    expected = Index.build(
        [Document(" ".join(tokens), number) for number, tokens in live.items()], analyzer=ANALYZER
    )
    found = index.token_scores(query, q, k1=1.2, b=0.6, groups=groups)
    scores = summed(found, len(groups.lengths))
    reference = (
        dict(zip(live, expected.scores(query, q, k1=1.2, b=0.6).tolist(), strict=True))
        if live
        else {}
    )
    for name, score in zip(names, scores.tolist(), strict=True):
        assert score == pytest.approx(reference.get(name, 0.0), rel=1e-5, abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(COMMITS, st.sets(st.integers(0, 11)), TEXT)
def test_tokens_add_up_to_the_documents_scores(
    commits: list[list[list[list[str]]]], gone: set[int], query: list[str]
) -> None:
    index, groups, names = build(commits, gone)
    found = index.token_scores(query, 1.0)
    assert [(each.token, each.count) for each in found] == list(Counter(query).items())
    assert [each.doc_freq for each in found] == index.doc_freqs(
        [each.token for each in found]
    ).tolist()
    scores = index.scores(query, 1.0)
    total = summed(found, len(scores))
    for position, number in enumerate(groups.numbers.tolist()):
        expected = 0.0 if names[number] in gone else float(scores[position])
        assert total[position] == pytest.approx(expected, rel=1e-5, abs=1e-6)
        added = math.fsum(each.at(position)[1] for each in found)
        assert added == pytest.approx(float(total[position]), rel=1e-5, abs=1e-6)


def test_a_token_that_is_not_in_a_document_adds_nothing() -> None:
    index = Index.build(["aa bb", "bb bb"], analyzer=ANALYZER)
    first, second = index.token_scores("aa bb", 1.0)
    assert first.at(0)[0] == 1
    assert first.at(1) == (0, 0.0)
    assert second.at(1)[0] == 2


def test_groups_begin_at_the_first_document_and_ascend() -> None:
    index = Index.build(["aa", "bb", "cc"], analyzer=ANALYZER)
    segments = index._ranker.segments
    for starts in ([], [1], [0, 2, 2], [0, 2, 1]):
        with pytest.raises(InvalidArgumentError, match="must begin at its first document"):
            Groups.from_starts(segments, [np.array(starts, np.int64)])


def test_no_documents_are_no_groups() -> None:
    groups = Groups.from_starts((), ())
    assert (groups.num_groups, groups.avg_length, len(groups.numbers)) == (0, 1.0, 0)


def test_ids_of_every_kind_come_back_at_once() -> None:
    for ids in (["x", "y", "é"], [7, 3, 5], [None, None, None]):
        index = Index.build([Document("aa", each) for each in ids])
        (segment,) = index._ranker.segments
        assert segment.ids.all() == [segment.ids[doc] for doc in range(3)]
