"""Words too common in English prose to tell documents apart."""

from __future__ import annotations

# The 33 words Lucene's English analyzer drops; bm25s drops the same ones by default, and the
# paper's "generic" regime is that default.
ENGLISH: frozenset[str] = frozenset(
    [
        *("a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into"),
        *("is", "it", "no", "not", "of", "on", "or", "such", "that", "the", "their", "then"),
        *("there", "these", "they", "this", "to", "was", "will", "with"),
    ]
)
