"""Which clauses of a search body can be put with q-log weights, and why the others can't.

Only clauses whose score counts are looked for: those in filters, aggregations and highlighters
stay as they are without a word.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from qidf.engines.contract import Note
from qidf.engines.opensearch.lookup import Wording

Path = tuple[str | int, ...]
Form = Literal["match", "best_fields", "most_fields"]

# Queries around other queries, and where in them those are that score.
CONTAINERS: Mapping[str, tuple[str, ...]] = {
    "bool": ("must", "should"),
    "boosting": ("positive",),
    "dis_max": ("queries",),
    "function_score": ("query",),
    "has_child": ("query",),
    "has_parent": ("query",),
    "nested": ("query",),
    "pinned": ("organic",),
    "script_score": ("query",),
}
# Full-text queries that are more than a sum over terms.
WHOLE = {
    "combined_fields": "it scores several fields as one",
    "hybrid": "its parts are normalised together",
    "intervals": "it depends on the order of words",
    "match_bool_prefix": "its last word is a prefix",
    "match_phrase": "a phrase is no sum over its words",
    "match_phrase_prefix": "a phrase is no sum over its words",
    "more_like_this": "it picks its own terms",
    "query_string": "it has a syntax of its own",
    "simple_query_string": "it has a syntax of its own",
}
# Options that leave a sum over terms what it is, or matter only with fuzziness.
HARMLESS = {
    "auto_generate_synonyms_phrase_query",
    "fuzzy_rewrite",
    "fuzzy_transpositions",
    "lenient",
    "max_expansions",
    "prefix_length",
    "zero_terms_query",
}
READ = {"query", "analyzer", "boost", "_name", "operator"}


@dataclass(frozen=True, slots=True)
class Weighted:
    """A wording on one field, with the boost the query gives that field."""

    wording: Wording
    boost: float = 1.0


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause that can be rewritten: where it is, what it says, how its fields combine."""

    path: Path
    form: Form
    parts: tuple[Weighted, ...]
    boost: float = 1.0
    name: str | None = None
    tie_breaker: float = 0.0


@dataclass(slots=True)
class Findings:
    """The clauses of a body, in its order, and notes on those left alone."""

    clauses: list[Clause] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    def leave(self, path: Path, reason: str) -> None:
        """Say why a clause stays as it is."""
        self.notes.append(Note("left alone", f"{_shown(path)} is left alone: {reason}."))


def find_clauses(body: Any, fields: Sequence[str]) -> Findings:
    """Look through a search body for clauses on these fields."""
    found = Findings()
    if not isinstance(body, Mapping):
        return found
    if "min_score" in body:
        if _mentions(body.get("query"), fields):
            found.leave(("query",), "min_score is a threshold on the scores it has now")
        return found
    if "query" in body:
        _query(body["query"], ("query",), fields, found)
    rescore = body.get("rescore")
    for step, path in _each(rescore, ("rescore",)):
        inner = step.get("query") if isinstance(step, Mapping) else None
        if isinstance(inner, Mapping) and "rescore_query" in inner:
            _query(inner["rescore_query"], (*path, "query", "rescore_query"), fields, found)
    _retriever(body.get("retriever"), ("retriever",), fields, found)
    return found


def count_queries(value: Any) -> int:
    """An upper bound on the clauses in a body, for the server's limit."""
    if isinstance(value, Mapping):
        return 1 + sum(count_queries(each) for each in value.values())
    if isinstance(value, list | tuple):
        return sum(count_queries(each) for each in value)
    return 0


def _retriever(node: Any, path: Path, fields: Sequence[str], found: Findings) -> None:
    if not isinstance(node, Mapping):
        return
    standard = node.get("standard")
    if isinstance(standard, Mapping) and "query" in standard and "min_score" not in standard:
        _query(standard["query"], (*path, "standard", "query"), fields, found)
    for name, inner in node.items():
        for each, place in _each(
            inner.get("retrievers") if isinstance(inner, Mapping) else None,
            (*path, name, "retrievers"),
        ):
            # Weighted fusion wraps a retriever in an object of its own.
            wrapped = isinstance(each, Mapping) and "retriever" in each
            _retriever(
                each["retriever"] if wrapped else each,
                (*place, "retriever") if wrapped else place,
                fields,
                found,
            )


def _query(node: Any, path: Path, fields: Sequence[str], found: Findings) -> None:
    if not isinstance(node, Mapping):
        return
    for kind, value in node.items():
        place = (*path, kind)
        if kind == "match":
            _match(value, path, fields, found)
        elif kind == "multi_match":
            _multi_match(value, path, fields, found)
        elif kind in WHOLE:
            if _mentions(value, fields):
                found.leave(place, WHOLE[kind])
        elif kind in CONTAINERS and isinstance(value, Mapping):
            if kind == "function_score" and "min_score" in value:
                if _mentions(value, fields):
                    found.leave(place, "min_score is a threshold on the scores it has now")
                continue
            for inner in CONTAINERS[kind]:
                for each, at in _each(value.get(inner), (*place, inner)):
                    _query(each, at, fields, found)


def _match(value: Any, path: Path, fields: Sequence[str], found: Findings) -> None:
    """Read `{"content": "text"}` or `{"content": {"query": "text", ...}}`."""
    if not isinstance(value, Mapping) or len(value) != 1:
        return
    [(name, options)] = value.items()
    if name not in fields:
        return
    options = options if isinstance(options, Mapping) else {"query": options}
    place = (*path, "match", name)
    reason = _obstacle(options, READ)
    if reason is not None:
        found.leave(place, reason)
        return
    wording = Wording(name, options["query"], options.get("analyzer"))
    found.clauses.append(
        Clause(path, "match", (Weighted(wording),), _boost(options), options.get("_name"))
    )


def _multi_match(value: Any, path: Path, fields: Sequence[str], found: Findings) -> None:
    if not isinstance(value, Mapping):
        return
    listed = value.get("fields")
    listed = [listed] if isinstance(listed, str) else listed
    if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
        return
    names = [each.partition("^")[0] for each in listed]
    if not any(name in fields or "*" in name for name in names):
        return
    place = (*path, "multi_match")
    form = value.get("type", "best_fields")
    if form not in ("best_fields", "most_fields"):
        found.leave(place, f"a multi_match of type {form} is no sum over terms and fields")
        return
    reason = _obstacle(value, READ | {"fields", "type", "tie_breaker"})
    others = [name for name in names if name not in fields]
    if reason is None and others:
        reason = f"{', '.join(others)} {'is' if len(others) == 1 else 'are'} not among the fields"
    if reason is None and len(set(names)) < len(names):
        reason = "it names a field twice"
    if reason is not None:
        found.leave(place, reason)
        return
    try:
        parts = tuple(
            Weighted(
                Wording(name, value["query"], value.get("analyzer")),
                float(each.partition("^")[2] or 1.0),
            )
            for name, each in zip(names, listed, strict=True)
        )
    except ValueError:
        found.leave(place, "a field's boost is no number")
        return
    tie = value.get("tie_breaker")
    default = 0.0 if form == "best_fields" else 1.0
    found.clauses.append(
        Clause(
            path,
            form,
            parts,
            _boost(value),
            value.get("_name"),
            default if tie is None else float(tie),
        )
    )


def _obstacle(options: Mapping[str, Any], read: set[str]) -> str | None:
    """Why a match with these options is no weighted sum over its terms."""
    if not isinstance(options.get("query"), str):
        return "what it looks for is no text"
    if str(options.get("operator", "or")).lower() != "or":
        return "every word must match (operator and)"
    if options.get("fuzziness") not in (None, 0, "0"):
        return "fuzziness brings in other terms"
    if options.get("minimum_should_match") is not None:
        return "it asks for several words at once (minimum_should_match)"
    unknown = [
        name
        for name in options
        if name not in read
        and name not in HARMLESS
        and name not in ("fuzziness", "minimum_should_match")
    ]
    if unknown:
        return f"of its option {unknown[0]}"
    boost = options.get("boost", 1.0)
    if isinstance(boost, bool) or not isinstance(boost, int | float) or boost < 0:
        return "its boost is no number of at least 0"
    return None


def _boost(options: Mapping[str, Any]) -> float:
    return float(options.get("boost", 1.0))


def _each(value: Any, path: Path) -> Iterator[tuple[Any, Path]]:
    """A query or a list of them, as the servers take either."""
    if isinstance(value, list):
        for number, each in enumerate(value):
            yield each, (*path, number)
    elif value is not None:
        yield value, path


def _mentions(value: Any, fields: Sequence[str]) -> bool:
    if isinstance(value, Mapping):
        return any(key in fields or _mentions(each, fields) for key, each in value.items())
    if isinstance(value, list):
        return any(_mentions(each, fields) for each in value)
    return isinstance(value, str) and value.partition("^")[0] in fields


def _shown(path: Path) -> str:
    return "".join(
        f"[{part}]" if isinstance(part, int) else (f".{part}" if number else str(part))
        for number, part in enumerate(path)
    )
