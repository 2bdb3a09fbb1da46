"""The order among equal scores, and documents that have a query's own id."""

from __future__ import annotations

import hashlib

import pytest
from small_datasets import dataset

from qidf.errors import InvalidArgumentError
from qidf.evaluation import TIES, Collection, Ties, rank_index
from qidf.weighting import BM25

SAME = {"d9": "same words", "d10": "same words", "d1": "same words", "x": "other"}
TIED = dataset(SAME, {"q": "words"}, {"q": {"d1": 1}})


def order(ties: Ties) -> list[str]:
    run = rank_index(Collection.build(TIED, ties=ties), 10, BM25)
    return [run.doc_ids[at] for at in run.positions[0] if at >= 0]


def test_trec_breaks_ties_by_id_from_the_end_of_the_alphabet() -> None:
    assert order("trec") == ["d9", "d10", "d1"]


def test_id_breaks_ties_from_its_beginning() -> None:
    assert order("id") == ["d1", "d10", "d9"]


def test_index_keeps_the_order_of_the_files() -> None:
    assert order("index") == ["d9", "d10", "d1"]
    swapped = dataset(dict(reversed(SAME.items())), {"q": "words"}, {"q": {"d1": 1}})
    run = rank_index(Collection.build(swapped, ties="index"), 10, BM25)
    assert [run.doc_ids[at] for at in run.positions[0] if at >= 0] == ["d1", "d10", "d9"]


def test_hash_breaks_ties_by_a_digest_of_the_id() -> None:
    digests = {name: hashlib.blake2b(name.encode()).digest() for name in ("d9", "d10", "d1")}
    assert order("hash") == sorted(digests, key=digests.__getitem__)


def test_unknown_rules_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="choose from trec, id, index, hash"):
        Collection.build(TIED, ties="coin")  # type: ignore[arg-type]


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("keep", [False, True])
def test_a_document_is_no_answer_to_itself_unless_asked_for(ties: Ties, keep: bool) -> None:
    data = dataset(
        {"a": "one two", "b": "one", "c": "two three"},
        {"a": "one two", "q": "two"},
        {"a": {"b": 1}, "q": {"a": 1}},
    )
    collection = Collection.build(data, ties=ties, keep_identical=keep)
    run = rank_index(collection, 2, BM25)
    found = [[run.doc_ids[at] for at in row if at >= 0] for row in run.positions]
    assert ("a" in found[0]) is keep
    assert "a" in found[1]
    # Taking one out doesn't shorten what is asked for.
    assert len(found[0]) == 2
    assert collection.num_hidden == (0 if keep else 1)
