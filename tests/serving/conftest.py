"""A collection of small files, and a real server for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the servers need the extra serve")
pytest.importorskip("uvicorn", reason="the servers need the extra serve")

from listening import Server, listening

from qidf.serving.web import Collection, create_application, open_collection

FILES = {
    "upgrade.go": "package main\n\nfunc handleWebSocketUpgrade(conn Conn) {\n\tcheck(auth)\n}\n",
    "auth.go": "package main\n\n// auth middleware checks the auth token\nfunc auth(token)\n",
    "log.go": "package main\n\n// log middleware writes the request\n",
    "deep/route.go": "package deep\n\n// route table of the server\n",
    "deep/markup.go": 'package deep\n\nvar page = "<img src=x onerror=alert(1)> auth"\n',
    **{
        f"other/{number}.go": f"package other\n\n// unrelated number{number}\n"
        for number in range(9)
    },
}


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("served")
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


@pytest.fixture(scope="session")
def collection(folder: Path) -> Collection:
    return open_collection(folder)


@pytest.fixture(scope="session")
def server(collection: Collection) -> Iterator[Server]:
    with listening(create_application(collection)) as running:
        yield running
