"""The proxy, asked by those who mean harm: it answers, lends nothing, and stays small."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from proxy_under_test import Pretender

from hostile import (
    MAX_GROWTH_BYTES,
    ROUNDS,
    Target,
    free_port,
    harm,
    started,
    wait_until_up,
)

SEARCH = b'{"query":{"match":{"content":"alpha beta"}}}'
OWN = "Basic dXNlcjpwYXNzd29yZA=="


def test_nothing_that_is_sent_stops_the_proxy_or_makes_it_large() -> None:
    if not Path("/proc/self/clear_refs").exists():
        pytest.skip("the peak of a process's memory is counted by Linux")
    texts = ["alpha beta", "alpha", "beta gamma"]
    server = Pretender({OWN: texts, "Basic other": texts})
    port = free_port()
    upstream = server.url.replace("//", "//user:password@")
    arguments = ["proxy", "--upstream", upstream, "--listen", f"127.0.0.1:{port}"]
    try:
        with started([*arguments, "--field", "content", "--q", "0.5"], {}) as process:
            headers = {"Content-Type": "application/json"}
            target = Target(process, port, "POST", "/code/_search", SEARCH, headers)
            wait_until_up(target)
            harm(target)
            # Identities and texts without end, each of them remembered for a while.
            for number in range(50 * ROUNDS):
                words = " ".join(f"w{number}x{each}" for each in range(1_000))
                body = json.dumps({"query": {"match": {"content": words}}}).encode()
                lines = (f"Content-Length: {len(body)}", f"Cookie: number={number}")
                target.throw(target.head(*lines, "Connection: close") + body)
            assert target.asks() == 200
            growth = target.growth()
            print(f"proxy: {target.sent:,} hostile requests, {growth / 1e6:.0f} MB over idle")
            assert growth < MAX_GROWTH_BYTES
    finally:
        server.running.stop()
