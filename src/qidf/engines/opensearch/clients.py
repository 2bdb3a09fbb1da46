"""The user's client, or one made from an address, behind a single `send`."""

from __future__ import annotations

import json
from typing import Any

from qidf.engines.opensearch.exchange import Request
from qidf.engines.opensearch.refusals import refusal, too_slow, unreachable
from qidf.engines.targets import Server
from qidf.errors import EngineError, EngineRejectedError, MissingExtraError

# Elasticsearch 9 understands what 8 asks for and not the other way round, so 8 is what every
# request asks for, whichever version the installed client has.
_COMPATIBLE = "application/vnd.elasticsearch+{}; compatible-with=8"


class OpenSearchSender:
    """Sends through an `opensearchpy.OpenSearch`: its hosts, signing, retries and pool."""

    def __init__(self, client: Any, server: str | None = None) -> None:
        self.client = client
        self.server = server or _where(getattr(client.transport, "hosts", None), "OpenSearch")

    def send(self, request: Request) -> Any:
        """Send a request and return the parsed answer."""
        from opensearchpy import exceptions

        kind = "json" if request.lines is None else "x-ndjson"
        try:
            return self.client.transport.perform_request(
                request.method,
                request.path,
                params=dict(request.parameters),
                body=request.body if request.lines is None else ndjson(request.lines),
                headers={"content-type": f"application/{kind}"},
            )
        except exceptions.ConnectionTimeout as error:
            raise too_slow(self.server, None) from error
        except exceptions.ConnectionError as error:
            raise unreachable(self.server, str(error.error)) from error
        except exceptions.TransportError as error:
            raise _refusal(error.status_code, error.info, self.server) from error
        except exceptions.OpenSearchException as error:
            raise EngineRejectedError(f"the OpenSearch client failed: {error}.") from error

    def close(self) -> None:
        """Close the client's connections."""
        self.client.close()


class ElasticsearchSender:
    """Sends through an `elasticsearch.Elasticsearch` of version 8 or 9."""

    def __init__(self, client: Any, server: str | None = None) -> None:
        nodes: Any = getattr(getattr(client.transport, "node_pool", None), "all", list)()
        self.client = client
        self.server = server or (str(nodes[0].base_url) if nodes else "Elasticsearch")

    def send(self, request: Request) -> Any:
        """Send a request and return the parsed answer."""
        import elasticsearch

        kind = "json" if request.lines is None else "x-ndjson"
        try:
            answer = self.client.perform_request(
                request.method,
                request.path,
                params=dict(request.parameters),
                headers={
                    "accept": _COMPATIBLE.format("json"),
                    "content-type": _COMPATIBLE.format(kind),
                },
                body=request.body if request.lines is None else list(request.lines),
            )
        except elasticsearch.ConnectionTimeout as error:
            raise too_slow(self.server, None) from error
        except elasticsearch.ConnectionError as error:
            raise unreachable(self.server, error.message) from error
        except elasticsearch.UnsupportedProductError as error:
            raise EngineRejectedError(
                f"{self.server} is no Elasticsearch; use opensearch:// for OpenSearch."
            ) from error
        except elasticsearch.ApiError as error:
            raise refusal(error.status_code, error.body, self.server) from error
        except elasticsearch.TransportError as error:
            raise unreachable(self.server, error.message) from error
        return answer.body

    def close(self) -> None:
        """Close the client's connections."""
        self.client.close()


AnySender = OpenSearchSender | ElasticsearchSender


def opensearch_client(server: Server, *, tls: bool, verify: bool, timeout: float) -> AnySender:
    """Make a client for an address."""
    try:
        import opensearchpy
    except ImportError as error:
        raise MissingExtraError("opensearch-py", "opensearch") from error
    client = opensearchpy.OpenSearch(
        hosts=[{"host": server.host, "port": server.port}],
        http_auth=_credentials(server),
        use_ssl=tls,
        verify_certs=verify,
        ssl_show_warn=False,
        timeout=timeout,
    )
    return OpenSearchSender(client, address(server, tls))


def elasticsearch_client(server: Server, *, tls: bool, verify: bool, timeout: float) -> AnySender:
    """Make a client for an address."""
    try:
        import elasticsearch
    except ImportError as error:
        raise MissingExtraError("elasticsearch", "elasticsearch") from error
    options: dict[str, Any] = {"verify_certs": verify, "ssl_show_warn": False} if tls else {}
    client = elasticsearch.Elasticsearch(
        address(server, tls),
        basic_auth=_credentials(server),
        request_timeout=timeout,
        **options,
    )
    return ElasticsearchSender(client, address(server, tls))


def address(server: Server, tls: bool) -> str:
    """The server without its credentials."""
    host = f"[{server.host}]" if ":" in server.host else server.host
    return f"{'https' if tls else 'http'}://{host}:{server.port}"


def ndjson(lines: Any) -> str:
    """One JSON document to a line, in ASCII: half a pair of surrogates has no UTF-8."""
    return "".join(f"{json.dumps(line)}\n" for line in lines)


def _credentials(server: Server) -> tuple[str, str] | None:
    return None if server.username is None else (server.username, server.password or "")


def _where(hosts: Any, name: str) -> str:
    if isinstance(hosts, list) and hosts and isinstance(hosts[0], dict) and "host" in hosts[0]:
        first = hosts[0]
        scheme = "https" if first.get("use_ssl") or first.get("scheme") == "https" else "http"
        return f"{scheme}://{first['host']}:{first.get('port', 9200)}"
    return name


def _refusal(status: Any, body: Any, server: str) -> EngineError:
    return (
        refusal(status, body, server) if isinstance(status, int) else unreachable(server, str(body))
    )
