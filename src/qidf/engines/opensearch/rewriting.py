"""Putting clauses with a weighting's weights: boosted terms under a bool, one for each field."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from qidf.engines.boosts import BoostPlan, lucene_idf, plan_boosts
from qidf.engines.contract import Capabilities, Note, TermStatistics
from qidf.engines.opensearch.clauses import Clause, Path, count_queries, find_clauses
from qidf.engines.opensearch.exchange import Exchange
from qidf.engines.opensearch.lookup import Tokens, Wording
from qidf.engines.opensearch.session import IndexSession
from qidf.errors import UnsupportedError
from qidf.weighting import Weighting


@dataclass(frozen=True, slots=True)
class Edit:
    """A clause of a body and what takes its place."""

    path: Path
    query: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Edits:
    """All changes to one body, with notes on them and on what is left alone."""

    edits: tuple[Edit, ...]
    notes: tuple[Note, ...]


Gathered = Mapping[Wording, tuple[Tokens, TermStatistics]]


def edit_body(
    session: IndexSession,
    body: Any,
    weighting_of: Callable[[str], Weighting],
    capabilities: Capabilities,
    *,
    keep_weightless: bool = True,
) -> Exchange[Edits]:
    """Work out the changes to a body; a warm session needs no request.

    `weighting_of` decides on a clause's text; one that is BM25 stays as it is. `keep_weightless`
    keeps terms whose weight is clamped to zero as clauses without a boost, so that the body matches
    exactly the documents it matched before.
    """
    found = find_clauses(body, session.fields)
    weightings = [weighting_of(clause.parts[0].wording.text) for clause in found.clauses]
    clauses = [
        (clause, weighting)
        for clause, weighting in zip(found.clauses, weightings, strict=True)
        if not weighting.is_bm25
    ]
    wordings = list(dict.fromkeys(part.wording for clause, _ in clauses for part in clause.parts))
    gathered = (yield from session.gather(wordings)) if wordings else {}
    budget = _budget(body, [clause for clause, _ in clauses], gathered, capabilities)
    edits: list[Edit] = []
    notes: list[Note] = list(found.notes)
    for clause, weighting in clauses:
        if any(gathered[part.wording][0].stacked for part in clause.parts):
            found.leave((*clause.path, _kind(clause)), "synonyms share a position and a score")
            notes.append(found.notes[-1])
            continue
        plans = [
            plan_boosts(
                gathered[part.wording][0].tokens,
                gathered[part.wording][1],
                weighting,
                lucene_idf,
                capabilities,
                max_clauses=budget,
            )
            for part in clause.parts
        ]
        query = _put(clause, plans, budget if keep_weightless else None)
        if query is not None:
            edits.append(Edit(clause.path, query))
        for plan in plans:
            notes.extend(note for note in plan.notes if note not in notes)
    return Edits(tuple(edits), tuple(notes))


def apply_edits(body: Mapping[str, Any], edits: Sequence[Edit]) -> dict[str, Any]:
    """Return the body with its clauses replaced; what isn't on the way to one is shared."""
    changed: Any = body
    for edit in edits:
        changed = _replace(changed, edit.path, edit)
    return dict(changed)


def _replace(node: Any, path: Path, edit: Edit) -> Any:
    if not path:
        return replaced(node, edit)
    step, *rest = path
    copy = list(node) if isinstance(node, list) else dict(node)
    copy[step] = _replace(node[step], tuple(rest), edit)  # type: ignore[index]
    return copy


def replaced(node: Mapping[str, Any], edit: Edit) -> dict[str, Any]:
    """The object a clause is in, with its query exchanged and its place among others kept."""
    result: dict[str, Any] = {}
    for kind, value in node.items():
        if kind in ("match", "multi_match"):
            result.update(edit.query)
        else:
            result[kind] = value
    return result


def _budget(
    body: Any, clauses: Sequence[Clause], gathered: Gathered, capabilities: Capabilities
) -> int | None:
    """How many terms each wording may have so that the whole body stays within the limit."""
    limit = capabilities.max_clauses
    if limit is None:
        return None
    wanted = sum(
        len(set(gathered[part.wording][0].tokens)) for clause in clauses for part in clause.parts
    )
    others = count_queries(body)
    if wanted + others <= limit:
        return limit
    number = sum(len(clause.parts) for clause in clauses)
    if limit <= others + number:
        raise UnsupportedError(
            f"the body has about {others:,} clauses of its own, which leaves none of the server's"
            f" {limit:,} to its terms."
        )
    return (limit - others) // number


def _put(clause: Clause, plans: Sequence[BoostPlan], keep: int | None) -> dict[str, Any] | None:
    queries = [
        query
        for part, plan in zip(clause.parts, plans, strict=True)
        if (query := _terms(part.wording.field, plan, part.boost, keep)) is not None
    ]
    if not queries:
        return None
    options: dict[str, Any] = {}
    if clause.boost != 1.0:
        options["boost"] = clause.boost
    if clause.name is not None:
        options["_name"] = clause.name
    if clause.form == "match":
        [query] = queries
        return {"bool": {**query["bool"], **options}}
    return {"dis_max": {"queries": queries, "tie_breaker": clause.tie_breaker, **options}}


def _terms(field: str, plan: BoostPlan, boost: float, keep: int | None) -> dict[str, Any] | None:
    weights = [(each.term, each.weight) for each in plan.boosts]
    if keep is not None:
        room = max(0, keep - len(weights))
        weights += [(each.term, 0.0) for each in plan.clamped[:room]]
    if not weights:
        return None
    should = [{"term": {field: {"value": term, "boost": weight}}} for term, weight in weights]
    query: dict[str, Any] = {"should": should, "minimum_should_match": 1}
    if boost != 1.0:
        query["boost"] = boost
    return {"bool": query}


def _kind(clause: Clause) -> str:
    return "match" if clause.form == "match" else "multi_match"
