"""Where OpenSearch and Elasticsearch differ; everything else here is common to both."""

from __future__ import annotations

import re
from dataclasses import dataclass

from qidf.engines.contract import Capabilities
from qidf.engines.opensearch.exchange import Exchange, Request
from qidf.errors import EngineRejectedError

# Both servers' default; Elasticsearch 8 and later allow more where the heap does, never less.
DEFAULT_MAX_CLAUSES = 1024
_SETTING = "indices.query.bool.max_clause_count"


@dataclass(frozen=True, slots=True)
class Version:
    """A server's version, unknown where the credentials don't reach that far."""

    number: str | None

    @property
    def major(self) -> int | None:
        """The first number."""
        match = re.match(r"\d+", self.number or "")
        return None if match is None else int(match[0])


@dataclass(frozen=True, slots=True)
class Dialect:
    """One of the two products."""

    title: str
    # The first major version whose BM25 lacks the constant factor (k1 + 1), None for never.
    drops_k1_plus_1: int | None
    # Whether the clause limit can be read; otherwise it follows the heap and the default is safe.
    tells_max_clauses: bool

    def read_version(self) -> Exchange[Version]:
        """Ask the server who it is."""
        try:
            answer = yield Request("GET", "/")
            return Version(str(answer.get("version", {}).get("number") or "") or None)
        except EngineRejectedError:
            pass
        try:
            path = {"filter_path": "nodes.*.version"}
            answer = yield Request("GET", "/_nodes/_local", path)
        except EngineRejectedError:
            return Version(None)
        versions = [str(node["version"]) for node in answer.get("nodes", {}).values()]
        return Version(versions[0] if versions else None)

    def read_max_clauses(self) -> Exchange[int]:
        """Ask for the clause limit; credentials that may not see it get the default."""
        if not self.tells_max_clauses:
            return DEFAULT_MAX_CLAUSES
        try:
            answer = yield Request(
                "GET",
                "/_cluster/settings",
                {
                    "include_defaults": "true",
                    "flat_settings": "true",
                    "filter_path": f"*.{_SETTING}",
                },
            )
        except EngineRejectedError:
            return DEFAULT_MAX_CLAUSES
        for scope in ("transient", "persistent", "defaults"):
            value = answer.get(scope, {}).get(_SETTING)
            if value is not None:
                return int(value)
        return DEFAULT_MAX_CLAUSES

    def capabilities(self, version: Version, max_clauses: int) -> Capabilities:
        """What a server of this version can do."""
        first = self.drops_k1_plus_1
        dropped = first is not None and (version.major is None or version.major >= first)
        return Capabilities(
            exact_statistics=True,
            enumerates_vocabulary=False,
            max_clauses=max_clauses,
            takes_negative_weights=False,
            keeps_k1_plus_1=not dropped,
            quantises_length=True,
            counts_deleted=True,
            duplicate_terms="add up",
            float32_weights=True,
        )


OPENSEARCH = Dialect("OpenSearch", drops_k1_plus_1=3, tells_max_clauses=True)
ELASTICSEARCH = Dialect("Elasticsearch", drops_k1_plus_1=None, tells_max_clauses=False)
