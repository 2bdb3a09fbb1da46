"""Tantivy through tantivy-py: boosted term queries over an index that stays as it is.

Tantivy scores with Lucene's idf, k1 = 1.2, b = 0.75 and the factor (k1 + 1), in float32, and keeps
a document's length in one byte. A deleted document counts until its segment is merged.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from qidf.engines.boosts import BoostPlan, lucene_idf
from qidf.engines.contract import Capabilities, EngineStats, Note, TermStatistics
from qidf.engines.frozen import FrozenEngine
from qidf.engines.sampling import wilson
from qidf.engines.targets import Target
from qidf.errors import (
    EngineRejectedError,
    IndexNotFoundError,
    InvalidArgumentError,
    MissingExtraError,
    StoredIndexError,
    UnknownIdError,
    UnsupportedError,
)
from qidf.index.documents import DocId
from qidf.index.results import Hit

CAPABILITIES = Capabilities(
    exact_statistics=True,
    enumerates_vocabulary=True,
    max_clauses=None,
    # A negative boost is taken, but the pruning that finds the best k relies on scores that grow.
    takes_negative_weights=False,
    keeps_k1_plus_1=True,
    quantises_length=True,
    counts_deleted=True,
    # Its query parser keeps one clause of equal ones.
    duplicate_terms="count once",
    float32_weights=True,
)
# Fields that are taken for the caller's ids where none is named.
ID_FIELDS = ("_id", "id")
_TERM = re.compile(r'Term\(field=\d+, type=Str, "((?:[^"\\]|\\.)*)"\)')
_ESCAPE = re.compile(r"\\(?:u\{([0-9a-fA-F]+)\}|(.))")
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "0": "\0"}
_BETWEEN_WORDS = re.compile(r"[^\W_]+")


def open_target(target: Target, **options: Any) -> TantivyEngine:
    """Open the index at a path."""
    tantivy = _tantivy()
    path = Path(target.location)
    if not path.is_dir() or not tantivy.Index.exists(str(path)):
        raise IndexNotFoundError(f"there is no Tantivy index at {path}; check the path")
    try:
        index = tantivy.Index.open(str(path))
    except ValueError as error:
        raise StoredIndexError(
            f"tantivy {version('tantivy')} can't open {path} ({error}); open it with the version"
            " that wrote it"
        ) from error
    return wrap(index, **options)


def wrap(index: Any, field: str | None = None, id: str | None = None) -> TantivyEngine:
    """Search the caller's own `tantivy.Index`."""
    return TantivyEngine(index, field, id)


class TantivyEngine(FrozenEngine):
    """One text field of a `tantivy.Index`; hits carry their stored fields."""

    def __init__(self, index: Any, field: str | None, id: str | None) -> None:
        """Search `field`; `id` is a stored field, and the address in the index without one."""
        super().__init__()
        self._tantivy = _tantivy()
        self._index = index
        self._schema = index.schema
        fields = _fields(self._schema)
        self.field = _text_field(fields, field)
        self.id_field = _id_field(fields, id)

    @property
    def name(self) -> str:
        """Tantivy and the version of its Python package."""
        return f"tantivy {version('tantivy')}"

    @property
    def capabilities(self) -> Capabilities:
        """What Tantivy can do."""
        return CAPABILITIES

    def analyze(self, text: str) -> list[str]:
        """The terms of a text by the field's own tokenizer, read off a parsed phrase.

        A field without positions parses no phrase; its texts go through word by word.
        """
        try:
            return self._parsed(text)
        except ValueError as error:
            if "positions" not in str(error):
                raise self._refusal(error) from error
        tokens: list[str] = []
        for word in text.split():
            try:
                tokens += self._parsed(word)
            except ValueError:
                for part in _BETWEEN_WORDS.findall(word):
                    tokens += self._parsed(part)
        return tokens

    def statistics(self, terms: Sequence[str]) -> TermStatistics:
        """Counts as Tantivy's own scores have them: of all documents not merged away yet."""
        searcher = self._index.searcher()
        doc_freqs = {term: int(searcher.doc_freq(self.field, term)) for term in terms}
        found = sorted((count, term) for term, count in doc_freqs.items() if count)
        num_docs = int(searcher.num_docs)
        # The rarest term is the quickest to find; its documents may all be deleted ones.
        for _, term in found:
            counted = self._counts(searcher, term)
            if counted is not None:
                num_docs = counted.num_docs
                break
        return TermStatistics(num_docs, doc_freqs)

    def corpus_stats(self, sample: int | None = None) -> EngineStats:
        """Exact counts: of terms in one document, those that occur there once are hapaxes.

        With `sample`, only that many of them are looked at. While deleted documents linger, terms
        that only they have can't be looked at, and the interval covers both cases.
        """
        searcher = self._index.searcher()
        vocabulary = searcher.terms_with_prefix(self.field, "")
        counted = None
        for term, _ in vocabulary:
            counted = self._counts(searcher, term)
            if counted is not None:
                break
        if counted is None:
            return EngineStats(int(searcher.num_docs), 0, 0, 0.0)
        doc_freqs = np.array([count for _, count in vocabulary], np.int64)
        rare = [term for term, count in vocabulary if count == 1]
        looked_at = rare
        if sample is not None and sample < len(rare):
            chosen = np.random.default_rng(0).choice(len(rare), sample, replace=False)
            looked_at = [rare[at] for at in np.sort(chosen)]
        once = deleted = 0
        for term in looked_at:
            found = self._counts(searcher, term)
            once += found is not None and found.frequency == 1
            deleted += found is None
        total = counted.num_tokens
        share = 1 / max(len(looked_at), 1)
        scale = len(rare) / total
        interval = None
        if len(looked_at) < len(rare) or deleted:
            low, high = wilson(once, len(looked_at), len(rare))
            high = min(high + deleted * share, 1.0)
            interval = (low * scale, min(high * scale, 1.0))
        return EngineStats(
            num_docs=counted.num_docs,
            num_tokens=total,
            vocab_size=len(vocabulary),
            htok=once / total if looked_at is rare else once * share * scale,
            median_df=float(np.median(doc_freqs)),
            share_df_le_5=float(np.mean(doc_freqs <= 5)),
            htok_ci95=interval,
            sampled=len(looked_at) if len(looked_at) < len(rare) else None,
        )

    def engine_idf(self, doc_freq: int, num_docs: int) -> float:
        """Lucene's idf."""
        return lucene_idf(doc_freq, num_docs)

    def count_factor(self, count: int) -> float:
        """A word said twice is one clause."""
        return 1.0

    def own_query(
        self, text: str, tokens: Sequence[str], filter: Any | None
    ) -> tuple[Any, tuple[Note, ...]]:
        """Any of the terms, each scored by Tantivy; what its query parser makes of plain words."""
        terms = dict.fromkeys(tokens)
        return self._boolean([self._term(term) for term in terms], filter), ()

    def boosted_query(self, text: str, plan: BoostPlan, filter: Any | None) -> Any:
        """Any of the terms, boosted."""
        boost = self._tantivy.Query.boost_query
        clauses = [boost(self._term(each.term), each.weight) for each in plan.boosts]
        return self._boolean(clauses, filter)

    def run(self, query: Any, k: int) -> list[Hit]:
        """Search, and fetch the stored fields of the hits."""
        searcher = self._index.searcher()
        hits = []
        for rank, (score, address) in enumerate(searcher.search(query, k, count=False).hits, 1):
            stored = searcher.doc(address).to_dict()
            hits.append(Hit(self._id(stored, address), score, rank, _single(stored)))
        return hits

    def term_scores(self, text: str, terms: Sequence[str], doc_id: DocId) -> Mapping[str, float]:
        """What Tantivy's own explanation says of each term."""
        searcher = self._index.searcher()
        address = self._address(searcher, doc_id)
        scores = {}
        for term in terms:
            try:
                explained = json.loads(self._term(term).explain(searcher, address).to_json())
                scores[term] = float(explained["value"])
            except ValueError:
                # Tantivy explains only documents that match.
                scores[term] = 0.0
        return scores

    def _parsed(self, text: str) -> list[str]:
        quoted = text.replace("\\", "\\\\").replace('"', '\\"')
        parsed = repr(self._index.parse_query(f'"{quoted}"', [self.field]))
        return [_ESCAPE.sub(_unescaped, found) for found in _TERM.findall(parsed)]

    def _term(self, term: str) -> Any:
        return self._tantivy.Query.term_query(self._schema, self.field, term, "freq")

    def _boolean(self, clauses: list[Any], filter: Any | None) -> Any:
        query, occur = self._tantivy.Query, self._tantivy.Occur
        should = query.boolean_query([(occur.Should, clause) for clause in clauses])
        if filter is None:
            return should
        if not isinstance(filter, query):
            raise InvalidArgumentError(
                f"Tantivy filters by a tantivy.Query, not a {type(filter).__name__}."
            )
        must = query.const_score_query(filter, 0.0)
        return query.boolean_query([(occur.Must, must), (occur.Must, should)])

    def _counts(self, searcher: Any, term: str) -> _Counts | None:
        """What Tantivy says of a term in some live document, None where it has none."""
        query = self._term(term)
        hits = searcher.search(query, 1, count=False).hits
        if not hits:
            return None
        return _Counts(json.loads(query.explain(searcher, hits[0][1]).to_json()))

    def _id(self, stored: Mapping[str, list[Any]], address: Any) -> DocId:
        if self.id_field is None:
            return f"{address.segment_ord}:{address.doc}"
        values = stored.get(self.id_field)
        if not values:
            raise EngineRejectedError(
                f"a document has no value in the field {self.id_field!r} that was named as its id;"
                " name another, or none."
            )
        identifier: DocId = values[0]
        return identifier

    def _address(self, searcher: Any, doc_id: DocId) -> Any:
        if self.id_field is None:
            segment, _, doc = str(doc_id).partition(":")
            if not (segment.isdigit() and doc.isdigit()):
                raise UnknownIdError(
                    f"no document is at {doc_id!r}; without an id field an id is SEGMENT:NUMBER"
                )
            return self._tantivy.DocAddress(int(segment), int(doc))
        query = self._tantivy.Query.term_query(self._schema, self.id_field, doc_id, "basic")
        try:
            hits = searcher.search(query, 1, count=False).hits
        except ValueError as error:
            raise UnsupportedError(
                f"the id field {self.id_field!r} isn't indexed, so a document can't be found by its"
                f" id ({error}); index it with the raw tokenizer"
            ) from error
        if not hits:
            raise UnknownIdError(f"no document has the id {doc_id!r}; check its spelling and type")
        return hits[0][1]

    def _refusal(self, error: ValueError) -> Exception:
        if "tokenizer" in str(error).lower():
            return EngineRejectedError(
                f"the field {self.field!r} has a tokenizer of its own ({error}); open the index"
                " yourself, register it, and pass the tantivy.Index to qidf.connect."
            )
        return EngineRejectedError(f"Tantivy can't analyze for {self.field!r}: {error}")


class _Counts:
    """The numbers in Tantivy's explanation of one term in one document."""

    __slots__ = ("frequency", "num_docs", "num_tokens")

    def __init__(self, explained: dict[str, Any]) -> None:
        values: dict[str, float] = {}
        waiting = [explained]
        while waiting:
            node = waiting.pop()
            values[node["description"].partition(",")[0]] = node["value"]
            waiting += node.get("details", [])
        self.num_docs = int(values["N"])
        self.frequency = int(values["freq"])
        # float32: exact to 16 million tokens, and to seven digits beyond.
        self.num_tokens = round(float(np.float32(values["avgdl"])) * self.num_docs)


def _fields(schema: Any) -> dict[str, dict[str, Any]]:
    """Field names and their options, which a schema shows when it is about to be pickled."""
    return {field["name"]: field for field in schema.__reduce__()[1][0]["inner"]}


def _text_field(fields: dict[str, dict[str, Any]], wanted: str | None) -> str:
    scored = [
        name
        for name, field in fields.items()
        if field["type"] == "text"
        and (field["options"].get("indexing") or {}).get("record") in ("freq", "position")
        and field["options"]["indexing"].get("fieldnorms", True)
    ]
    if wanted is None:
        if len(scored) == 1:
            return scored[0]
        raise InvalidArgumentError(
            f"the index has {len(scored)} text fields that can be scored; name one with field=:"
            f" {', '.join(scored) or 'there is none'}."
        )
    if wanted not in fields:
        raise InvalidArgumentError(
            f"the index has no field {wanted!r}; its text fields are {', '.join(scored)}."
        )
    if wanted not in scored:
        raise InvalidArgumentError(
            f"the field {wanted!r} is no text with term frequencies, so BM25 can't score it; its"
            f" text fields are {', '.join(scored) or 'none'}."
        )
    return wanted


def _id_field(fields: dict[str, dict[str, Any]], wanted: str | None) -> str | None:
    stored = [name for name, field in fields.items() if field["options"].get("stored")]
    if wanted is None:
        return next((name for name in ID_FIELDS if name in stored), None)
    if wanted not in stored:
        raise InvalidArgumentError(
            f"the index stores no field {wanted!r} to take ids from; it stores"
            f" {', '.join(stored) or 'none'}."
        )
    return wanted


def _single(stored: Mapping[str, list[Any]]) -> Mapping[str, Any]:
    """Stored fields, each a value rather than a list of one."""
    return MappingProxyType(
        {name: values[0] if len(values) == 1 else values for name, values in stored.items()}
    )


def _unescaped(match: re.Match[str]) -> str:
    """Undo how Rust writes a string down."""
    if match[1] is not None:
        return chr(int(match[1], 16))
    return _ESCAPED.get(match[2], match[2])


def _tantivy() -> Any:
    try:
        import tantivy
    except ImportError:
        raise MissingExtraError("tantivy", "tantivy") from None
    return tantivy
