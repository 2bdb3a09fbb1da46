"""mteb: a search model for its retrieval and reranking tasks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from qidf import __version__
from qidf.analysis import parse_analyzer
from qidf.errors import InputError, MissingExtraError
from qidf.index import DEFAULT_B, DEFAULT_K1, Index
from qidf.index.scoring import ScoringOptions
from qidf.integrations.passages import Q
from qidf.weighting import Weighting, wanted

try:
    from mteb.models.model_meta import ModelMeta
except ImportError as error:
    raise MissingExtraError("mteb", "mteb") from error


class QidfSearch:
    """Hand it to `mteb.evaluate`: BM25 weighed in any way, nothing to download.

    `weighting` and its part `q` are those of `Index.search`.
    A document is its title and text, joined by a space; an instruction is searched for after the
    query it belongs to, as mteb's own BM25 does.
    """

    def __init__(
        self,
        q: Q | None = None,
        *,
        weighting: str | Weighting = "auto",
        analyzer: str = "generic",
        k1: float = DEFAULT_K1,
        b: float = DEFAULT_B,
    ) -> None:
        """Search with these; each task's corpus is indexed when mteb says so."""
        self.weighting, self.analyzer = wanted(weighting, q=q), str(parse_analyzer(analyzer))
        self._scoring: ScoringOptions = {"weighting": self.weighting, "k1": k1, "b": b}
        self._index: Index | None = None

    @property
    def mteb_model_meta(self) -> ModelMeta:
        """What mteb files results under: weighting, analyzer, k1 and b."""
        names = {"weighting": repr(self.weighting), "analyzer": self.analyzer}
        chosen = {**self._scoring, **names}
        return ModelMeta.create_empty(
            overwrites={
                "name": "qidf/bm25-qlog",
                "revision": __version__,
                "model_type": ["sparse"],
                "modalities": ["text"],
                "use_instructions": False,
                "n_parameters": 0,
                "experiment_kwargs": chosen,
            }
        )

    def index(self, corpus: Iterable[Mapping[str, Any]], **context: Any) -> None:
        """Index a task's documents; those of the task before are forgotten."""
        self._index = Index.build(
            (
                {"id": str(row["id"]), "title": row.get("title") or "", "text": row["text"] or ""}
                for row in corpus
            ),
            analyzer=self.analyzer,
        )

    def search(
        self,
        queries: Iterable[Mapping[str, Any]],
        *,
        top_k: int,
        top_ranked: Mapping[str, Iterable[str]] | None = None,
        **context: Any,
    ) -> dict[str, dict[str, float]]:
        """Scores of each query's best documents; of `top_ranked` alone where a task reranks."""
        if self._index is None:
            raise InputError("nothing is indexed yet; mteb calls index before search")
        rows = list(queries)
        texts = list(map(_text, rows))
        names = [str(row["id"]) for row in rows]
        if top_ranked is None:
            found = self._index.search_batch(texts, top_k, **self._scoring)
        else:
            # Candidates that don't match at all belong to the answer too, at its end.
            return {
                name: self._reranked(text, list(top_ranked.get(name, ())), top_k)
                for name, text in zip(names, texts, strict=True)
            }
        return {
            name: {str(hit.id): hit.score for hit in hits}
            for name, hits in zip(names, found, strict=True)
        }

    def _reranked(self, text: str, candidates: list[str], top_k: int) -> dict[str, float]:
        index = self._index
        if index is None or not candidates:
            return {}
        known = [name for name in candidates if name in index]
        hits = index.search(text, len(candidates), filter=known, **self._scoring)
        scores = dict.fromkeys(known, 0.0) | {str(hit.id): hit.score for hit in hits}
        best = sorted(scores, key=lambda name: -scores[name])[:top_k]
        return {name: scores[name] for name in best}


def _text(row: Mapping[str, Any]) -> str:
    """A query's text; the turns of a conversation one after the other."""
    text = row["text"]
    if isinstance(text, list):
        turns = (turn["content"] if isinstance(turn, Mapping) else turn for turn in text)
        text = "; ".join(map(str, turns))
    instruction = row.get("instruction")
    return f"{text} {instruction}" if instruction else str(text)
