"""How `qidf mcp --http` answers many agents that search and think, against one alone.

An agent asks, thinks for about `--think` seconds, and asks again. Reported are errors, searches a
second, and the times of one agent and of many.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import socket
import subprocess
import sys
import time
from pathlib import Path

import aiohttp

HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-06-18",
}


async def agent(
    http: aiohttp.ClientSession, url: str, words: list[str], until: float, think: float, seed: int
) -> tuple[list[float], list[str]]:
    """Search until the time is over; return how long each took and what went wrong."""
    chance = random.Random(seed)
    times: list[float] = []
    errors: list[str] = []
    await asyncio.sleep(chance.uniform(0, think))
    while time.monotonic() < until:
        query = " ".join(chance.sample(words, chance.randrange(2, 12)))
        call = {"name": "search", "arguments": {"query": query}}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        began = time.monotonic()
        try:
            async with http.post(url, json=body, headers=HEADERS) as answer:
                text = await answer.text()
            if answer.status != 200 or '"isError":true' in text or '"result"' not in text:
                errors.append(f"{answer.status} {text[:200]}")
        except (aiohttp.ClientError, asyncio.TimeoutError) as error:
            errors.append(type(error).__name__)
        times.append(time.monotonic() - began)
        await asyncio.sleep(chance.expovariate(1 / think) if think else 0)
    return times, errors


async def load(
    url: str, words: list[str], agents: int, seconds: float, think: float
) -> tuple[list[float], list[str]]:
    """Let many search at once."""
    connector = aiohttp.TCPConnector(limit=0)
    timeout = aiohttp.ClientTimeout(total=120)
    async with aiohttp.ClientSession(connector=connector, timeout=timeout) as http:
        until = time.monotonic() + seconds
        found = await asyncio.gather(
            *(agent(http, url, words, until, think, seed) for seed in range(agents))
        )
    return sorted(t for times, _ in found for t in times), [
        e for _, errors in found for e in errors
    ]


def words_of(root: Path) -> list[str]:
    """Words to ask for, from some of the repository's files."""
    found: set[str] = set()
    for path in sorted(root.rglob("*.py"))[::50]:
        text = path.read_text(encoding="utf-8", errors="replace")
        found.update(word for word in text.split() if word.isidentifier() and len(word) > 3)
    return sorted(found)


def main() -> None:
    """Measure and print."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("repository", type=Path)
    reader.add_argument("--agents", type=int, default=200)
    reader.add_argument("--seconds", type=float, default=120)
    reader.add_argument("--think", type=float, default=10)
    given = reader.parse_args()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "qidf", "mcp", str(given.repository), "--http"]
    server = subprocess.Popen([*command, "--port", str(port)], stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}/mcp"
    words = words_of(given.repository)
    try:
        # Until the first index is there.
        while True:
            time.sleep(1)
            _, errors = asyncio.run(load(url, words, 1, 0.5, 0))
            if not errors:
                break
        for agents, think in ((1, 0.0), (given.agents, given.think)):
            seconds = 20.0 if agents == 1 else given.seconds
            times, errors = asyncio.run(load(url, words, agents, seconds, think))
            figures = {
                "agents": agents,
                "searches": len(times),
                "a second": round(len(times) / seconds, 1),
                "errors": len(errors),
                "p50": round(times[len(times) // 2], 3),
                "p99": round(times[int(len(times) * 0.99)], 3),
            }
            print(json.dumps(figures), *errors[:3])
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
