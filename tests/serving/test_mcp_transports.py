"""The SDK's own client talks to the server over both transports."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from agent_repository import SECRET, make_repository
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from listening import Server, listening

pytest.importorskip("mcp.server.mcpserver", reason="the server needs the extra mcp, from 2.0 on")

import anyio
from mcp import Client, StdioServerParameters

from qidf.admission import Access
from qidf.repository import Repository, cutting
from qidf.serving.mcp import Desk, create_server, http_application
from qidf.token_counts import token_counter

TOKEN = "a-token-of-enough-letters"
Use = Callable[[Client], Awaitable[Any]]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return make_repository(tmp_path)


def talk(server: Any, use: Use, mode: str = "auto") -> Any:
    """Let a client use a server."""

    async def session() -> Any:
        async with Client(server, mode=mode) as client:
            return await use(client)

    return anyio.run(session)


def over_stdio(root: Path, script: str | None = None) -> StdioServerParameters:
    arguments = ["-m", "qidf", "mcp", str(root)] if script is None else ["-c", script, str(root)]
    environment = {**os.environ, "XDG_CACHE_HOME": os.environ["XDG_CACHE_HOME"]}
    return StdioServerParameters(command=sys.executable, args=arguments, env=environment)


def text_of(result: Any) -> str:
    (content,) = result.content
    return str(content.text)


async def everything(client: Client) -> None:
    """Use every tool, as an agent would, and watch the first index being built."""
    seen: list[tuple[float, float | None]] = []

    async def watch(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, total))

    tools = (await client.list_tools()).tools
    assert {tool.name for tool in tools} == {"search", "read_span", "status"}
    assert text_of(await client.call_tool("status")).startswith("repository: ")
    found = await client.call_tool(
        "search", {"query": "handle_web_socket_upgrade"}, progress_callback=watch
    )
    assert not found.is_error
    assert text_of(found).startswith("### upgrade.py:1-3")
    # What was indexed before the question came isn't told.
    assert not seen or seen[-1][0] == seen[-1][1]
    read = await client.call_tool("read_span", {"path": "upgrade.py:1-1"})
    assert text_of(read).startswith("upgrade.py:1-1\ndef handle_web_socket_upgrade")
    assert "3 files indexed" in text_of(await client.call_tool("status"))
    for path in ("../secret.py", "link.py", "out/secret.py", "/etc/passwd"):
        refused = await client.call_tool("read_span", {"path": path})
        assert refused.is_error
        assert SECRET not in text_of(refused)
    wrong = await client.call_tool("search", {"query": 5, "budget": -1})
    assert wrong.is_error
    assert text_of(wrong) == (
        "query should be a valid string; budget should be greater than or equal to 200"
    )
    assert text_of(await client.call_tool("search", {})) == "query is required"
    plain = await client.call_tool("search", {"query": "check_token_3", "weighting": "bm25"})
    assert "check_token_3" in text_of(plain)
    unknown = await client.call_tool("search", {"query": "check_token_3", "weighting": "heavy"})
    assert "names no weighting" in text_of(unknown)
    lost = await client.call_tool("read_span", {"path": "lost.py"})
    assert text_of(lost) == "there is no file 'lost.py' below the root; check the path"


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Reading files stops before the last one of many until this is set."""
    opened, original = threading.Event(), cutting.read_source

    def waiting(root: Path, name: str, *arguments: int) -> object:
        if name == "zzz.py":
            opened.wait(60)
        return original(root, name, *arguments)

    monkeypatch.setattr(cutting, "read_source", waiting)
    yield opened
    opened.set()


def many(root: Path) -> Path:
    """So many files that some are done before others are read."""
    for number in range(500):
        (root / f"f{number:03}.py").write_text(f"def f{number}(): pass\n", encoding="utf-8")
    (root / "zzz.py").write_text("def last_of_all(): pass\n", encoding="utf-8")
    return root


def test_an_index_begun_at_the_start_is_watched_by_a_search_that_comes_meanwhile(
    root: Path, gate: threading.Event
) -> None:
    desk = Desk.open([many(root)])
    seen: list[tuple[float, float | None]] = []

    async def watch(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, total))
        gate.set()

    async def use(client: Client) -> None:
        while desk.progress[0] == 0:
            await anyio.sleep(0.01)
        assert "being indexed (" in text_of(await client.call_tool("status"))
        read = await client.call_tool("read_span", {"path": "upgrade.py:1-1"})
        assert "handle_web_socket_upgrade" in text_of(read)
        found = await client.call_tool("search", {"query": "last_of_all"}, progress_callback=watch)
        assert text_of(found).startswith("### zzz.py:1-1")
        assert "504 files indexed" in text_of(await client.call_tool("status"))

    with desk.indexing():
        talk(create_server(desk), use)
    assert len(seen) >= 2
    assert seen == sorted(seen)
    assert seen[0][0] < 504
    assert seen[-1] == (504, 504)


def test_a_search_that_has_waited_long_enough_is_told_to_come_back(
    root: Path, gate: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("qidf.serving.mcp.server.PATIENCE_SECONDS", 0.0)
    desk = Desk.open([many(root)])

    async def use(client: Client) -> None:
        found = await client.call_tool("search", {"query": "last_of_all"})
        assert found.is_error
        assert "still being built" in text_of(found)

    with desk.indexing():
        talk(create_server(desk), use)
        gate.set()


def test_what_was_indexed_when_the_client_goes_is_kept(root: Path, gate: threading.Event) -> None:
    desk = Desk.open([many(root)])
    with desk.indexing():
        while desk.progress[0] == 0:
            time.sleep(0.01)
        desk.folders[0].indexing.stop()
        gate.set()
    # Nearly all, if the threads were that far ahead.
    assert 0 < len(Repository.open(root)) <= 564
    assert Desk.open([root]).search("last_of_all").startswith("### zzz.py:1-1")


def test_progress_of_an_index_that_a_search_builds_itself_is_told(root: Path) -> None:
    seen: list[tuple[float, float | None]] = []

    async def watch(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, total))

    async def use(client: Client) -> None:
        await client.call_tool("search", {"query": "upgrade"}, progress_callback=watch)

    talk(create_server(Desk.open([root])), use)
    assert seen[-1] == (3, 3)


def test_everything_works_over_stdio(root: Path) -> None:
    talk(over_stdio(root), everything)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_everything_works_over_streamable_http_with_new_and_old_clients(
    root: Path, mode: str
) -> None:
    with listening(http_application(Desk.open([root]), Access())) as server:
        talk(f"{server.address}/mcp", everything, mode)


def test_stray_prints_reach_stderr_and_never_the_protocol(root: Path) -> None:
    noisy = (
        "import os, sys\n"
        "from qidf.repository import Repository\n"
        "from qidf.serving.mcp import Desk, run_stdio\n"
        "quiet = Repository.search\n"
        "def search(self, *given, **named):\n"
        "    print('noise from Python')\n"
        "    sys.stdout.flush()\n"
        "    os.system('echo noise from a child')\n"
        "    return quiet(self, *given, **named)\n"
        "Repository.search = search\n"
        "run_stdio(Desk.open(sys.argv[1:]))\n"
    )

    async def use(client: Client) -> None:
        for _ in range(3):
            found = await client.call_tool("search", {"query": "check_token_3"})
            assert "check_token_3" in text_of(found)

    talk(over_stdio(root, noisy), use)


def test_lines_that_are_no_protocol_are_answered_in_protocol_or_not_at_all(root: Path) -> None:
    garbage = b'\n{}\n[]\nnull\n{"jsonrpc": "2.0"}\n\xff\xfe\n' + b"[" * 5000 + b"\n"
    process = subprocess.run(
        [sys.executable, "-m", "qidf", "mcp", str(root)],
        input=garbage,
        capture_output=True,
        timeout=120,
        check=False,
    )
    for line in process.stdout.splitlines():
        assert json.loads(line)["jsonrpc"] == "2.0"
    assert process.returncode == 0


def test_a_bug_in_a_tool_tells_the_client_nothing_of_the_server(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk.open([root])

    def broken() -> str:
        raise RuntimeError(f"{SECRET} in a message")

    monkeypatch.setattr(desk, "status", broken)

    async def use(client: Client) -> None:
        found = await client.call_tool("status")
        assert found.is_error
        assert SECRET not in text_of(found)
        assert "Traceback" not in text_of(found)

    talk(create_server(desk), use)


def test_the_tools_take_little_of_every_prompt(root: Path) -> None:
    async def use(client: Client) -> None:
        tools = [
            tool.model_dump(mode="json", by_alias=True, exclude_none=True)
            for tool in (await client.list_tools()).tools
        ]
        assert token_counter(exact=False).count(json.dumps(tools)) < 440
        assert "title" not in json.dumps(tools)
        for tool in tools:
            for name, found in tool["inputSchema"]["properties"].items():
                assert found["type"] in ("string", "integer"), name

    talk(create_server(Desk.open([root])), use)


def _initialize(server: Server, **headers: str) -> int:
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "0"},
        },
    }
    accepted = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    reply = server.request(
        "POST", "/mcp", body=json.dumps(body).encode(), headers={**accepted, **headers}
    )
    return reply.status


def test_http_checks_host_origin_and_token(root: Path) -> None:
    desk = Desk.open([root])
    with listening(http_application(desk, Access())) as server:
        assert _initialize(server) == 200
        assert _initialize(server, Host="evil.example") == 403
        assert _initialize(server, Origin="https://evil.example") == 403
    with listening(http_application(desk, Access("127.0.0.1", token=TOKEN))) as server:
        assert _initialize(server) == 401
        assert _initialize(server, Authorization="Bearer wrong-wrong-wrong-wrong") == 401
        assert _initialize(server, Authorization=f"Bearer {TOKEN}") == 200


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)
NAMES = st.sampled_from(["search", "read_span", "status", "nonsense", ""])
ARGUMENTS = st.dictionaries(
    st.sampled_from(["query", "path", "budget", "start_line", "end_line", "language", "x"]),
    JSON | st.sampled_from(["../secret.py", "link.py", "out/secret.py", 200, 1]),
    max_size=4,
)


def test_no_arguments_break_the_server_or_lead_out_of_the_root(root: Path) -> None:
    calls: list[tuple[str, dict[str, Any]]] = []

    @settings(
        max_examples=120, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
    )
    @given(NAMES, ARGUMENTS)
    def collect(name: str, arguments: dict[str, Any]) -> None:
        calls.append((name, arguments))

    collect()

    async def use(client: Client) -> None:
        from mcp import MCPError

        for name, arguments in calls:
            try:
                found = await client.call_tool(name, arguments)
            except (MCPError, ValueError):
                # Refused by the protocol, or NaN, which JSON doesn't have.
                continue
            for content in found.content:
                assert f"{SECRET} = 1" not in getattr(content, "text", "")
                assert "Traceback" not in getattr(content, "text", "")
                # What the SDK says of a crash; a refusal has a reason behind it.
                assert getattr(content, "text", "") != f"Error executing tool {name}"
        alive = await client.call_tool("search", {"query": "check_token_3"})
        assert "check_token_3" in text_of(alive)

    talk(create_server(Desk.open([root])), use)
