"""What can be counted in a corpus without queries or judgements (paper, predictor features)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable

import numpy as np
from numpy.typing import ArrayLike

from qidf.errors import InvalidArgumentError
from qidf.records import dataclass
from qidf.statistics.zipf import zipf_alpha


@dataclass(frozen=True, slots=True)
class CorpusStats:
    """Counts of one corpus under one analyzer; the first four suffice to make one by hand.

    `htok` is the share of tokens whose type occurs exactly once in the whole corpus. A field is
    None when it is unknown; `htok_ci95` is None when htok is exact.
    """

    num_docs: int
    num_tokens: int
    vocab_size: int
    htok: float
    type_token_ratio: float | None = None
    median_df: float | None = None
    share_df_le_5: float | None = None
    zipf_alpha: float | None = None
    htok_ci95: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        for name in ("num_docs", "num_tokens", "vocab_size"):
            count = getattr(self, name)
            if not count >= 0:
                raise InvalidArgumentError(f"{name} counts something, so it can't be {count}.")
        if self.vocab_size > self.num_tokens:
            raise InvalidArgumentError(
                f"vocab_size = {self.vocab_size} exceeds num_tokens = {self.num_tokens},"
                " but every term occurs at least once."
            )
        _check_share("htok", self.htok)
        if self.type_token_ratio is None:
            ratio = self.vocab_size / self.num_tokens if self.num_tokens else 0.0
            object.__setattr__(self, "type_token_ratio", ratio)
        if self.htok_ci95 is not None:
            low, high = self.htok_ci95
            _check_share("The lower end of htok_ci95", low)
            _check_share("The upper end of htok_ci95", high)
            if low > high:
                raise InvalidArgumentError(f"htok_ci95 = {self.htok_ci95} ends before it begins.")
            object.__setattr__(self, "htok_ci95", (low, high))

    @classmethod
    def from_tokens(
        cls, documents: Iterable[Iterable[Hashable]], *, zipf: bool = False
    ) -> CorpusStats:
        """Count documents that are already lists of tokens (strings or ids), in one pass."""
        doc_freqs: Counter[Hashable] = Counter()
        collection_freqs: Counter[Hashable] = Counter()
        num_docs = 0
        for document in documents:
            if isinstance(document, str):
                raise InvalidArgumentError(
                    "CorpusStats.from_tokens got a text where it needs a list of tokens;"
                    " run the texts through an analyzer first."
                )
            tokens = list(document)
            num_docs += 1
            collection_freqs.update(tokens)
            doc_freqs.update(set(tokens))
        return cls.from_frequencies(
            num_docs,
            np.fromiter((doc_freqs[term] for term in collection_freqs), dtype=np.int64),
            np.fromiter(collection_freqs.values(), dtype=np.int64),
            zipf=zipf,
        )

    @classmethod
    def from_frequencies(
        cls,
        num_docs: int,
        doc_freqs: ArrayLike,
        collection_freqs: ArrayLike,
        *,
        zipf: bool = False,
    ) -> CorpusStats:
        """Make the record from each term's document and collection frequency, in the same order.

        Terms that occur nowhere are not part of the vocabulary. `zipf` asks for the exponent too,
        which takes the `powerlaw` package and seconds rather than milliseconds.
        """
        df = np.asarray(doc_freqs, dtype=np.int64)
        cf = np.asarray(collection_freqs, dtype=np.int64)
        if df.ndim != 1 or df.shape != cf.shape:
            raise InvalidArgumentError(
                f"doc_freqs and collection_freqs must be two lists of one length,"
                f" but their shapes are {df.shape} and {cf.shape}."
            )
        if df.size and (int(df.min()) < 0 or int(df.max()) > num_docs):
            raise InvalidArgumentError(
                f"A doc_freq lies outside 0 to num_docs = {num_docs}; check what was counted."
            )
        if bool(np.any(df > cf)) or bool(np.any((df == 0) & (cf > 0))):
            raise InvalidArgumentError(
                "A term's collection frequency is at least its doc_freq, and zero only with it;"
                " check that both lists have the same order."
            )
        occurs = df > 0
        df, cf = df[occurs], cf[occurs]
        num_tokens = int(cf.sum())
        return cls(
            num_docs=int(num_docs),
            num_tokens=num_tokens,
            vocab_size=int(df.size),
            htok=int(np.count_nonzero(cf == 1)) / num_tokens if num_tokens else 0.0,
            median_df=float(np.median(df)) if df.size else None,
            share_df_le_5=float(np.mean(df <= 5)) if df.size else None,
            zipf_alpha=zipf_alpha(cf) if zipf else None,
        )


def _check_share(name: str, value: float) -> None:
    if not (math.isfinite(value) and 0.0 <= value <= 1.0):
        raise InvalidArgumentError(f"{name} is a share between 0 and 1, so it can't be {value}.")
