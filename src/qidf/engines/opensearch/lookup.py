"""The tokens of a text and the counts they are scored with, for any number of texts at once.

One `_mtermvectors` request does both: an artificial document goes to every shard, is analyzed
there as the field's own would be, and comes back with the shard's counts. Added up these are what
`dfs_query_then_fetch` scores with, documents that are deleted but not yet merged away included.
Where a server refuses that (a data stream, a managed service), `_analyze` and one aggregation of
filters stand in: live documents only, so near what the engine scores with rather than equal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from qidf.engines.opensearch.exchange import Exchange, Request
from qidf.engines.opensearch.schema import Field, Schema, Shard, at
from qidf.errors import EngineRejectedError

# Beyond this many shards an artificial document for each costs more than it is worth, and deleted
# documents, the only difference, are a rounding error in indices of that size.
MAX_SHARDS = 128
# Every shard is sent the text and answers with a hundred bytes a word: a page for each of them, a
# whole file for a few. Longer texts are analyzed once.
MAX_CHARACTERS = 500_000
# Analyzes every value of an array as one token, whatever the field's own analyzer would do to it.
VERBATIM = "keyword"


@dataclass(frozen=True, slots=True)
class Wording:
    """A text as a query on a field says it; `analyzer` overrides the field's own."""

    field: str
    text: str
    analyzer: str | None = None


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a wording's analysis gives, in order; `stacked` if two share a position (synonyms)."""

    tokens: tuple[str, ...]
    stacked: bool


@dataclass(frozen=True, slots=True)
class Counts:
    """A field's documents and tokens, and the doc_freq and total occurrences of some terms.

    Tokens and occurrences are unknown (0, empty) where live documents were counted.
    """

    num_docs: int
    num_tokens: int
    doc_freqs: Mapping[str, int]
    occurrences: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Found:
    """One wording's tokens and their counts."""

    tokens: Tokens
    counts: Counts


def uses_term_vectors(schema: Schema, characters: int = 0) -> bool:
    """Whether every shard can be asked for its own counts, with texts as long as this."""
    shards = len(schema.shards)
    return 0 < shards <= MAX_SHARDS and shards * characters <= MAX_CHARACTERS


def look_up(schema: Schema, wordings: Sequence[Wording]) -> Exchange[list[Found]]:
    """Analyze and count every wording, in one request where every shard can be asked."""
    if uses_term_vectors(schema, sum(len(each.text) for each in wordings)):
        documents = [
            _artificial(shard, schema.fields[each.field], each.text, each.analyzer)
            for each in wordings
            for shard in schema.shards
        ]
        try:
            vectors = yield from _term_vectors(documents)
        except EngineRejectedError:
            return (yield from _look_up_live(schema, wordings))
        found = []
        for number, each in enumerate(wordings):
            size = len(schema.shards)
            own = [
                vector.get(each.field, {})
                for vector in vectors[number * size : (number + 1) * size]
            ]
            found.append(Found(_tokens(own[0]), _counts(own)))
        return found
    return (yield from _look_up_live(schema, wordings))


def count_terms(schema: Schema, field: str, terms: Sequence[str]) -> Exchange[Counts]:
    """Count terms that are already what the index holds, in one request."""
    if not terms:
        return Counts(0, 0, {}, {})
    if uses_term_vectors(schema):
        documents = [
            _artificial(shard, schema.fields[field], list(terms), VERBATIM)
            for shard in schema.shards
        ]
        try:
            vectors = yield from _term_vectors(documents)
        except EngineRejectedError:
            pass
        else:
            return _counts([vector.get(field, {}) for vector in vectors])
    return (yield from _count_live(schema, field, terms))


def _artificial(
    shard: Shard, field: Field, content: str | list[str], analyzer: str | None
) -> dict[str, Any]:
    analyzer = analyzer or field.search_analyzer
    document: dict[str, Any] = {
        "_index": shard.index,
        "routing": shard.routing,
        "doc": _within(field.source, content),
        "fields": [field.name],
        "positions": True,
        "offsets": False,
        "payloads": False,
        "term_statistics": True,
        "field_statistics": True,
    }
    if analyzer is not None:
        document["per_field_analyzer"] = {field.name: analyzer}
    return document


def _within(name: str, content: Any) -> dict[str, Any]:
    """A document with one field, in objects where its name has dots."""
    first, _, rest = name.partition(".")
    return {first: _within(rest, content) if rest else content}


def _term_vectors(documents: Sequence[Mapping[str, Any]]) -> Exchange[list[Mapping[str, Any]]]:
    answer = yield Request("POST", "/_mtermvectors", body={"docs": documents})
    for each in answer["docs"]:
        if "error" in each:
            raise EngineRejectedError(f"term vectors are refused: {each['error'].get('reason')}.")
    return [each.get("term_vectors", {}) for each in answer["docs"]]


def _tokens(vector: Mapping[str, Any]) -> Tokens:
    """Put the terms back in the order of their positions."""
    placed = [
        (token["position"], term)
        for term, entry in vector.get("terms", {}).items()
        for token in entry["tokens"]
    ]
    placed.sort()
    stacked = len({position for position, _ in placed}) < len(placed)
    return Tokens(tuple(term for _, term in placed), stacked)


def _counts(vectors: Sequence[Mapping[str, Any]]) -> Counts:
    """Add up over shards."""
    doc_freqs: Counter[str] = Counter()
    occurrences: Counter[str] = Counter()
    num_docs = num_tokens = 0
    for vector in vectors:
        field = vector.get("field_statistics", {})
        num_docs += max(0, int(field.get("doc_count", 0)))
        num_tokens += max(0, int(field.get("sum_ttf", 0)))
        for term, entry in vector.get("terms", {}).items():
            doc_freqs[term] += int(entry.get("doc_freq", 0))
            occurrences[term] += int(entry.get("ttf", 0))
    return Counts(num_docs, num_tokens, doc_freqs, occurrences)


def _look_up_live(schema: Schema, wordings: Sequence[Wording]) -> Exchange[list[Found]]:
    """Analyze each wording apart, then count all of their terms field by field."""
    analyzed = []
    for each in wordings:
        analyzer = each.analyzer or schema.fields[each.field].search_analyzer
        body = {"text": each.text} | (
            {"field": each.field} if analyzer is None else {"analyzer": analyzer}
        )
        answer = yield Request("POST", at(schema.indices[0], "_analyze"), body=body)
        placed = [(token["position"], token["token"]) for token in answer["tokens"]]
        stacked = len({position for position, _ in placed}) < len(placed)
        analyzed.append(Tokens(tuple(token for _, token in placed), stacked))
    found = []
    for each, tokens in zip(wordings, analyzed, strict=True):
        terms = list(dict.fromkeys(tokens.tokens))
        found.append(Found(tokens, (yield from _count_live(schema, each.field, terms))))
    return found


def _count_live(schema: Schema, field: str, terms: Sequence[str]) -> Exchange[Counts]:
    filters: dict[str, Any] = {
        str(number): {"term": {field: term}} for number, term in enumerate(terms)
    }
    filters["field"] = {"exists": {"field": field}}
    answer = yield Request(
        "POST",
        at(",".join(schema.indices), "_search"),
        body={
            "size": 0,
            "track_total_hits": False,
            "aggs": {"terms": {"filters": {"filters": filters}}},
        },
    )
    buckets = answer["aggregations"]["terms"]["buckets"]
    return Counts(
        int(buckets["field"]["doc_count"]),
        0,
        {term: int(buckets[str(number)]["doc_count"]) for number, term in enumerate(terms)},
        {},
    )
