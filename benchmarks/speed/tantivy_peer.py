"""tantivy through tantivy-py: one writer thread, q-log by per-term boosts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

FIELD = "text"
# tantivy's own, not to be set: see its query/bm25.
K1, B = 1.2, 0.75
# tantivy-py's default. A gigabyte was no faster on 182K documents: they fit one segment anyway.
HEAP_BYTES = 128_000_000


def default_build(texts: list[str]) -> Any:
    """Index with tantivy's default tokenizer, in memory, committed and ready to search.

    That tokenizer splits at underscores, drops tokens past 40 bytes and keeps stop words and single
    letters. Frequencies without positions are what BM25 needs, and its fastest.
    """
    import tantivy

    return _build(tantivy, texts, "default", None)


def generic_build(texts: list[str]) -> Any:
    """Index with the tokens that qidf and bm25s see, so that searches can be compared."""
    import tantivy
    from bm25s.stopwords import STOPWORDS_EN

    analyzer = (
        tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.regex(r"\w\w+"))
        .filter(tantivy.Filter.lowercase())
        .filter(tantivy.Filter.custom_stopword(list(STOPWORDS_EN)))
        .build()
    )
    return _build(tantivy, texts, "generic", analyzer)


def _build(tantivy: Any, texts: list[str], tokenizer: str, analyzer: Any) -> Any:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field(FIELD, stored=False, tokenizer_name=tokenizer, index_option="freq")
    index = tantivy.Index(builder.build())
    if analyzer is not None:
        index.register_tokenizer(tokenizer, analyzer)
    writer = index.writer(HEAP_BYTES, 1)
    # Of Document(text=...), add_text, from_dict and add_json, the first was the fastest.
    for text in texts:
        writer.add_document(tantivy.Document(text=text))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return index


class BoostedQueries:
    """Queries whose terms are boosted by idf_q / idf_tantivy; weights are kept per term."""

    def __init__(self, index: Any, weight: Callable[[int], float]) -> None:
        """Take the q-log weight as a function of doc_freq."""
        self._schema = index.schema
        self._searcher = index.searcher()
        self._weight = weight
        self._boosts: dict[str, float] = {}

    def boost(self, token: str) -> float:
        """The boost of one occurrence of a token; 0 when no document has it."""
        if token not in self._boosts:
            doc_freq = self._searcher.doc_freq(FIELD, token)
            num_docs = self._searcher.num_docs
            own = math.log(1 + (num_docs - doc_freq + 0.5) / (doc_freq + 0.5))
            # A negative weight breaks tantivy's pruning and is left out; documents then score
            # higher than they should, which the check on results would show.
            self._boosts[token] = max(self._weight(doc_freq), 0.0) / own if doc_freq else 0.0
        return self._boosts[token]

    def make(self, tokens: Sequence[str]) -> Any:
        """One query: a disjunction of boosted terms, repeated ones once with their count."""
        import tantivy

        return tantivy.Query.boolean_query(
            [
                (
                    tantivy.Occur.Should,
                    tantivy.Query.boost_query(
                        tantivy.Query.term_query(self._schema, FIELD, token, "freq"),
                        self.boost(token) * count,
                    ),
                )
                for token, count in Counter(tokens).items()
                if self.boost(token) > 0
            ]
        )

    def search(self, query: Any, k: int, count: bool = False) -> list[tuple[float, Any]]:
        """Top k; tantivy-py also counts all matches unless told not to."""
        hits: list[tuple[float, Any]] = self._searcher.search(query, limit=k, count=count).hits
        return hits

    def scores(self, query: Any, k: int) -> np.ndarray:
        """The k highest scores, padded with 0."""
        found = np.zeros(k)
        hits = self.search(query, k)
        found[: len(hits)] = [score for score, _ in hits]
        return found
