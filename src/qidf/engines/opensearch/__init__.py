"""OpenSearch and Elasticsearch over their common REST interface, with the user's own client.

[engine](engine.py) is what `connect` returns. A query's tokens and counts come from
[lookup](lookup.py) in one request, [clauses](clauses.py) finds what can be rewritten in a body and
[rewriting](rewriting.py) rewrites it, [estimation](estimation.py) samples htok, and
[similarity](similarity.py) is the other route: an index setting instead of boosts. Requests are
yielded rather than sent ([exchange](exchange.py)), so that the proxy shares all of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qidf.engines.targets import Target, flag, number, parse_server
from qidf.errors import InvalidArgumentError

if TYPE_CHECKING:
    from qidf.engines.opensearch.engine import OpenSearchEngine

__all__ = ["open_target", "wrap"]

DEFAULT_TIMEOUT = 10.0


def open_target(
    target: Target,
    *,
    tls: Any = False,
    verify: Any = True,
    timeout: Any = DEFAULT_TIMEOUT,
    index: str | None = None,
    **options: Any,
) -> OpenSearchEngine:
    """Open `opensearch://user:password@host:9200/index?field=content&tls=true`."""
    from qidf.engines.opensearch.clients import elasticsearch_client, opensearch_client

    if index is not None:
        raise InvalidArgumentError("an address names its index after the host, not with index=.")
    server = parse_server(target)
    seconds = number("timeout", timeout)
    if not seconds > 0:
        raise InvalidArgumentError(f"timeout is a number of seconds above 0, not {timeout}.")
    make = elasticsearch_client if target.scheme == "elasticsearch" else opensearch_client
    sender = make(server, tls=flag("tls", tls), verify=flag("verify", verify), timeout=seconds)
    return _engine(sender, target.scheme, server.index, owns_client=True, **options)


def wrap(client: Any, index: str | None = None, **options: Any) -> OpenSearchEngine:
    """Search with the caller's own client, which keeps its hosts, signing, retries and pool."""
    from qidf.engines.opensearch.clients import ElasticsearchSender, OpenSearchSender

    if not index:
        raise InvalidArgumentError("say which index to search with index=.")
    for name in ("tls", "verify", "timeout"):
        if name in options:
            raise InvalidArgumentError(f"{name} is the client's to know; set it there.")
    packages = {kind.__module__.partition(".")[0] for kind in type(client).__mro__}
    if "elasticsearch" in packages:
        return _engine(ElasticsearchSender(client), "elasticsearch", index, **options)
    return _engine(OpenSearchSender(client), "opensearch", index, **options)


def _engine(
    sender: Any,
    scheme: str,
    index: str,
    *,
    field: str | None = None,
    fields: Any = None,
    id: str | None = None,
    ttl: Any = None,
    owns_client: bool = False,
) -> OpenSearchEngine:
    from qidf.engines.opensearch.dialects import ELASTICSEARCH, OPENSEARCH
    from qidf.engines.opensearch.engine import OpenSearchEngine
    from qidf.engines.opensearch.memory import DEFAULT_TTL
    from qidf.engines.opensearch.session import IndexSession

    if field is not None and fields is not None:
        raise InvalidArgumentError("give field= or fields=, not both.")
    names = fields.split(",") if isinstance(fields, str) else list(fields or ())
    session = IndexSession(
        index,
        [field] if field is not None else names,
        DEFAULT_TTL if ttl is None else number("ttl", ttl),
    )
    return OpenSearchEngine(
        sender,
        ELASTICSEARCH if scheme == "elasticsearch" else OPENSEARCH,
        session,
        id=id,
        owns_client=owns_client,
    )
