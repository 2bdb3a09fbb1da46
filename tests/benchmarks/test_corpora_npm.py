"""npm's registry, served from this process: what is pinned and what is refused."""

import base64
import hashlib
import http.server
import io
import json
import tarfile
import threading
from pathlib import Path

import pytest

npm = pytest.importorskip(
    "benchmarks.corpora.registries.npm",
    reason="benchmarks are importable from the repository's root only",
)

from benchmarks.corpora.contents import source_files  # noqa: E402
from benchmarks.corpora.download import is_intact, stored_path  # noqa: E402


def tarball(name: str) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        text = f"// {name}\n".encode()
        info = tarfile.TarInfo("package/index.js")
        info.size = len(text)
        tar.addfile(info, io.BytesIO(text))
    return buffer.getvalue()


def described(name: str, data: bytes) -> dict:
    digest = base64.b64encode(hashlib.sha512(data).digest()).decode()
    return {"name": name, "version": "1.0.0", "dist": {"integrity": f"sha512-{digest}"}}


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers with what the test put under a path."""

    answers: dict[str, bytes] = {}  # noqa: RUF012

    def do_GET(self) -> None:
        answer = self.answers.get(self.path)
        if answer is None:
            self.send_error(404)
            return
        self.send_response(200)
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *args) -> None:
        """Say nothing."""


def publish(name: str, data: bytes | None = None) -> None:
    content = tarball(name)
    quoted = name.replace("/", "%2F")
    Handler.answers[f"/{quoted}/latest"] = json.dumps(described(name, content)).encode()
    last = name.rsplit("/", 1)[-1]
    Handler.answers[f"/{name}/-/{last}-1.0.0.tgz"] = content if data is None else data


@pytest.fixture
def root():
    Handler.answers = {}
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as served:
        thread = threading.Thread(target=served.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{served.server_port}/"
        served.shutdown()
        thread.join()


@pytest.fixture
def names(tmp_path) -> Path:
    path = tmp_path / "names.txt"
    path.write_text("# chosen by hand\n@scope/tool\n\ngone\n")
    return path


def test_a_named_package_is_pinned_with_its_checksum_and_a_gone_one_is_not(root, names, tmp_path):
    publish("@scope/tool")
    publish("not-named")
    (package,) = npm.select(root, npm.Npm(names), tmp_path)
    assert (package.name, package.version) == ("@scope/tool", "1.0.0")
    assert package.location == "@scope/tool/-/tool-1.0.0.tgz"
    path = stored_path(tmp_path, package)
    assert is_intact(path, package)
    assert source_files(path, (".js",)) == [("package/index.js", b"// @scope/tool\n")]


def test_a_tarball_that_is_not_the_described_one_is_not_pinned(root, names, tmp_path):
    publish("@scope/tool", data=b"something else")
    assert npm.select(root, npm.Npm(names), tmp_path) == []


def test_a_package_above_the_limit_is_not_pinned(root, names, tmp_path):
    publish("@scope/tool")
    assert npm.select(root, npm.Npm(names, max_bytes=10), tmp_path) == []
