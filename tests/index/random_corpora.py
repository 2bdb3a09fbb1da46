"""Random corpora and queries: few documents that have everything that can go wrong in many."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import reference
from hypothesis import strategies as st

# "always" and "often" are in more than half of the documents of most corpora, so that their
# weights by the paper's formula are negative away from q = 1; the rest thins out as words of a
# language do.
WORDS = ["always", "often", *(f"w{number}" for number in range(40))]
_ZIPF = [word for rank, word in enumerate(WORDS[2:], 1) for _ in range(max(1, round(24 / rank)))]

words = st.sampled_from(_ZIPF)


@st.composite
def documents(draw: st.DrawFn) -> list[str]:
    """A token list: empty, short, or past the 255 tokens up to which lengths are told apart."""
    shape = draw(st.sampled_from(["short"] * 10 + ["empty", "long"]))
    if shape == "empty":
        return []
    tokens = draw(st.lists(words, min_size=1, max_size=9))
    if draw(st.integers(0, 9)):
        tokens.append("always")
    if draw(st.integers(0, 4)):
        tokens.append("often")
    if shape == "long":
        tokens = (tokens * 600)[: draw(st.integers(250, 600))]
    return tokens


token_lists = st.lists(documents(), max_size=25)
queries = st.lists(
    st.one_of(words, st.sampled_from(["always", "often", "unheard"])), max_size=12
).flatmap(lambda tokens: st.sampled_from([tokens, tokens + tokens[:3], tokens * 2]))
# Values at which the formula, its sign or its rounding changes, and any others.
qs = st.one_of(
    st.sampled_from([-1.0, -0.3, 0.01, 0.1, 0.5, 0.9, 1.0, 1.1, 2.0, 5.0]),
    st.floats(-1.5, 5.0, allow_nan=False),
)
FAMILIES = {"qlog1p": reference.weight_at, "qlog": reference.paper_weight_at}
families = st.sampled_from(list(FAMILIES))
k3s = st.one_of(st.sampled_from([None, None, 0.0, 1.0, 8.0]), st.floats(0, 20))
k1s = st.one_of(st.sampled_from([0.0, 0.9, 1.2, 1.5, 3.0]), st.floats(0, 3))
bs = st.one_of(st.sampled_from([0.0, 0.4, 0.75, 1.0]), st.floats(0, 1))


@dataclass(frozen=True)
class ZipfCorpus:
    """Texts of `w<number>` tokens whose frequencies fall off as 1/rank, and queries like them."""

    documents: list[list[str]]
    queries: list[list[str]]

    @classmethod
    def from_seed(
        cls, seed: int, num_docs: int, num_queries: int, vocabulary: int = 20_000
    ) -> ZipfCorpus:
        random = np.random.default_rng(seed)
        odds = 1 / np.arange(1, vocabulary + 1) ** 1.05
        odds /= odds.sum()
        lengths = random.geometric(1 / 12, num_docs)
        lengths[random.integers(0, num_docs, num_docs // 200)] = random.integers(256, 2000)
        lengths[random.integers(0, num_docs, num_docs // 50)] = 0
        numbers = random.choice(vocabulary, lengths.sum(), p=odds)
        documents = [
            [f"w{number}" for number in part.tolist()]
            for part in np.split(numbers, np.cumsum(lengths)[:-1])
        ]
        queries = []
        for size in random.geometric(1 / 10, num_queries).tolist():
            # Half of a query comes from one document, so that there is something to find.
            source = documents[int(random.integers(num_docs))] or ["w0"]
            found = random.choice(source, size // 2 + 1).tolist()
            noise = random.choice(vocabulary, size - size // 2, p=odds).tolist()
            queries.append([*map(str, found), *(f"w{number}" for number in noise)])
        return cls(documents, queries)


def texts(token_lists: list[list[str]]) -> list[str]:
    """What the analyzer `whitespace` reads these tokens from."""
    return [" ".join(tokens) for tokens in token_lists]
