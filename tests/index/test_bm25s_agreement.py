"""Scores are those of bm25s: the same bits at q = 1, the rescaled ones elsewhere."""

from __future__ import annotations

import math

import numpy as np
import pytest
import reference
from random_corpora import ZipfCorpus, texts
from search_paths import POSTINGS, searching

from qidf.index import Index

bm25s = pytest.importorskip("bm25s")


@pytest.fixture(scope="module")
def corpus() -> ZipfCorpus:
    return ZipfCorpus.from_seed(11, num_docs=800, num_queries=60, vocabulary=2_000)


def retriever(corpus: ZipfCorpus, k1: float, b: float) -> object:
    found = bm25s.BM25(method="lucene", k1=k1, b=b)
    found.index(corpus.documents, show_progress=False)
    return found


def index_of(corpus: ZipfCorpus) -> Index:
    return Index.build(texts(corpus.documents), analyzer="whitespace")


@pytest.mark.parametrize(("k1", "b"), [(1.5, 0.75), (1.2, 0.75), (0.9, 0.4), (2.0, 1.0), (0.5, 0)])
def test_every_score_at_q_1_has_the_bits_of_bm25s(corpus: ZipfCorpus, k1: float, b: float) -> None:
    peer, index = retriever(corpus, k1, b), index_of(corpus)
    known = set(peer.vocab_dict)
    compared = 0
    for query in [*corpus.queries, *(query * 3 for query in corpus.queries[:10])]:
        tokens = [token for token in query if token in known]
        theirs = peer.get_scores(tokens)
        ours = index.scores(query, q=1, k1=k1, b=b)
        assert ours.dtype == theirs.dtype == np.float32
        assert ours.tobytes() == theirs.tobytes()
        compared += int((ours > 0).sum())
    assert compared > 1_000


def test_the_text_of_a_document_is_tokenized_and_scored_as_bm25s_does_by_default() -> None:
    documents = [
        "The quick brown fox jumps over the lazy dog.",
        "A dog's life: the dog, the dog and the fox!",
        "Naïve café visitors re-read the QUICK start guide",
        "def quick_sort(items): return sorted(items)",
        "It is what it is.",
        "fox fox fox",
    ]
    peer = bm25s.BM25()
    peer.index(bm25s.tokenize(documents, show_progress=False), show_progress=False)
    index = Index.build(documents)
    for query in ["the quick fox", "fox fox dog", "Café", "quick_sort items", "dog life quick"]:
        tokens = bm25s.tokenize([query], return_ids=False, show_progress=False)[0]
        known = [token for token in tokens if token in peer.vocab_dict]
        theirs = peer.get_scores(known) if known else np.zeros(len(documents), np.float32)
        assert index.scores(query, q=1).tobytes() == theirs.tobytes()
        best, scores = peer.retrieve(
            [tokens], k=len(documents), show_progress=False, backend_selection="numpy"
        )
        with searching(POSTINGS):
            hits = index.search(query, k=len(documents), q=1)
        expected = [float(score) for score in scores[0] if score > 0]
        assert [hit.score for hit in hits] == expected
        assert {hit.id for hit in hits} == {int(doc) for doc in best[0][: len(expected)]}


@pytest.mark.parametrize("q", [-0.3, 0.1, 0.5, 0.9, 1.1, 2.0])
def test_scores_at_another_q_are_the_rescaled_ones_of_bm25s(corpus: ZipfCorpus, q: float) -> None:
    """A term's scores in bm25s hold its Lucene idf as a factor: swap it for the q-log one."""
    peer, index = retriever(corpus, 1.5, 0.75), index_of(corpus)
    matrix = peer.scores
    vocabulary = peer.vocab_dict
    num_docs = len(corpus.documents)
    for query in corpus.queries:
        rescaled = np.zeros(num_docs)
        for token in query:
            if token not in vocabulary:
                continue
            start, stop = matrix["indptr"][vocabulary[token] : vocabulary[token] + 2]
            doc_freq = int(stop - start)
            ratio = reference.weight_at(q)(doc_freq, num_docs) / math.log(
                1 + reference.odds(doc_freq, num_docs)
            )
            rescaled[matrix["indices"][start:stop]] += ratio * matrix["data"][start:stop]
        ours = index.scores(query, q)
        np.testing.assert_allclose(ours, rescaled, rtol=1e-6, atol=1e-6 * np.abs(ours).max())
