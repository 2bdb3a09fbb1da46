"""Xapian: scaled term queries over a database that stays as it is.

Xapian scores with ln(r), where r = (N - n + 0.5) / (n + 0.5), and with ln(1 + r / 2) below r = 2,
which is positive for every term; by default k1 = 1, b = 0.5, no length below half of the average
counts as shorter, the factor (k1 + 1), exact lengths and double precision.

Xapian's Python package comes with the system (Debian: python3-xapian), not from pip.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np

from qidf.engines.boosts import BoostPlan
from qidf.engines.contract import Capabilities, EngineStats, Note, TermStatistics
from qidf.engines.frozen import FrozenEngine
from qidf.engines.targets import Target, number
from qidf.errors import (
    EngineRejectedError,
    EngineUnavailableError,
    IndexNotFoundError,
    InvalidArgumentError,
    UnknownIdError,
    UnsupportedError,
)
from qidf.index.documents import DocId
from qidf.index.results import Hit
from qidf.statistics import CorpusStats

CAPABILITIES = Capabilities(
    exact_statistics=True,
    enumerates_vocabulary=True,
    max_clauses=None,
    takes_negative_weights=False,
    keeps_k1_plus_1=True,
    quantises_length=False,
    counts_deleted=False,
    duplicate_terms="add up",
    float32_weights=False,
)
# The defaults of Xapian's BM25Weight.
DEFAULT_K1, DEFAULT_B, DEFAULT_MIN_NORMLEN = 1.0, 0.5, 0.5
T = TypeVar("T")


def open_target(target: Target, **options: Any) -> XapianEngine:
    """Open a database, for reading only."""
    xapian = _xapian()
    path = Path(target.location)
    if not path.exists():
        raise IndexNotFoundError(f"there is no Xapian database at {path}; check the path")
    try:
        database = xapian.Database(str(path))
    except xapian.Error as error:
        raise IndexNotFoundError(
            f"Xapian can't open {path} ({error.get_msg()}); check the path"
        ) from error
    engine = wrap(database, **options)
    engine.owns_database = True
    return engine


def wrap(
    database: Any,
    stemmer: str | None = None,
    prefix: str = "",
    id: str = "docid",
    k1: object = DEFAULT_K1,
    b: object = DEFAULT_B,
    min_normlen: object = DEFAULT_MIN_NORMLEN,
) -> XapianEngine:
    """Search the caller's own database."""
    parameters = (number("k1", k1), number("b", b), number("min_normlen", min_normlen))
    return XapianEngine(database, stemmer, prefix, id, parameters)


class XapianEngine(FrozenEngine):
    """Terms of one prefix in a `xapian.Database` that a TermGenerator indexed.

    With `stemmer`, a language that Xapian stems, queries use the stemmed terms. `id` is "docid",
    "data", "value:SLOT", or "data.FIELD" for data that is JSON; `filter` is a `xapian.Query`.
    """

    def __init__(
        self,
        database: Any,
        stemmer: str | None,
        prefix: str,
        id: str,
        parameters: tuple[float, float, float],
    ) -> None:
        """Score with these k1, b and min_normlen."""
        super().__init__()
        self._xapian = _xapian()
        self._database = database
        self.owns_database = False
        self.k1, self.b, self.min_normlen = parameters
        self.prefix = prefix
        self._id_source = _checked_id(id)
        self._stem = None
        if stemmer is not None:
            try:
                self._stem = self._xapian.Stem(stemmer)
            except self._xapian.Error as error:
                raise InvalidArgumentError(
                    f"Xapian has no stemmer {stemmer!r}; name a language such as english."
                ) from error

    @property
    def name(self) -> str:
        """Xapian's version."""
        return f"xapian {self._xapian.version_string()}"

    @property
    def capabilities(self) -> Capabilities:
        """What Xapian can do."""
        return CAPABILITIES

    def analyze(self, text: str) -> list[str]:
        """The terms that a TermGenerator makes of a text, in order."""
        # An iterator doesn't keep its document alive, and crashes without it.
        document = self._generated(text, None)
        words = sorted(
            (position, bytes(item.term).decode("utf-8", "replace"))
            for item in document.termlist()
            for position in item.positer
        )
        return [self._stemmed(word) for _, word in words]

    def statistics(self, terms: Sequence[str]) -> TermStatistics:
        """Live documents, and those with each term."""

        def count() -> TermStatistics:
            frequency = self._database.get_termfreq
            return TermStatistics(
                int(self._database.get_doccount()), {term: int(frequency(term)) for term in terms}
            )

        return self._steady(count)

    def corpus_stats(self, sample: int | None = None) -> EngineStats:
        """Exact counts of the terms that queries can use; `sample` makes no difference."""

        def count() -> EngineStats:
            rows = [
                (item.termfreq, self._database.get_collection_freq(item.term))
                for item in self._database.allterms()
                if self._is_searched(bytes(item.term).decode("utf-8", "replace"))
            ]
            counts = np.array(rows, np.int64).reshape(-1, 2)
            stats = CorpusStats.from_frequencies(
                int(self._database.get_doccount()), counts[:, 0], counts[:, 1]
            )
            return EngineStats(**{name: getattr(stats, name) for name in CorpusStats.__slots__})

        return self._steady(count)

    def engine_idf(self, doc_freq: int, num_docs: int) -> float:
        """Xapian's term weight without relevance feedback (bm25weight.cc)."""
        ratio = (num_docs - doc_freq + 0.5) / (doc_freq + 0.5)
        return math.log(ratio if ratio >= 2.0 else ratio * 0.5 + 1.0)

    def own_query(
        self, text: str, tokens: Sequence[str], filter: Any | None
    ) -> tuple[Any, tuple[Note, ...]]:
        """Any of the terms."""
        return self._any([self._xapian.Query(token) for token in tokens], filter), ()

    def boosted_query(self, text: str, plan: BoostPlan, filter: Any | None) -> Any:
        """Any of the terms, scaled."""
        query = self._xapian.Query
        scaled = [
            query(query.OP_SCALE_WEIGHT, query(boost.term), boost.weight) for boost in plan.boosts
        ]
        return self._any(scaled, filter)

    def run(self, query: Any, k: int) -> list[Hit]:
        """Search with the weighting scheme that the options describe."""

        def search() -> list[Hit]:
            enquire = self._xapian.Enquire(self._database)
            enquire.set_weighting_scheme(
                self._xapian.BM25Weight(self.k1, 0.0, 1.0, self.b, self.min_normlen)
            )
            enquire.set_query(query)
            return [
                Hit(self._id(match.document), match.weight, rank, _metadata(match.document))
                for rank, match in enumerate(enquire.get_mset(0, k), 1)
            ]

        return self._steady(search)

    def term_scores(self, text: str, terms: Sequence[str], doc_id: DocId) -> Mapping[str, float]:
        """Each term's summand, from its count and the document's length."""

        def score() -> dict[str, float]:
            docid = self._docid(doc_id)
            database = self._database
            counts = {bytes(item.term).decode(): item.wdf for item in database.termlist(docid)}
            length = database.get_doclength(docid) / database.get_avlength()
            norm = self.k1 * (1 - self.b + self.b * max(length, self.min_normlen))
            num_docs = int(database.get_doccount())
            return {
                term: self.engine_idf(int(database.get_termfreq(term)), num_docs)
                * (self.k1 + 1)
                * counts.get(term, 0)
                / (counts.get(term, 0) + norm)
                for term in terms
            }

        return self._steady(score)

    def close(self) -> None:
        """Close the database if it isn't the user's."""
        if self.owns_database:
            self._database.close()

    def _generated(self, text: str, stem: Any | None) -> Any:
        document = self._xapian.Document()
        generator = self._xapian.TermGenerator()
        generator.set_document(document)
        if stem is not None:
            generator.set_stemmer(stem)
        generator.index_text(text, 1, self.prefix)
        return document

    def _stemmed(self, word: str) -> str:
        """The stemmed term that indexing made beside a word, or the word where it made none."""
        if self._stem is None:
            return word
        bare = word[len(self.prefix) :]
        document = self._generated(bare, self._stem)
        terms = [bytes(item.term).decode() for item in document.termlist()]
        return next((term for term in terms if term.startswith("Z")), word)

    def _is_searched(self, term: str) -> bool:
        """Whether a query can use a term; capitals are prefixes, and Z marks a stem."""
        if self._stem is not None:
            stemmed = term.startswith("Z" + self.prefix)
            bare = term[len(self.prefix) :] if term.startswith(self.prefix) else ""
            # Words that begin with a digit aren't stemmed.
            return (stemmed and _is_bare(term[1 + len(self.prefix) :])) or bare[:1].isdigit()
        return term.startswith(self.prefix) and _is_bare(term[len(self.prefix) :])

    def _any(self, queries: list[Any], filter: Any | None) -> Any:
        query = self._xapian.Query
        found = query(query.OP_OR, queries)
        if filter is None:
            return found
        if not isinstance(filter, query):
            raise InvalidArgumentError(
                f"Xapian filters by a xapian.Query, not a {type(filter).__name__}."
            )
        return query(query.OP_FILTER, found, filter)

    def _id(self, document: Any) -> DocId:
        kind, _, rest = self._id_source.replace(":", ".", 1).partition(".")
        if kind == "docid":
            return int(document.get_docid())
        if kind == "value":
            return bytes(document.get_value(int(rest))).decode("utf-8", "replace")
        if not rest:
            return bytes(document.get_data()).decode("utf-8", "replace")
        value = _metadata(document).get(rest)
        if not isinstance(value, str | int):
            raise EngineRejectedError(
                f"the data of document {document.get_docid()} is no JSON with an id in {rest!r};"
                " name another id."
            )
        return value

    def _docid(self, doc_id: DocId) -> int:
        if self._id_source == "docid":
            if isinstance(doc_id, int) or str(doc_id).isdigit():
                try:
                    return int(self._database.get_document(int(doc_id)).get_docid())
                except self._xapian.DocNotFoundError:
                    pass
            raise UnknownIdError(f"no document has the docid {doc_id!r}; check its spelling")
        # Xapian has no index of data or values; an explanation may take a scan.
        for item in self._database.postlist(""):
            if self._id(self._database.get_document(item.docid)) == doc_id:
                return int(item.docid)
        raise UnknownIdError(f"no document has the id {doc_id!r}; check its spelling and type")

    def _steady(self, work: Callable[[], T]) -> T:
        """Do something twice if a writer has overtaken what the first try was reading."""
        xapian = self._xapian
        with _translated(xapian):
            try:
                return work()
            except xapian.DatabaseModifiedError:
                self._database.reopen()
                return work()


def _checked_id(id: str) -> str:
    kind, _, rest = id.replace(":", ".", 1).partition(".")
    if kind not in ("docid", "data", "value") or (kind == "value") != rest.isdigit():
        raise InvalidArgumentError(
            f"id is docid, data, data.FIELD or value:SLOT for Xapian, not {id!r}."
        )
    return id


def _is_bare(rest: str) -> bool:
    return bool(rest) and not rest[0].isupper()


def _metadata(document: Any) -> Mapping[str, Any]:
    """A document's data: what is in it if it is a JSON object, itself otherwise."""
    data = bytes(document.get_data()).decode("utf-8", "replace")
    try:
        value = json.loads(data) if data.startswith("{") else None
    except ValueError:
        value = None
    if isinstance(value, dict):
        return MappingProxyType(value)
    return MappingProxyType({"data": data} if data else {})


def _xapian() -> Any:
    try:
        import xapian
    except ImportError:
        raise UnsupportedError(
            "Xapian's Python package isn't there, and pip has none; install the system's"
            " (Debian and Ubuntu: apt install python3-xapian) for this Python."
        ) from None
    return xapian


@contextmanager
def _translated(xapian: Any) -> Iterator[None]:
    """Say what Xapian says as one of this package's errors."""
    try:
        yield
    except xapian.DatabaseModifiedError as error:
        raise EngineUnavailableError(
            "the Xapian database changes faster than it can be read; try again."
        ) from error
    except xapian.Error as error:
        raise EngineRejectedError(f"Xapian refuses: {error.get_msg()}.") from error
