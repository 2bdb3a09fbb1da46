"""What a query's tokens weigh, and the one place that decides it.

`Weighting` is the record, `decide` the function every surface asks, `kind_of` the look at a query,
`weigh` the arithmetic for many queries at once. To change what `auto` does, change `decision.py`;
to add another part to a weighting, give `Weighting` a field and `weigh` its factor.
"""

from qidf.weighting.advice import (
    ACTIONS,
    APPLY_QLOG,
    CHANGE_ANALYZER,
    KEEP_BM25,
    SATURATE_REPEATS,
    Advice,
    advise,
)
from qidf.weighting.decision import CODE_K3, MIN_DOCS, MIN_TOKENS, Decision, decide
from qidf.weighting.evidence import LEARNT, looks_of_terms
from qidf.weighting.kinds import KINDS, Kind, checked_kind, kind_of
from qidf.weighting.queries import QueryTokens, WeightedQueries, said_tokens, weigh
from qidf.weighting.weighting import (
    AUTO,
    BM25,
    FAMILIES,
    NAMES,
    PAPER,
    Parts,
    Weighting,
    parse_weighting,
    wanted,
)

__all__ = [
    "ACTIONS",
    "APPLY_QLOG",
    "AUTO",
    "BM25",
    "CHANGE_ANALYZER",
    "CODE_K3",
    "FAMILIES",
    "KEEP_BM25",
    "KINDS",
    "LEARNT",
    "MIN_DOCS",
    "MIN_TOKENS",
    "NAMES",
    "PAPER",
    "SATURATE_REPEATS",
    "Advice",
    "Decision",
    "Kind",
    "Parts",
    "QueryTokens",
    "WeightedQueries",
    "Weighting",
    "advise",
    "checked_kind",
    "decide",
    "kind_of",
    "looks_of_terms",
    "parse_weighting",
    "said_tokens",
    "wanted",
    "weigh",
]
