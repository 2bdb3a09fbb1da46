"""From every span's score to the best spans that a caller's filters leave."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from qidf.index import Index
from qidf.index.results import checked_k
from qidf.repository.matching import Matcher
from qidf.repository.ranking import SpanScores
from qidf.repository.results import CodeHit
from qidf.repository.state import parse_chunk_id

# Equal scores are put in the order of paths; this many more than asked for are looked at, so that a
# tie at the end of the list is settled the same way however the index came about.
_TIE_MARGIN = 20
# Candidates are asked for eight times as many at once when a filter drops too many.
_FILTER_GROWTH = 8
# Shorter texts are the same by chance.
_WORTH_FOLDING = 80
# Enough for most prompts, and how many times as many are made when they aren't.
_FIRST_HITS, _HITS_GROWTH = 100, 4


def hits_in_order(
    index: Index,
    scored: SpanScores,
    languages: Collection[str] | None,
    matches: Matcher | None,
    holds: Matcher | None = None,
) -> Iterator[CodeHit]:
    """All spans, best first, made as they are asked for; none says what matched."""
    done, k = 0, _FIRST_HITS
    while True:
        hits = best_hits(index, scored, k, languages, matches, holds, matched=False)
        yield from hits[done:]
        if len(hits) < k:
            return
        done, k = k, k * _HITS_GROWTH


def folded(hits: Iterable[CodeHit]) -> list[CodeHit]:
    """Hits with their lines, those with the same text as one: builds of one file, vendored copies.

    What is for something else (a test, a document) stays apart, and so do a few words alone.
    """
    kept: dict[tuple[str, ...], CodeHit] = {}
    for hit in hits:
        same = (hit.role, hit.language, hit.symbol, hit.text)
        key = same if len(hit.text) >= _WORTH_FOLDING else (hit.location,)
        first = kept.get(key)
        if first is None:
            kept[key] = replace(hit, rank=len(kept) + 1)
        else:
            kept[key] = replace(first, copies=(*first.copies, hit.location))
    return list(kept.values())


def best_hits(
    index: Index,
    scored: SpanScores,
    k: int,
    languages: Collection[str] | None,
    matches: Matcher | None,
    holds: Matcher | None = None,
    *,
    matched: bool = True,
) -> list[CodeHit]:
    """The k best spans in these languages whose path matches, without their lines.

    `holds` is asked last, with the id of a span.
    """
    wanted = checked_k(k) + _TIE_MARGIN
    while True:
        ranked = scored.best(wanted)
        positions, repeats = ranked.positions.tolist(), ranked.repeats.tolist()
        found = index.hits(ranked.positions, ranked.scores)
        kept = [
            (-hit.score, *parse_chunk_id(str(hit.id)), position, repeat, hit.metadata)
            for position, repeat, hit in zip(positions, repeats, found, strict=True)
            if (languages is None or str(hit.metadata.get("language")) in languages)
            and (matches is None or matches(parse_chunk_id(str(hit.id))[0]))
            and (holds is None or holds(str(hit.id)))
        ]
        if len(kept) >= k or len(found) < wanted:
            break
        wanted *= _FILTER_GROWTH
    kept.sort(key=lambda each: each[:3])
    return [
        CodeHit(
            where,
            start,
            end,
            str(metadata.get("symbol", "")),
            str(metadata.get("kind", "")),
            str(metadata.get("language", "")),
            -score,
            rank,
            scored.role(position).value,
            scored.matched(position) if matched else {},
            scored.parts(position, repeat),
        )
        for rank, (score, where, start, end, position, repeat, metadata) in enumerate(kept[:k], 1)
    ]
