"""LangChain: a retriever, and a vectorizer for its own BM25Retriever."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qidf.errors import MissingExtraError
from qidf.integrations.passages import Passage, Passages, RepositoryPassages, TextPassages
from qidf.integrations.token_index import TokenIndex
from qidf.weighting import wanted

try:
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
except ImportError as error:
    raise MissingExtraError("langchain-core", "langchain") from error

if TYPE_CHECKING:
    from qidf.repository import Repository

__all__ = ["QidfRetriever", "TokenIndex"]

# What LangChain's own retrievers return unless told otherwise.
DEFAULT_K = 4


class QidfRetriever(BaseRetriever):
    """A LangChain retriever over texts, documents or a repository's code.

    `weighting` is a name or a `qidf.Weighting`, and `q` sets one part of it, as for `Index.search`.
    Each document's metadata gets its `score`; a document it was made from is never changed.
    """

    passages: Any
    k: int = DEFAULT_K
    q: float | str | None = None
    weighting: Any = "auto"

    @classmethod
    def from_texts(
        cls,
        texts: Iterable[str],
        metadatas: Iterable[Mapping[str, Any]] | None = None,
        ids: Iterable[str] | None = None,
        *,
        analyzer: str = "generic",
        **options: Any,
    ) -> QidfRetriever:
        """Index texts in memory; `options` are the retriever's k, q and weighting."""
        return cls(passages=TextPassages(texts, metadatas, ids, analyzer=analyzer), **options)

    @classmethod
    def from_documents(
        cls, documents: Iterable[Document], *, analyzer: str = "generic", **options: Any
    ) -> QidfRetriever:
        """Index LangChain's documents in memory."""
        known = list(documents)
        passages = TextPassages(
            [document.page_content for document in known],
            [document.metadata for document in known],
            [document.id for document in known],
            analyzer=analyzer,
        )
        return cls(passages=passages, **options)

    @classmethod
    def from_repository(cls, repository: Repository | str | Path, **options: Any) -> QidfRetriever:
        """Search the code of a repository, always as it is on disk now."""
        return cls(passages=RepositoryPassages(repository), **options)

    def add_documents(self, documents: Iterable[Document]) -> None:
        """Add documents to those indexed in memory."""
        known = list(documents)
        self.passages.add(
            [document.page_content for document in known],
            [document.metadata for document in known],
            [document.id for document in known],
        )

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        passages: Passages = self.passages
        chosen = wanted(self.weighting, q=self.q)
        return [_document(passage) for passage in passages.search(query, self.k, chosen)]


def _document(passage: Passage) -> Document:
    metadata = {**passage.metadata, "score": passage.score}
    return Document(page_content=passage.text, metadata=metadata, id=passage.id)
