"""What an index is: its fields, how they are analyzed and scored, where its shards are.

Everything is read with requests that the read privilege allows; what needs more is asked for too
and, where the server refuses, taken to be the default.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from qidf.engines.opensearch.exchange import Exchange, Request
from qidf.errors import EngineRejectedError, InvalidArgumentError, UnsupportedError

# Lucene's defaults, which both servers keep.
DEFAULT_K1 = 1.2
DEFAULT_B = 0.75
# Since version 3 OpenSearch calls the one with (k1 + 1) in it LegacyBM25.
BM25_TYPES = ("BM25", "LegacyBM25")
TEXT_TYPES = ("text", "match_only_text", "search_as_you_type")


@dataclass(frozen=True, slots=True)
class Field:
    """A text field; `source` is the field of a document that fills it (itself, or its parent).

    `search_analyzer` is None where queries are analyzed as documents are.
    """

    name: str
    source: str
    search_analyzer: str | None
    k1: float = DEFAULT_K1
    b: float = DEFAULT_B


@dataclass(frozen=True, slots=True)
class Shard:
    """A shard that holds documents, and a routing value that leads to it."""

    index: str
    number: int
    routing: str


@dataclass(frozen=True, slots=True)
class Schema:
    """Fields and shards behind a name, which may stand for several indices."""

    indices: tuple[str, ...]
    fields: Mapping[str, Field]
    shards: tuple[Shard, ...]
    num_shards: int


def at(index: str, endpoint: str) -> str:
    """The path of an endpoint of an index, a pattern or a list of them."""
    return f"/{quote(index, safe=',*-_.+')}/{endpoint}"


def read_fields(
    index: str, names: Sequence[str]
) -> Exchange[tuple[tuple[str, ...], dict[str, Field]]]:
    """Ask which indices there are and what the fields are in them."""
    wanted = sorted({part for name in names for part in _ancestors(name)})
    caps = yield Request(
        "GET",
        at(index, "_field_caps"),
        {"fields": ",".join(wanted), "include_unmapped": "true"},
    )
    listed = tuple(caps.get("indices", ()))
    if not listed:
        # OpenSearch leaves closed indices out without a word; a search says what is wrong.
        yield Request("POST", at(index, "_search"), {"size": "0"})
        raise EngineRejectedError(f"no index is called {index!r}; check the name.")
    indices = _mapped(index, listed, names, caps["fields"])
    mappings = yield from _or_none(
        Request(
            "GET",
            at(index, f"_mapping/field/{quote(','.join(names), safe=',*')}"),
            {"include_defaults": "true"},
        )
    )
    settings = yield from _or_none(
        Request("GET", at(index, "_settings/index.similarity.*,index.analysis.*"))
    )
    fields = {}
    for name in names:
        source = next(part for part in _ancestors(name) if _is_leaf(caps["fields"].get(part)))
        fields[name] = _field(name, source, indices, mappings or {}, settings or {})
    return indices, fields


def read_shards(indices: Sequence[str]) -> Exchange[tuple[tuple[Shard, ...], int]]:
    """Find a routing value for every shard that holds documents: that of a document in it.

    Shard numbers start at 0; how many there are is what a search says it has asked.
    """
    sizes = yield Request(
        "POST",
        "/_msearch",
        lines=[
            line
            for index in indices
            for line in ({"index": index}, {"size": 0, "track_total_hits": False})
        ],
    )
    places = [
        (index, number)
        for index, answer in zip(indices, sizes["responses"], strict=True)
        for number in range(_checked(answer)["_shards"]["total"])
    ]
    answers = yield Request(
        "POST",
        "/_msearch",
        lines=[
            line
            for index, number in places
            for line in (
                {"index": index, "preference": f"_shards:{number}"},
                {"size": 1, "_source": False, "track_total_hits": False},
            )
        ],
    )
    shards = []
    for (index, number), answer in zip(places, answers["responses"], strict=True):
        for hit in _checked(answer)["hits"]["hits"]:
            shards.append(Shard(index, number, hit.get("_routing", hit["_id"])))
    return tuple(shards), len(places)


def read_schema(index: str, names: Sequence[str]) -> Exchange[Schema]:
    """Read all of it."""
    indices, fields = yield from read_fields(index, names)
    shards, num_shards = yield from read_shards(indices)
    return Schema(indices, fields, shards, num_shards)


def read_text_fields(index: str) -> Exchange[tuple[str, ...]]:
    """Name the text fields that aren't another field's variant."""
    caps = yield Request("GET", at(index, "_field_caps"), {"fields": "*"})
    fields = caps.get("fields", {})
    return tuple(
        name
        for name, kinds in sorted(fields.items())
        if any(kind in TEXT_TYPES for kind in kinds)
        and not any(_is_leaf(fields.get(part)) for part in _ancestors(name) if part != name)
    )


def _or_none(request: Request) -> Exchange[Any]:
    try:
        return (yield request)
    except EngineRejectedError:
        return None


def _checked(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    if "error" in answer:
        from qidf.engines.opensearch.refusals import refusal

        raise refusal(int(answer.get("status", 500)), answer, "the server")
    return answer


def _ancestors(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[: end + 1]) for end in range(len(parts))]


def _mapped(
    index: str, listed: Sequence[str], names: Sequence[str], caps: Mapping[str, Any]
) -> tuple[str, ...]:
    """The indices behind a name that have the fields.

    The others are never asked about them: an artificial document with a field that isn't mapped
    could add it to the mapping.
    """
    holding = []
    for name in names:
        kinds = caps.get(name, {})
        _check_type(index, name, kinds)
        without = kinds.get("unmapped", {}).get("indices", ())
        holding.append(tuple(each for each in listed if each not in without))
    if len(set(holding)) > 1:
        raise UnsupportedError(
            f"not every index behind {index!r} that has one of {', '.join(names)} has all of them;"
            " name one index."
        )
    return holding[0]


def _is_leaf(kinds: Mapping[str, Any] | None) -> bool:
    return any(kind not in ("object", "nested", "unmapped") for kind in kinds or ())


def _check_type(index: str, name: str, kinds: Mapping[str, Any] | None) -> None:
    found = sorted(kind for kind in kinds or () if kind != "unmapped")
    if not found:
        raise InvalidArgumentError(
            f"the index {index!r} has no field {name!r}; name one of its text fields with field=."
        )
    if found == ["keyword"]:
        raise InvalidArgumentError(
            f"{name!r} in {index!r} is a keyword field, which is matched whole and not scored by"
            " BM25; name a text field with field=."
        )
    if any(kind not in TEXT_TYPES for kind in found):
        raise InvalidArgumentError(
            f"{name!r} in {index!r} is a field of type {' and '.join(found)}, not text; name a text"
            " field with field=."
        )


def _field(
    name: str,
    source: str,
    indices: Sequence[str],
    mappings: Mapping[str, Any],
    settings: Mapping[str, Any],
) -> Field:
    """Read analyzer and similarity in every index, which must agree."""
    found = set()
    for index in indices:
        mapping = _mapping(mappings.get(index), name)
        index_settings = settings.get(index, {}).get("settings", {}).get("index", {})
        analyzer, searching = mapping.get("analyzer"), mapping.get("search_analyzer")
        if mapping and not mapping.get("index", True):
            raise InvalidArgumentError(
                f"{name!r} in {index!r} is not indexed, so nothing can be found in it; name"
                " another field with field=."
            )
        k1, b = _bm25(name, mapping.get("similarity"), index_settings.get("similarity", {}))
        found.add((None if searching in (None, analyzer) else str(searching), k1, b))
    if len(found) > 1:
        raise UnsupportedError(
            f"{name!r} is analyzed or scored differently in {' and '.join(indices)}; name one of"
            " them."
        )
    [(search_analyzer, k1, b)] = found
    return Field(name, source, search_analyzer, k1, b)


def _mapping(answer: Any, name: str) -> Mapping[str, Any]:
    entry = (answer or {}).get("mappings", {}).get(name, {}).get("mapping", {})
    return next(iter(entry.values()), {})


def _bm25(name: str, similarity: Any, defined: Mapping[str, Any]) -> tuple[float, float]:
    """The parameters of a field's BM25; another similarity has no idf to exchange."""
    named = "default" if similarity in (None, "null") else str(similarity)
    settings = defined.get(named, {})
    kind = settings.get("type", "BM25" if named == "default" else named)
    if kind not in BM25_TYPES:
        raise UnsupportedError(
            f"{name!r} is scored with the similarity {named!r} ({kind}) rather than BM25, so there"
            " is no idf to exchange; one that qidf set goes with: qidf similarity --revert."
        )
    return float(settings.get("k1", DEFAULT_K1)), float(settings.get("b", DEFAULT_B))
