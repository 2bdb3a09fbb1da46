"""Datasets for evaluations: made by hand, or drawn at random with everything that can go wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

from qidf.datasets import Dataset, Texts

# The first are in most documents, so that their weights are negative away from q = 1; the rest
# thins out as words of a language do, and equal documents tie.
WORDS = ["always", "often", *(f"w{number}" for number in range(20))]
_ZIPF = [word for rank, word in enumerate(WORDS[2:], 1) for _ in range(max(1, 12 // rank))]


def dataset(
    documents: Mapping[str, str],
    queries: Mapping[str, str],
    judgements: Mapping[str, Mapping[str, int]],
    notes: tuple[str, ...] = (),
) -> Dataset:
    return Dataset(
        "small",
        "a test",
        Texts(list(documents), list(documents.values())),
        Texts(list(queries), list(queries.values())),
        judgements,
        notes,
    )


@st.composite
def datasets(draw: st.DrawFn, *, grades: Sequence[int] = (0, 1, 2, 3)) -> Dataset:
    """Few documents and queries; some queries share a document's id, some judge the unknown."""
    words = st.lists(st.sampled_from(_ZIPF), max_size=8)
    texts = draw(st.lists(words, min_size=1, max_size=20))
    documents = {}
    # Ids whose order is neither that of the documents nor that of numbers.
    for number, tokens in enumerate(texts):
        common = draw(st.sampled_from([["always", "often"], ["always"], ["always"], []]))
        documents[f"d{number * 7 % 23}"] = " ".join([*tokens, *common])
    queries, judgements = {}, {}
    for number in range(draw(st.integers(1, 6))):
        tokens = draw(st.lists(st.sampled_from([*_ZIPF, "always", "often", "unheard"]), max_size=9))
        name = draw(st.sampled_from([f"q{number}", f"d{number}"]))
        queries[name] = " ".join(tokens)
        judgements[name] = draw(
            st.dictionaries(
                st.sampled_from([*documents, "unknown"]),
                st.sampled_from(grades),
                min_size=1,
                max_size=6,
            )
        )
    return dataset(documents, queries, judgements)
