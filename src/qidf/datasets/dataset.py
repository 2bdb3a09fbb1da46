"""Documents, queries and judgements under one name: what an evaluation runs on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from qidf.errors import DuplicateIdError, InputError, InvalidArgumentError

# {query id: {document id: grade}}; a grade above 0 means relevant, as in trec_eval.
Judgements = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """Ids and texts in two columns of the same length; iterate over it for pairs."""

    ids: Sequence[str]
    texts: Sequence[str]

    def __post_init__(self) -> None:
        """Check that the columns match; that ids are unique is checked where they are read."""
        if len(self.ids) != len(self.texts):
            raise InvalidArgumentError(
                f"there are {len(self.ids)} ids for {len(self.texts)} texts; give each text an id"
            )

    def __len__(self) -> int:
        """How many texts there are."""
        return len(self.ids)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """Pairs of an id and a text."""
        return zip(self.ids, self.texts, strict=True)

    def repeated(self) -> str | None:
        """The first id that occurs a second time, if any does."""
        if len(set(self.ids)) == len(self.ids):
            return None
        counts = Counter(self.ids)
        return next(each for each in self.ids if counts[each] > 1)


@dataclass(frozen=True, slots=True, eq=False)
class Dataset:
    """A test collection: every query has at least one judgement, every id is unique.

    `provenance` says where it came from, well enough to get the same data again. `notes` are
    sentences on what a reader left out or found odd; nothing is left out without one.
    """

    name: str
    provenance: str
    documents: Texts
    queries: Texts
    judgements: Judgements
    notes: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        """Check what every evaluation relies on."""
        for what, texts in (("document", self.documents), ("query", self.queries)):
            if (repeated := texts.repeated()) is not None:
                raise DuplicateIdError(
                    f"the {what} id {repeated!r} occurs twice in {self.name}; give each its own id"
                )
        if not len(self.documents):
            raise InputError(f"{self.name} has no documents; check {self.provenance}")
        if not len(self.queries):
            raise InputError(
                f"{self.name} has no query with judgements; check that the ids of the queries and"
                " of the judgements are the same"
            )
        for query_id in self.queries.ids:
            if not self.judgements.get(query_id):
                raise InputError(
                    f"the query {query_id!r} of {self.name} has no judgements; judge it or leave it"
                    " out"
                )
        object.__setattr__(self, "judgements", MappingProxyType(dict(self.judgements)))

    def __repr__(self) -> str:
        """Say what it holds."""
        return (
            f"<Dataset {self.name}: {len(self.documents):,} documents,"
            f" {len(self.queries):,} queries>"
        )

    @property
    def num_docs(self) -> int:
        """How many documents there are."""
        return len(self.documents)

    @property
    def num_queries(self) -> int:
        """How many queries there are."""
        return len(self.queries)
