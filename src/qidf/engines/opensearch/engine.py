"""One or several text fields of an index on OpenSearch or Elasticsearch, searched with q-log."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from qidf.engines.boosts import BoostPlan, lucene_idf, own_terms
from qidf.engines.contract import Capabilities, EngineStats, Note, Q, Rewritten, TermStatistics
from qidf.engines.frozen import FrozenEngine
from qidf.engines.opensearch.clients import AnySender
from qidf.engines.opensearch.dialects import Dialect, Version
from qidf.engines.opensearch.estimation import estimate
from qidf.engines.opensearch.exchange import Exchange, Request, drive
from qidf.engines.opensearch.lookup import Wording
from qidf.engines.opensearch.refusals import LostNodeError, refusal
from qidf.engines.opensearch.rewriting import apply_edits, edit_body
from qidf.engines.opensearch.schema import Schema, at
from qidf.engines.opensearch.session import IndexSession
from qidf.engines.opensearch.similarity import (
    ScriptedSimilarity,
    apply_similarity,
    revert_similarity,
)
from qidf.errors import (
    EngineRejectedError,
    EngineUnavailableError,
    InvalidArgumentError,
    UnknownIdError,
)
from qidf.index.documents import DocId
from qidf.index.results import Hit
from qidf.weighting import BM25, Decision, Parts, Weighting, wanted

if TYPE_CHECKING:
    from typing_extensions import Unpack

T = TypeVar("T")

# Clients try again where a connection breaks, but not where a node passes on that another one has
# died; the cluster notices within a second or two. Every request here may be sent twice.
RETRY_PAUSES = (0.1, 0.5, 2.0)

# Every shard scores with the counts of all, which makes the boosts exact, and a shard that fails
# is an error instead of a result without its documents.
EXACT = {"search_type": "dfs_query_then_fetch", "allow_partial_search_results": "false"}


class OpenSearchEngine(FrozenEngine):
    """An index behind the user's client; the first field decides `analyze` and `statistics`.

    Several fields are searched as `multi_match` of type best_fields searches them.
    """

    def __init__(
        self,
        sender: AnySender,
        dialect: Dialect,
        session: IndexSession,
        *,
        id: str | None = None,
        owns_client: bool = False,
    ) -> None:
        """Ask nothing yet; `id` is a field that holds the caller's ids instead of `_id`."""
        super().__init__()
        self._sender = sender
        self._dialect = dialect
        self._session = session
        self._id_field = id
        self._owns_client = owns_client
        self._version: Version | None = None
        self._capabilities: Capabilities | None = None
        self.requests = 0

    @property
    def index(self) -> str:
        """The index, alias or pattern that is searched."""
        return self._session.index

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that are searched."""
        if not self._session.fields:
            self._run(self._session.schema())
        return self._session.fields

    @property
    def schema(self) -> Schema:
        """The index's fields and shards as they were lately."""
        return self._run(self._session.schema())

    @property
    def server(self) -> str:
        """Where the server is, without credentials."""
        return self._sender.server

    @property
    def name(self) -> str:
        """The server's name and, where it may be read, version."""
        number = self.version.number
        return self._dialect.title if number is None else f"{self._dialect.title} {number}"

    @property
    def version(self) -> Version:
        """The server's version, read once."""
        if self._version is None:
            self._version = self._run(self._dialect.read_version())
        return self._version

    @property
    def capabilities(self) -> Capabilities:
        """What this server can do; its clause limit is read once."""
        if self._capabilities is None:
            limit = self._run(self._dialect.read_max_clauses())
            self._capabilities = self._dialect.capabilities(self.version, limit)
        return self._capabilities

    def analyze(self, text: str) -> list[str]:
        """The tokens by the field's search analyzer; their counts come in the same request."""
        wording = Wording(self.fields[0], text)
        return list(self._run(self._session.gather([wording]))[wording][0].tokens)

    def statistics(self, terms: Sequence[str]) -> TermStatistics:
        """Counts over all shards, as `dfs_query_then_fetch` scores with them."""
        return self._run(self._session.count(self.fields[0], terms))

    def corpus_stats(self, sample: int | None = None) -> EngineStats:
        """Counts from a random sample of documents with term statistics; exact if that is all."""
        before = self.requests
        stats = self._run(estimate(self.schema, self.fields[0], sample))
        return _with_requests(stats, self.requests - before)

    def engine_idf(self, doc_freq: int, num_docs: int) -> float:
        """Lucene's idf."""
        return lucene_idf(doc_freq, num_docs)

    def own_query(
        self, text: str, tokens: Sequence[str], filter: Any | None
    ) -> tuple[Any, tuple[Note, ...]]:
        """A `match`, or a `multi_match` over several fields."""
        return _body(self._own(text), filter), ()

    def boosted_query(self, text: str, plan: BoostPlan, filter: Any | None) -> Any:
        """Boosted terms under a bool."""
        return self._rewrite(text, plan.weighting, filter).query

    def rewrite_body(
        self, body: Mapping[str, Any], q: Q | None = None, **parts: Unpack[Parts]
    ) -> Rewritten:
        """Put the `match` and `multi_match` clauses of a search body with a weighting's weights.

        Each clause is weighed by its own text; the decision that comes back is that of a query
        that nothing is known of.

        Clauses on other fields, and all else in the body, are as they were. On several shards send
        it with `search_type=dfs_query_then_fetch`, with which the weights are exact.
        """
        if not isinstance(body, Mapping):
            raise InvalidArgumentError(f"a body is a mapping, not a {type(body).__name__}.")
        asked = wanted(q=q, **parts)
        decision = self._decide(asked, None)
        if asked.is_bm25:
            return Rewritten(dict(body), decision)
        _ = self.fields
        edits = self._run(
            edit_body(self._session, body, partial(self._weigh, asked), self.capabilities)
        )
        return Rewritten(apply_edits(body, edits.edits), decision, edits.notes)

    def run(self, query: Any, k: int) -> list[Hit]:
        """Send a body, with the counts of all shards."""
        source: Any = False if self._id_field is None else [self._id_field]
        body = {"_source": source, "track_total_hits": False, **query, "size": k}
        answer = self._send(Request("POST", at(self.index, "_search"), EXACT, body=body))
        if answer.get("timed_out"):
            raise EngineUnavailableError(
                "the server ran out of the time it gives a search; ask for less or raise its limit."
            )
        scored = [hit for hit in answer["hits"]["hits"] if hit["_score"] > 0.0]
        nothing: Mapping[str, Any] = MappingProxyType({})
        return [
            Hit(self._doc_id(hit), float(hit["_score"]), rank, nothing)
            for rank, hit in enumerate(scored, 1)
        ]

    def term_scores(self, text: str, terms: Sequence[str], doc_id: DocId) -> Mapping[str, float]:
        """What each term alone scores in one document, one search for each in one request."""
        field = self.fields[0]
        chosen: dict[str, Any] = (
            {"ids": {"values": [str(doc_id)]}}
            if self._id_field is None
            else {"term": {self._id_field: doc_id}}
        )
        queries: list[dict[str, Any]] = [{"bool": {"filter": [chosen]}}]
        queries += [
            {"bool": {"must": [{"term": {field: {"value": term}}}], "filter": [chosen]}}
            for term in terms
        ]
        header = {"search_type": "dfs_query_then_fetch"}
        lines = [
            line
            for query in queries
            for line in (header, {"size": 1, "_source": False, "query": query})
        ]
        answer = self._send(Request("POST", at(self.index, "_msearch"), lines=lines))
        tops = []
        for each in answer["responses"]:
            if "error" in each:
                raise refusal(int(each.get("status", 500)), each, self._sender.server)
            hits = each["hits"]["hits"]
            tops.append(None if not hits else float(hits[0]["_score"]))
        if tops[0] is None:
            raise UnknownIdError(f"{self.index!r} holds no document {doc_id!r}.")
        return {term: top or 0.0 for term, top in zip(terms, tops[1:], strict=True)}

    def apply_similarity(self, similarity: ScriptedSimilarity) -> None:
        """Close the index, make this its default similarity and open it again: this writes."""
        self._run(apply_similarity(self.index, similarity))
        self._session.forget()

    def revert_similarity(self) -> None:
        """Close the index, give it BM25 back and open it again: this writes."""
        self._run(revert_similarity(self.index))
        self._session.forget()

    def close(self) -> None:
        """Close the client if an address made it."""
        if self._owns_client:
            self._sender.close()

    def _weigh(self, asked: Weighting, text: str) -> Weighting:
        return self._decide(asked, text).weighting

    def _rewrite(self, text: str, asked: Weighting, filter: Any | None) -> Rewritten:
        decision = self._decide(asked, text)
        own = _body(self._own(text), None)
        if decision.weighting.is_bm25:
            query, notes = self._within_limit(own["query"], text)
            return Rewritten(_body(query, filter), decision, notes)
        edits = self._run(
            edit_body(
                self._session,
                own,
                lambda _: decision.weighting,
                self.capabilities,
                keep_weightless=False,
            )
        )
        if any(note.kind == "left alone" for note in edits.notes):
            reason = "BM25, since the query could not be put with other weights."
            return Rewritten(_body(own["query"], filter), Decision(BM25, reason), edits.notes)
        if not edits.edits:
            return Rewritten(None, decision, edits.notes)
        query = apply_edits(own, edits.edits)["query"]
        return Rewritten(_body(query, filter), decision, edits.notes)

    def _within_limit(
        self, own: dict[str, Any], text: str
    ) -> tuple[dict[str, Any], tuple[Note, ...]]:
        """The server's own query, or the same as terms where it has more than a query may have.

        The server counts a word as often as the text says it, so a long text is over the limit
        before its distinct words are; those beyond it are dropped, the lightest first.
        """
        limit = (self.capabilities.max_clauses or len(text)) // len(self.fields)
        # A token takes a character and something between it and the next, so most texts need no
        # look at their tokens.
        if len(text) < 2 * limit:
            return own, ()
        statistics = {}
        for field in self.fields:
            wording = Wording(field, text)
            statistics[field] = self._run(self._session.gather([wording]))[wording]
        if all(len(each.tokens) <= limit or each.stacked for each, _ in statistics.values()):
            return own, ()
        queries: list[dict[str, Any]] = []
        notes: list[Note] = []
        for field, (tokens, counts) in statistics.items():
            kept, said = own_terms(tokens.tokens, counts, lucene_idf, limit - 1)
            notes += said
            clauses = [
                {"term": {field: {"value": term, "boost": count}}}
                for term, count in Counter(kept).items()
            ]
            queries.append({"bool": {"should": clauses}})
        query = queries[0] if len(queries) == 1 else {"dis_max": {"queries": queries}}
        return query, tuple(notes)

    def _own(self, text: str) -> dict[str, Any]:
        fields = self.fields
        if len(fields) == 1:
            return {"match": {fields[0]: {"query": text}}}
        return {"multi_match": {"query": text, "type": "best_fields", "fields": list(fields)}}

    def _doc_id(self, hit: Mapping[str, Any]) -> DocId:
        if self._id_field is None:
            return str(hit["_id"])
        value: Any = hit.get("_source", {})
        for part in self._id_field.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
        if not isinstance(value, str | int):
            raise EngineRejectedError(
                f"document {hit['_id']!r} has no {self._id_field!r} to be known by; leave id out."
            )
        return value

    def _send(self, request: Request) -> Any:
        for pause in RETRY_PAUSES:
            self.requests += 1
            try:
                return self._sender.send(request)
            except LostNodeError:
                time.sleep(pause)
        self.requests += 1
        return self._sender.send(request)

    def _run(self, exchange: Exchange[T]) -> T:
        return drive(exchange, _Counting(self))


class _Counting:
    """Sends for an engine, which counts."""

    def __init__(self, engine: OpenSearchEngine) -> None:
        self._engine = engine

    def send(self, request: Request) -> Any:
        return self._engine._send(request)


def _body(query: dict[str, Any], filter: Any | None) -> dict[str, Any]:
    if filter is None:
        return {"query": query}
    filters = filter if isinstance(filter, list) else [filter]
    return {"query": {"bool": {"must": [query], "filter": filters}}}


def _with_requests(stats: EngineStats, requests: int) -> EngineStats:
    return replace(stats, requests=requests)
