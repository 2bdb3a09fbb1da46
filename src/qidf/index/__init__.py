"""Which k documents score highest? Immutable segments, a manifest naming them, a search over them.

What belongs here: storing postings and documents, changing them atomically, ranking them exactly.
A new kind of file goes through `container.py`, a new step of a commit through `directory.py`.
"""

from qidf.index.documents import Document
from qidf.index.explain import Explanation, TermExplanation
from qidf.index.groups import Groups
from qidf.index.index import Index
from qidf.index.queries import PreparedQueries
from qidf.index.results import Hit, Ranking
from qidf.index.scoring import DEFAULT_B, DEFAULT_K1, Scoring, ScoringOptions
from qidf.index.tokens import TokenScores, group_scores, summed

__all__ = [
    "DEFAULT_B",
    "DEFAULT_K1",
    "Document",
    "Explanation",
    "Groups",
    "Hit",
    "Index",
    "PreparedQueries",
    "Ranking",
    "Scoring",
    "ScoringOptions",
    "TermExplanation",
    "TokenScores",
    "group_scores",
    "summed",
]
