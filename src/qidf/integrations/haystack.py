"""Haystack: a retriever component over any document store."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from qidf.errors import MissingExtraError
from qidf.index import Index
from qidf.integrations.passages import Q, checked_k
from qidf.weighting import Weighting, wanted

try:
    from haystack import Document, component, default_from_dict, default_to_dict
except ImportError as error:
    raise MissingExtraError("haystack-ai", "haystack") from error

DEFAULT_TOP_K = 10


@component
class QidfRetriever:
    """Ranks what a document store holds; each run takes up what was written or deleted since.

    `weighting` is a name or a `qidf.Weighting`, and `q` sets one part of it, as for `Index.search`.
    Filters are the store's own, so they mean here what they mean everywhere in Haystack.
    """

    def __init__(
        self,
        document_store: Any,
        filters: dict[str, Any] | None = None,
        top_k: int = DEFAULT_TOP_K,
        q: Q | None = None,
        analyzer: str = "generic",
        weighting: str | Weighting = "auto",
    ) -> None:
        """Retrieve from a store; nothing is read before the first run."""
        self.document_store, self.filters = document_store, filters
        self.top_k, self.analyzer = checked_k(top_k), analyzer
        self.weighting = wanted(weighting, q=q)
        self._index = Index.build([], analyzer=analyzer)
        self._known: dict[str, Document] = {}

    def to_dict(self) -> dict[str, Any]:
        """Serialize for a pipeline; the index is made anew from the store."""
        return default_to_dict(
            self,
            document_store=self.document_store,
            filters=self.filters,
            top_k=self.top_k,
            weighting=repr(self.weighting),
            analyzer=self.analyzer,
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> QidfRetriever:
        """Deserialize, the store included."""
        return default_from_dict(cls, data)

    @component.output_types(documents=list[Document])
    def run(
        self,
        query: str,
        filters: dict[str, Any] | None = None,
        top_k: int | None = None,
        q: Q | None = None,
        weighting: str | None = None,
    ) -> dict[str, list[Document]]:
        """The best documents, each with its score; filters given here replace the component's."""
        self.refresh()
        kept = self.filters if filters is None else filters
        allowed = None
        if kept:
            allowed = [found.id for found in self.document_store.filter_documents(filters=kept)]
        k = self.top_k if top_k is None else checked_k(top_k)
        if not self._known or allowed == []:
            return {"documents": []}
        chosen = wanted(self.weighting if weighting is None else weighting, q=q)
        hits = self._index.search(query, k, filter=allowed, weighting=chosen)
        return {"documents": [replace(self._known[str(hit.id)], score=hit.score) for hit in hits]}

    def refresh(self) -> None:
        """Take up what the store holds now: new documents are added, the others deleted."""
        current = {
            document.id: document
            for document in self.document_store.filter_documents()
            if document.content
        }
        gone = [name for name, known in self._known.items() if not _same(known, current.get(name))]
        new = [document for name, document in current.items() if name not in self._known]
        new += [current[name] for name in gone if name in current]
        if gone:
            self._index.delete(gone)
        if new:
            self._index.add([{"id": each.id, "text": str(each.content)} for each in new])
        self._known = current


def _same(known: Document, current: Document | None) -> bool:
    return current is not None and known.content == current.content
