"""Downloads: what is intact stays, what is damaged is fetched again, what is gone is said."""

import hashlib
import http.server
import threading
from pathlib import Path

import pytest

downloads = pytest.importorskip(
    "benchmarks.corpora.download",
    reason="benchmarks are importable from the repository's root only",
)

from benchmarks.corpora import pinned  # noqa: E402

from qidf.errors import InputError, InvalidArgumentError  # noqa: E402

CONTENT = b"the package " * 1000


def package(content: bytes = CONTENT, name: str = "tool") -> pinned.PinnedPackage:
    digest = hashlib.sha256(content).hexdigest()
    return pinned.PinnedPackage("test", name, "1.0", f"pool/{name}.deb", len(content), digest)


class Registry:
    """Counts what is asked of it and answers with the given contents, one after the other."""

    def __init__(self, *answers: bytes | Exception) -> None:
        self.answers = list(answers)
        self.asked = 0

    def fetch(self, package: pinned.PinnedPackage, partial: Path) -> None:
        self.asked += 1
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        partial.write_bytes(answer)


@pytest.fixture(autouse=True)
def _without_waiting(monkeypatch):
    monkeypatch.setattr(downloads.time, "sleep", lambda seconds: None)


def run(folder: Path, registry: Registry, *packages: pinned.PinnedPackage):
    return downloads.download(packages, folder, {"test": registry.fetch}, progress=False)


def test_an_intact_file_is_not_fetched_again(tmp_path):
    registry = Registry(CONTENT)
    for _ in range(2):
        got = run(tmp_path, registry, package())
        assert got.paths[package()].read_bytes() == CONTENT
    assert registry.asked == 1


@pytest.mark.parametrize("damage", [b"", CONTENT[:-1], b"X" + CONTENT[1:]])
def test_a_corrupted_file_is_fetched_again(tmp_path, damage):
    path = run(tmp_path, Registry(CONTENT), package()).paths[package()]
    path.write_bytes(damage)
    registry = Registry(CONTENT)
    assert run(tmp_path, registry, package()).paths[package()].read_bytes() == CONTENT
    assert registry.asked == 1


def test_a_wrong_answer_is_asked_for_again(tmp_path):
    registry = Registry(b"garbage", OSError("reset"), CONTENT)
    assert run(tmp_path, registry, package()).failures == {}
    assert registry.asked == 3


def test_an_answer_that_stays_wrong_is_a_failure_that_names_the_package(tmp_path):
    got = run(tmp_path, Registry(*[b"garbage"] * 3), package())
    assert got.paths == {}
    assert got.failures[package()].startswith("tool 1.0 came with a checksum that is not")
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_version_that_is_gone_is_said_in_one_sentence(tmp_path):
    got = run(tmp_path, Registry(downloads.GoneError()), package())
    assert got.paths == {}
    assert got.failures[package()].startswith(
        "tool 1.0 is no longer in the archive; give --archive"
    )


class RangeHandler(http.server.BaseHTTPRequestHandler):
    """Serves CONTENT from the byte that is asked for, and remembers the ranges."""

    ranges: list[str | None] = []  # noqa: RUF012

    def do_GET(self) -> None:
        asked = self.headers.get("Range")
        self.ranges.append(asked)
        if self.path != "/root/pool/tool.deb":
            self.send_error(404)
            return
        start = int(asked.removeprefix("bytes=").rstrip("-")) if asked else 0
        self.send_response(206 if asked else 200)
        self.send_header("Content-Length", str(len(CONTENT) - start))
        self.end_headers()
        self.wfile.write(CONTENT[start:])

    def log_message(self, *args) -> None:
        """Say nothing."""


@pytest.fixture
def server():
    RangeHandler.ranges = []
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), RangeHandler) as served:
        thread = threading.Thread(target=served.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{served.server_port}"
        served.shutdown()
        thread.join()


def test_an_interrupted_download_goes_on_where_it_stopped(tmp_path, server):
    target = downloads.stored_path(tmp_path, package())
    target.parent.mkdir(parents=True)
    target.with_name(target.name + ".part").write_bytes(CONTENT[:5000])
    fetch = downloads.http_fetch([f"{server}/empty/", f"{server}/root/"])
    got = downloads.download([package()], tmp_path, {"test": fetch}, progress=False)
    assert got.paths[package()].read_bytes() == CONTENT
    assert RangeHandler.ranges == ["bytes=5000-"] * 2


def test_a_file_no_archive_has_is_gone(tmp_path, server):
    fetch = downloads.http_fetch([f"{server}/empty/"])
    got = downloads.download([package()], tmp_path, {"test": fetch}, progress=False)
    assert "no longer in the archive" in got.failures[package()]


def test_a_pinned_list_reads_back_and_its_checksum_ignores_order(tmp_path):
    packages = [package(b"b", "b"), package(b"a", "a")]
    path = tmp_path / "list.tsv"
    path.write_text(pinned.render(packages))
    assert pinned.read(path) == sorted(packages)
    assert pinned.checksum(packages) == pinned.checksum(packages[::-1])


def test_a_broken_pinned_list_is_reported_with_its_line(tmp_path):
    path = tmp_path / "list.tsv"
    path.write_text(pinned.render([package()]) + "only\ttwo\n")
    with pytest.raises(InputError, match=r"list\.tsv line 3"):
        pinned.read(path)
    with pytest.raises(InputError, match="is missing"):
        pinned.read(tmp_path / "other.tsv")
    with pytest.raises(InvalidArgumentError, match="64 hex digits"):
        pinned.PinnedPackage("test", "a", "1", "a", 1, "abc")


def test_parts_of_a_list_share_no_package_and_leave_none_out() -> None:
    packages = [
        pinned.PinnedPackage("debian", f"name{number}", version, "x", 1, "0" * 64)
        for number in range(200)
        for version in ("1", "2")
    ]
    first, second = pinned.part(packages, 0, 0.3), pinned.part(packages, 0.3, 1)
    assert sorted(first + second) == sorted(packages)
    assert not {each.name for each in first} & {each.name for each in second}
    assert 60 < len(first) < 180
    with pytest.raises(InvalidArgumentError, match="from 0 to 1"):
        pinned.part(packages, 0.5, 0.5)
