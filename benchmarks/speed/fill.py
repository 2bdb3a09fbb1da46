"""Synthetic documents that enlarge a corpus without changing what kind of corpus it is."""

from __future__ import annotations

from collections import Counter

import numpy as np

from qidf.analysis import parse_analyzer

SEED = 7


def enlarge(texts: list[str], num_docs: int, analyzer: str = "generic") -> list[str]:
    """Fewer texts, evenly spread over all; or all of them followed by synthetic ones.

    A synthetic document is the first half of one document's tokens and the second half of
    another's, so that words keep their company. A token found only once in the corpus would no
    longer be once it is copied: a fresh identifier takes its place, so the fill has the corpus's
    share of hapaxes. No synthetic document has the tokens of another document. Every other word
    becomes more frequent as the corpus grows and none is new, so rare words get more postings than
    in a real corpus of that size.
    """
    if num_docs <= len(texts):
        return [texts[place * len(texts) // num_docs] for place in range(num_docs)]
    return texts + _fill(texts, num_docs - len(texts), analyzer)


def _fill(texts: list[str], count: int, analyzer: str) -> list[str]:
    chosen = parse_analyzer(analyzer)
    documents = [list(chosen.tokens(text)) for text in texts]
    frequencies = Counter(token for document in documents for token in document)
    once = {token for token, frequency in frequencies.items() if frequency == 1}
    seen = {hash(tuple(document)) for document in documents}
    rng = np.random.default_rng(SEED)
    filled: list[str] = []
    while len(filled) < count:
        pairs = rng.integers(len(documents), size=(count - len(filled), 2)).tolist()
        for left, right in pairs:
            head, tail = documents[left], documents[right]
            words = head[: (len(head) + 1) // 2] + tail[len(tail) - len(tail) // 2 :]
            fresh = f"{len(filled)}x{len(words)}"
            words = [
                f"fresh{fresh}at{place}" if word in once else word
                for place, word in enumerate(words)
            ]
            key = hash(tuple(words))
            if key not in seen:
                seen.add(key)
                filled.append(" ".join(words))
    return filled
