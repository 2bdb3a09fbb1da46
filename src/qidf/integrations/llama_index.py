"""LlamaIndex: a retriever, and an object for its BM25Retriever's `existing_bm25`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from qidf.errors import CorruptIndexError, InputError, MissingExtraError
from qidf.index import Index
from qidf.index.files import open_regular
from qidf.integrations.passages import Q, RepositoryPassages, TextPassages, checked_k
from qidf.integrations.token_index import TokenIndex
from qidf.weighting import Weighting, wanted

try:
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.schema import (
        BaseNode,
        MetadataMode,
        NodeWithScore,
        QueryBundle,
        TextNode,
    )
    from llama_index.core.vector_stores.utils import node_to_metadata_dict
except ImportError as error:
    raise MissingExtraError("llama-index-core", "llamaindex") from error

if TYPE_CHECKING:
    from qidf.repository import Repository

# What LlamaIndex's own retrievers return unless told otherwise.
DEFAULT_TOP_K = 2
CORPUS_FILE = "corpus.jsonl"


class QidfRetriever(BaseRetriever):
    """A LlamaIndex retriever over nodes, or over a repository's code."""

    def __init__(
        self,
        nodes: Sequence[BaseNode] | None = None,
        *,
        repository: Repository | str | Path | None = None,
        similarity_top_k: int = DEFAULT_TOP_K,
        q: Q | None = None,
        weighting: str | Weighting = "auto",
        analyzer: str = "generic",
        **options: Any,
    ) -> None:
        """Index nodes in memory, as they would be embedded; or search a repository.

        `weighting` and its part `q` are those of `Index.search`.
        """
        super().__init__(**options)
        if (nodes is None) == (repository is None):
            raise InputError("a retriever needs nodes or a repository, one of them; give one")
        self.similarity_top_k = checked_k(similarity_top_k)
        self.weighting = wanted(weighting, q=q)
        self._code = None if repository is None else RepositoryPassages(repository)
        self._nodes = list(nodes or ())
        self._texts = TextPassages(map(_content, self._nodes), analyzer=analyzer)

    def add_nodes(self, nodes: Sequence[BaseNode]) -> None:
        """Add nodes to those indexed in memory."""
        self._texts.add(map(_content, nodes))
        self._nodes.extend(nodes)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        query, k = query_bundle.query_str, self.similarity_top_k
        if self._code is not None:
            return [
                NodeWithScore(
                    node=TextNode(
                        id_=passage.id or "", text=passage.text, metadata=dict(passage.metadata)
                    ),
                    score=passage.score,
                )
                for passage in self._code.search(query, k, self.weighting)
            ]
        if not self._nodes:
            return []
        ranking = self._texts.index.rank([query], k, weighting=self.weighting)
        return [
            NodeWithScore(node=self._nodes[at], score=score)
            for at, score in zip(
                ranking.positions[0].tolist(), ranking.scores[0].tolist(), strict=True
            )
            if at >= 0
        ]


class Results(NamedTuple):
    """What bm25s's retrieve returns: documents, or their positions, and scores, a row a query."""

    documents: Any
    scores: np.ndarray


class ExistingBM25:
    """Stands where LlamaIndex's BM25Retriever expects a bm25s index: `existing_bm25=`.

    The retriever tokenizes each query itself, so nodes have to be tokenized the same way: hand
    `from_nodes` the options that the retriever gets.
    """

    def __init__(self, tokens: TokenIndex, corpus: Sequence[dict[str, Any]]) -> None:
        """Serve an index of token lists with the nodes they came from, as dictionaries."""
        self.tokens = tokens
        self.corpus = list(corpus)

    @classmethod
    def from_nodes(
        cls,
        nodes: Sequence[BaseNode],
        *,
        q: Q | None = None,
        weighting: str | Weighting = "auto",
        language: str = "en",
        stemmer: Any = None,
        skip_stemming: bool = False,
        token_pattern: str = r"(?u)\b\w\w+\b",
    ) -> ExistingBM25:
        """Tokenize nodes as the retriever would, and index them."""
        try:
            import bm25s
        except ImportError as error:
            raise MissingExtraError("bm25s", "llamaindex") from error
        if stemmer is None and not skip_stemming:
            stemmer = _english_stemmer()
        known = list(nodes)
        tokens = bm25s.tokenize(
            list(map(_content, known)),
            stopwords=language,
            stemmer=None if skip_stemming else stemmer,
            token_pattern=token_pattern,
            return_ids=False,
            show_progress=False,
        )
        corpus = [node_to_metadata_dict(node) | {"node_id": node.node_id} for node in known]
        return cls(TokenIndex(tokens, q=q, weighting=weighting), corpus)

    @property
    def scores(self) -> dict[str, int]:
        """How many documents there are, where bm25s keeps it."""
        return {"num_docs": len(self.tokens)}

    def retrieve(
        self,
        query_tokens: Any,
        corpus: Sequence[Any] | None = None,
        k: int = 10,
        *,
        weight_mask: np.ndarray | None = None,
        **options: Any,
    ) -> Results:
        """The k best documents of each query, as dictionaries; `weight_mask` leaves out its zeros.

        For a single query only documents that match are returned. Of several, whose rows must be of
        one length, a short row ends with documents of score zero, as bm25s's do.
        """
        queries = _query_tokens(query_tokens)
        k = min(checked_k(k), len(self.tokens))
        allowed = None if weight_mask is None else np.asarray(weight_mask) > 0
        positions, scores = self.tokens.rank(queries, k, allowed)
        if len(queries) == 1:
            found = positions[0] >= 0
            positions, scores = positions[:, found], scores[:, found]
        else:
            positions = np.stack([_filled(row, len(self.tokens)) for row in positions])
        documents = self.corpus if corpus is None else corpus
        shown = np.empty(positions.shape, object)
        for at, position in np.ndenumerate(positions):
            shown[at] = documents[int(position)]
        return Results(shown, scores)

    def save(self, path: str | Path, corpus: Sequence[Any] | None = None, **options: Any) -> None:
        """Store index and nodes in a folder; `ExistingBM25.load` reads them back."""
        folder = Path(path)
        self.tokens.save(folder / "index.qidf")
        lines = (json.dumps(node) + "\n" for node in (self.corpus if corpus is None else corpus))
        (folder / CORPUS_FILE).write_text("".join(lines), encoding="utf-8")

    @classmethod
    def load(
        cls, path: str | Path, *, q: Q | None = None, weighting: str | Weighting = "auto"
    ) -> ExistingBM25:
        """Open what `save` stored."""
        folder = Path(path)
        index = Index.open(folder / "index.qidf")
        try:
            with open_regular(folder / CORPUS_FILE) as file:
                nodes = [json.loads(line) for line in file]
        except (FileNotFoundError, ValueError, RecursionError):
            raise CorruptIndexError(
                f"{folder / CORPUS_FILE} is missing or damaged; save the retriever again"
            ) from None
        return cls(TokenIndex(q=q, weighting=weighting, index=index), nodes)


def _content(node: BaseNode) -> str:
    return str(node.get_content(metadata_mode=MetadataMode.EMBED))


def _english_stemmer() -> Any:
    try:
        import Stemmer
    except ImportError as error:
        raise MissingExtraError("PyStemmer", "llamaindex") from error
    return Stemmer.Stemmer("english")


def _query_tokens(given: Any) -> list[list[str]]:
    """Lists of strings, from those or from bm25s's ids and vocabulary."""
    if hasattr(given, "vocab"):
        words = {number: word for word, number in given.vocab.items()}
        return [[words[int(number)] for number in query] for query in given.ids]
    return [list(query) for query in given]


def _filled(row: np.ndarray, num_docs: int) -> np.ndarray:
    """A row whose missing hits are the first documents that aren't among the others."""
    missing = int((row < 0).sum())
    if not missing:
        return row
    found = row[row >= 0]
    others = np.setdiff1d(np.arange(num_docs), found)[:missing]
    return np.concatenate([found, others])
