"""A real server on a free loopback port, and requests that may say anything."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from qidf.admission import Patience
from qidf.serving.listening import bind, make_server


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True, slots=True)
class Server:
    port: int

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def request(
        self,
        method: str,
        path: str,
        *,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body, dict(headers or {}))
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return Reply(answer.status, found, answer.read())
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Reply:
        return self.request("GET", path, headers=headers)

    def ask(self, path: str, question: object) -> Reply:
        return self.request(
            "POST",
            path,
            body=json.dumps(question).encode(),
            headers={"Content-Type": "application/json"},
        )


@contextmanager
def listening(application: Any, patience: Patience | None = None) -> Iterator[Server]:
    """Serve an application in a thread until the block ends."""
    with bind("127.0.0.1", 0) as found:
        server = make_server(application, patience)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [found]}, daemon=True)
        thread.start()
        try:
            yield Server(found.getsockname()[1])
        finally:
            server.should_exit = True
            thread.join(10)
