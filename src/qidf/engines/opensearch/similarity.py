"""q-log as an index setting: a scripted similarity, for those who may change the index.

No query needs boosts then, and every query of every client is scored with it. The price is that
the index must be closed for a moment, and that the engine runs a script where BM25 is built in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from qidf.engines.opensearch.exchange import Exchange, Request
from qidf.engines.opensearch.schema import DEFAULT_B, DEFAULT_K1, at
from qidf.errors import EngineError, EngineRejectedError, InvalidArgumentError, UnsupportedError
from qidf.weighting import Weighting

# Says whose script it is, so that nobody else's is ever replaced or taken away.
MARK = "/* qidf */"


@dataclass(frozen=True, slots=True)
class ScriptedSimilarity:
    """BM25 with another idf in the server's script language; q, k1 and b are written into it.

    Scores are those of the boost route: idf clamped at zero, no (k1 + 1). The server demands that
    a score never falls with the frequency nor rises with the length, which holds for any idf of at
    least zero. A script sees no query, so that repeats count in full.
    """

    weighting: Weighting
    k1: float = DEFAULT_K1
    b: float = DEFAULT_B

    def __post_init__(self) -> None:
        if not isinstance(self.weighting.q, float):
            raise UnsupportedError(
                f"{self.weighting!r} has no script; take qlog1p or qlog with a q."
            )
        if not self.k1 >= 0:
            raise InvalidArgumentError(f"k1 is a number of at least 0, not {self.k1}.")
        if not 0 <= self.b <= 1:
            raise InvalidArgumentError(f"b is a number from 0 to 1, not {self.b}.")

    @property
    def q(self) -> float:
        """The q that is written into it."""
        return float(self.weighting.q or 1.0)

    @property
    def weight_script(self) -> str:
        """What depends on the term alone: boost times idf, computed once for each query."""
        odds = "(field.docCount - term.docFreq + 0.5) / (term.docFreq + 0.5)"
        if self.q == 1.0:
            return f"{MARK} return query.boost * Math.log(1.0 + {odds});"
        if self.weighting.formula == "qlog1p":
            odds = f"1.0 + {odds}"
        exponent = _number(1.0 - self.q)
        # expm1 rather than pow(...) - 1: no digits are lost where q is near 1.
        return (
            f"{MARK} double odds = {odds};"
            f" return query.boost * Math.max(0.0, Math.expm1({exponent} * Math.log(odds))"
            f" / {exponent});"
        )

    @property
    def script(self) -> str:
        """What depends on the document: the weight times BM25's saturation."""
        k1, b, rest = _number(self.k1), _number(self.b), _number(1.0 - self.b)
        return (
            "double average = (double) field.sumTotalTermFreq / field.docCount;"
            " return weight * doc.freq"
            f" / (doc.freq + {k1} * ({rest} + {b} * doc.length / average));"
        )

    def settings(self) -> dict[str, Any]:
        """The index settings that make it every field's similarity unless a mapping names one."""
        return {
            "index": {
                "similarity": {
                    "default": {
                        "type": "scripted",
                        "weight_script": {"source": self.weight_script},
                        "script": {"source": self.script},
                    }
                }
            }
        }


# Nulls take single settings back to their defaults; the whole group can't be named at once.
_REVERTED = {
    "index.similarity.default.type": None,
    "index.similarity.default.weight_script.source": None,
    "index.similarity.default.script.source": None,
}


def read_applied(index: str) -> Exchange[dict[str, Mapping[str, Any]]]:
    """The default similarity of every index behind a name, empty where none is set."""
    answer = yield Request(
        "GET", at(index, "_settings"), {"flat_settings": "true", "expand_wildcards": "all"}
    )
    prefix = "index.similarity.default."
    return {
        name: {
            key.removeprefix(prefix): value
            for key, value in entry["settings"].items()
            if key.startswith(prefix)
        }
        for name, entry in answer.items()
    }


def is_ours(similarity: Mapping[str, Any]) -> bool:
    """Whether a default similarity was made here."""
    return MARK in str(similarity.get("weight_script.source", ""))


def apply_similarity(index: str, similarity: ScriptedSimilarity) -> Exchange[None]:
    """Close the index, set the similarity, open it again, whatever happens in between."""
    applied = yield from read_applied(index)
    for name, found in applied.items():
        if found and not is_ours(found) and found != {"type": "BM25"}:
            raise UnsupportedError(
                f"{name!r} has a default similarity of its own"
                f" ({', '.join(f'{key}: {value}' for key, value in sorted(found.items()))}), which"
                " would be lost; take it out first."
            )
    yield from _change(index, similarity.settings())


def revert_similarity(index: str) -> Exchange[None]:
    """Give the index the server's own BM25 back."""
    applied = yield from read_applied(index)
    if not applied or not all(is_ours(found) for found in applied.values()):
        raise EngineRejectedError(
            f"{index!r} isn't scored with a similarity of qidf's, so there is nothing to revert."
        )
    yield from _change(index, _REVERTED)


def _change(index: str, settings: Mapping[str, Any]) -> Exchange[None]:
    yield Request("POST", at(index, "_close"))
    try:
        yield Request("PUT", at(index, "_settings"), body=settings)
    except EngineError:
        # An index must never stay closed because of a setting that the server refused.
        yield Request("POST", at(index, "_open"))
        raise
    yield Request("POST", at(index, "_open"), {"wait_for_active_shards": "1"})


def steps(index: str, similarity: ScriptedSimilarity) -> list[tuple[str, str, Any]]:
    """The requests that apply it, for people who would rather send them themselves."""
    return [
        ("POST", at(index, "_close"), None),
        ("PUT", at(index, "_settings"), similarity.settings()),
        ("POST", at(index, "_open"), None),
    ]


def _number(value: float) -> str:
    """A double as the script language reads it, to the last bit."""
    return f"({value!r})" if value < 0 else repr(float(value))
