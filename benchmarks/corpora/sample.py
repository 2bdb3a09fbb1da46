"""Which pairs become the corpus, in an order that says nothing about relevance."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.corpora.functions import Function
from qidf.errors import InputError, InvalidArgumentError

SEED = 20190923  # the day CodeSearchNet was published; any number would do


@dataclass(frozen=True, slots=True)
class Sample:
    """Documents, and for each query the position of its document."""

    documents: list[Function]
    golds: list[int]


def draw(
    functions: Sequence[Function], num_docs: int, num_queries: int, seed: int = SEED
) -> Sample:
    """The first `num_docs` of one shuffle; the first `num_queries` of them ask.

    Smaller samples of one seed are subsets of larger ones and keep their queries, as the scaling
    study needs. A second shuffle places the documents and a third the queries, so that neither
    order correlates with relevance.
    """
    if not 0 < num_queries <= num_docs:
        raise InvalidArgumentError(
            f"{num_queries} queries of {num_docs} documents can't be drawn; "
            "ask for at least one query and at least as many documents"
        )
    if num_docs > len(functions):
        raise InputError(
            f"{len(functions)} functions pass the filters, {num_docs} were asked for; "
            "ask for fewer or pin more packages"
        )
    chosen = list(range(len(functions)))
    random.Random(seed).shuffle(chosen)
    chosen = chosen[:num_docs]
    places = list(range(num_docs))
    random.Random(seed + 1).shuffle(places)
    documents = [functions[0]] * num_docs
    for index, place in zip(chosen, places, strict=True):
        documents[place] = functions[index]
    golds = places[:num_queries]
    random.Random(seed + 2).shuffle(golds)
    return Sample(documents, golds)
