"""LlamaIndex itself runs the retriever, and its own BM25 judges ours at q = 1."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from small_texts import QUERY, TEXTS

import qidf
from qidf.errors import InputError

pytest.importorskip("llama_index.core", reason="pip install llama-index-core")

from llama_index.core.schema import MetadataMode, TextNode

from qidf.integrations.llama_index import ExistingBM25, QidfRetriever


@pytest.fixture
def nodes() -> list[TextNode]:
    return [
        TextNode(id_=f"node{n}", text=text, metadata={"even": "yes" if n % 2 == 0 else "no"})
        for n, text in enumerate(TEXTS)
    ]


def test_nodes_come_back_in_the_index_s_order(nodes: list[TextNode]) -> None:
    retriever = QidfRetriever(nodes, similarity_top_k=3, q=0.5)
    found = retriever.retrieve(QUERY)
    texts = [node.get_content(metadata_mode=MetadataMode.EMBED) for node in nodes]
    expected = qidf.Index.build(texts).search(QUERY, 3, 0.5)
    assert [(each.node.node_id, each.score) for each in found] == [
        (f"node{hit.id}", hit.score) for hit in expected
    ]
    again = asyncio.run(retriever.aretrieve(QUERY))
    assert [each.node.node_id for each in again] == [each.node.node_id for each in found]


def test_any_weighting_can_be_handed_over(nodes: list[TextNode]) -> None:
    weighting, twice = qidf.Weighting("qlog1p", 0.4, 1.0, True), f"{QUERY} auth auth"
    found = QidfRetriever(nodes, similarity_top_k=3, weighting=weighting).retrieve(twice)
    texts = [node.get_content(metadata_mode=MetadataMode.EMBED) for node in nodes]
    expected = qidf.Index.build(texts).search(twice, 3, weighting=weighting)
    assert [each.score for each in found] == [hit.score for hit in expected]


def test_nodes_can_be_added_and_one_source_must_be_given(nodes: list[TextNode]) -> None:
    retriever = QidfRetriever([])
    assert retriever.retrieve(QUERY) == []
    retriever.add_nodes(nodes)
    assert retriever.retrieve(QUERY)[0].node.node_id == "node0"
    with pytest.raises(InputError, match="nodes or a repository"):
        QidfRetriever()


def test_a_repository_s_code_is_retrieved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    source = tmp_path / "repository"
    source.mkdir()
    (source / "a.py").write_text("def alpha_beta():\n    return 1\n", encoding="utf-8")
    (found,) = QidfRetriever(repository=source).retrieve("alpha_beta")
    assert found.node.metadata["path"] == "a.py"


@pytest.mark.parametrize("stemming", [True, False], ids=["stemmed", "whole"])
def test_at_q_1_its_own_retriever_finds_the_same_with_our_index_as_with_its_own(
    nodes: list[TextNode], stemming: bool
) -> None:
    bm25 = pytest.importorskip(
        "llama_index.retrievers.bm25", reason="pip install llama-index-retrievers-bm25"
    )
    options = {"similarity_top_k": 4, "skip_stemming": not stemming}
    own = bm25.BM25Retriever(nodes=nodes, **options)
    existing = ExistingBM25.from_nodes(nodes, q=1, skip_stemming=not stemming)
    ours = bm25.BM25Retriever(existing_bm25=existing, **options)
    expected = [(each.node.node_id, each.score) for each in own.retrieve(QUERY) if each.score > 0]
    found = [(each.node.node_id, each.score) for each in ours.retrieve(QUERY)]
    assert found == expected


def test_its_own_retriever_filters_and_persists_with_our_index(
    nodes: list[TextNode], tmp_path: Path
) -> None:
    bm25 = pytest.importorskip(
        "llama_index.retrievers.bm25", reason="pip install llama-index-retrievers-bm25"
    )
    from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters

    existing = ExistingBM25.from_nodes(nodes, q=0.5)
    only = MetadataFilters(filters=[MetadataFilter(key="even", value="yes")])
    ours = bm25.BM25Retriever(existing_bm25=existing, filters=only, similarity_top_k=5)
    found = ours.retrieve(QUERY)
    assert found
    assert {each.node.metadata["even"] for each in found} == {"yes"}
    ours.persist(str(tmp_path / "kept"))
    loaded = ExistingBM25.load(tmp_path / "kept", q=0.5)
    again = bm25.BM25Retriever(existing_bm25=loaded, similarity_top_k=5).retrieve(QUERY)
    assert again[0].node.text == TEXTS[0]


def test_several_queries_get_rows_of_one_length_as_bm25s_s_do(nodes: list[TextNode]) -> None:
    pytest.importorskip("bm25s", reason="the extra bm25s brings it")
    existing = ExistingBM25.from_nodes(nodes, q=1, skip_stemming=True)
    documents, scores = existing.retrieve([["auth"], ["route"]], k=4)
    assert documents.shape == scores.shape == (2, 4)
    assert scores[1].tolist()[1:] == [0, 0, 0]
    assert len({document["node_id"] for document in documents[1]}) == 4
    assert existing.scores["num_docs"] == len(TEXTS)
