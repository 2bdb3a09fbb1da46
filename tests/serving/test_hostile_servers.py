"""The page and the agents' server, asked by those who mean harm: they answer, and stay small."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from agent_repository import make_repository

from hostile import MAX_GROWTH_BYTES, Target, free_port, harm, started, wait_until_up

JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize("kind", ["page", "agents"])
def test_nothing_that_is_sent_stops_a_server_or_makes_it_large(kind: str, tmp_path: Path) -> None:
    if not Path("/proc/self/clear_refs").exists():
        pytest.skip("the peak of a process's memory is counted by Linux")
    root, port = make_repository(tmp_path), free_port()
    environment = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    if kind == "page":
        arguments = ["serve", str(root), "--port", str(port)]
        question: object = {"query": "check_token_3"}
        path, headers = "/api/compare", JSON
    else:
        pytest.importorskip("mcp.server.mcpserver", reason="the server needs the extra mcp")
        arguments = ["mcp", str(root), "--http", "--port", str(port)]
        call = {"name": "search", "arguments": {"query": "check_token_3"}}
        question = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        path = "/mcp"
        headers = {
            **JSON,
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2025-06-18",
        }
    with started(arguments, environment) as process:
        body = json.dumps(question).encode()
        target = Target(process, port, "POST", path, body, headers)
        wait_until_up(target)
        growth = harm(target)
        print(f"{kind}: {target.sent:,} hostile requests, {growth / 1e6:.0f} MB over idle")
        assert growth < MAX_GROWTH_BYTES
