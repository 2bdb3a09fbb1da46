"""Real OpenSearch and Elasticsearch servers as the contract suite meets them.

Addresses come from the environment; `eval "$(scripts/servers start)"` sets them.
"""

from __future__ import annotations

import base64
import itertools
import json
import os
import urllib.request
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

import pytest
from engine_reference import Conventions, byte4
from engines_under_test import UnderTest

from qidf.engines import Engine

_NUMBERS = itertools.count()


def server_urls(variable: str) -> list[str]:
    """Every node of a server; the test is skipped where there is none."""
    value = os.environ.get(variable)
    if not value:
        pytest.skip(f'no server at {variable}; start it with: eval "$(scripts/servers start)"')
    return value.split(",")


def ask(url: str, method: str, path: str, body: Any = None, lines: Any = None) -> Any:
    """Talk to a server without any client: what a test sets up must not depend on one."""
    data, kind = None, "application/json"
    if lines is not None:
        data, kind = (
            "".join(f"{json.dumps(line)}\n" for line in lines).encode(),
            "application/x-ndjson",
        )
    elif body is not None:
        data = json.dumps(body).encode()
    parts = urlsplit(url)
    bare = f"{parts.scheme}://{parts.hostname}:{parts.port}"
    headers = {"content-type": kind} if data else {}
    if parts.username:
        user = f"{parts.username}:{parts.password}".encode()
        headers["authorization"] = f"Basic {base64.b64encode(user).decode()}"
    request = urllib.request.Request(f"{bare}{path}", data, headers, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read() or b"null")


class ServerIndex:
    """An index that lives as long as a test."""

    def __init__(
        self,
        url: str,
        documents: dict[str, Any],
        shards: int = 1,
        mappings: dict[str, Any] | None = None,
        settings: dict[str, Any] | None = None,
    ) -> None:
        """Make it and fill it: texts become the field `content`."""
        self.url = url
        self.name = f"qidf-test-{os.getpid()}-{next(_NUMBERS)}"
        ask(
            url,
            "PUT",
            f"/{self.name}",
            {
                "settings": {
                    "number_of_shards": shards,
                    "number_of_replicas": 0,
                    # Nothing moves while a test looks: segments are made by refreshing only.
                    "refresh_interval": -1,
                    **(settings or {}),
                },
                "mappings": mappings or {"properties": {"content": {"type": "text"}}},
            },
        )
        self.add(documents)

    def add(self, documents: dict[str, Any]) -> None:
        lines = []
        for key, document in documents.items():
            lines += [
                {"index": {"_id": key}},
                {"content": document} if isinstance(document, str) else document,
            ]
        if lines:
            answer = ask(self.url, "POST", f"/{self.name}/_bulk?refresh=true", lines=lines)
            assert not answer["errors"]

    def delete(self, ids: list[str]) -> None:
        lines = [{"delete": {"_id": key}} for key in ids]
        ask(self.url, "POST", f"/{self.name}/_bulk?refresh=true", lines=lines)

    def tokens(self, ids: list[str], field: str = "content") -> dict[str, list[str]]:
        """What the server says it holds of each document, in order."""
        found = {}
        for start in range(0, len(ids), 300):
            docs = [
                {"_id": key, "fields": [field], "offsets": False}
                for key in ids[start : start + 300]
            ]
            answer = ask(self.url, "POST", f"/{self.name}/_mtermvectors", {"docs": docs})
            for each in answer["docs"]:
                terms = each["term_vectors"].get(field, {}).get("terms", {})
                placed = [(t["position"], term) for term, e in terms.items() for t in e["tokens"]]
                found[each["_id"]] = [term for _, term in sorted(placed)]
        return found

    def search(self, body: dict[str, Any], **parameters: Any) -> list[tuple[str, float]]:
        query = "&".join(f"{name}={value}" for name, value in parameters.items())
        answer = ask(self.url, "POST", f"/{self.name}/_search?{query}", body)
        return [(hit["_id"], hit["_score"]) for hit in answer["hits"]["hits"]]

    def drop(self) -> None:
        ask(self.url, "DELETE", f"/{self.name}")


class OpenSearch(UnderTest):
    """One node, one shard."""

    name = "opensearch"
    setting: ClassVar[str] = ", 1 shard"
    variable: ClassVar[str] = "QIDF_OPENSEARCH_URL"
    scheme: ClassVar[str] = "opensearch"
    shards: ClassVar[int] = 1
    conventions = Conventions(1.2, 0.75, False, False, stored_length=byte4)

    def __init__(self, documents: dict[str, str], folder: Path) -> None:
        pytest.importorskip("opensearchpy" if self.scheme == "opensearch" else "elasticsearch")
        url = server_urls(self.variable)[0]
        self.index = ServerIndex(url, documents, self.shards)
        self.held = dict(zip(documents.values(), documents, strict=False))
        self.analyzed = self.index.tokens(list(documents))
        self.target = f"{self.scheme}{url[len('http') :]}/{self.index.name}?field=content"

    def tokens(self, engine: Engine, text: str) -> list[str]:
        return self.analyzed[self.held[text]]

    def own_ranking(self, text: str, tokens: list[str], k: int) -> list[tuple[Any, float]]:
        return self.run_native({"query": {"match": {"content": text}}}, k)

    def run_native(self, query: Any, k: int) -> list[tuple[Any, float]]:
        return self.index.search({**query, "size": k}, search_type="dfs_query_then_fetch")

    def filter_to(self, ids: list[str]) -> Any:
        return {"ids": {"values": ids}}

    def delete(self, ids: list[str]) -> bool:
        self.index.delete(ids)
        return True

    def close(self) -> None:
        self.index.drop()


class OpenSearchCluster(OpenSearch):
    """Three nodes, five shards."""

    name = "opensearch-cluster"
    setting = ", 3 nodes, 5 shards"
    variable = "QIDF_OPENSEARCH_CLUSTER_URL"
    shards = 5


class OpenSearch2(OpenSearch):
    """The line that keeps (k1 + 1)."""

    name = "opensearch2"
    setting = ", 2 shards"
    variable = "QIDF_OPENSEARCH2_URL"
    shards = 2
    conventions = Conventions(1.2, 0.75, True, False, stored_length=byte4)


class Elasticsearch8(OpenSearch2):
    """Elasticsearch 8, with the Python client of whichever version is installed."""

    name = "elasticsearch8"
    setting = ", 1 shard"
    variable = "QIDF_ELASTICSEARCH8_URL"
    scheme = "elasticsearch"
    shards = 1


class Elasticsearch9(Elasticsearch8):
    """Elasticsearch 9."""

    name = "elasticsearch9"
    setting = ", 3 shards"
    variable = "QIDF_ELASTICSEARCH9_URL"
    shards = 3


SERVERS_UNDER_TEST: tuple[type[UnderTest], ...] = (
    OpenSearch,
    OpenSearchCluster,
    OpenSearch2,
    Elasticsearch8,
    Elasticsearch9,
)
