"""What the proxy adds to a search on a warm cache, alone and with hundreds of clients."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import aiohttp

from benchmarks.opensearch.loading import hosts
from benchmarks.opensearch.workload import INDEX, engine, some_queries, summary

QUERIES = 200
ROUNDS = 2
CLIENTS = (1, 50, 200, 400)
PER_CLIENT_TOTAL = 600
Q = 0.5


def measure(folder: Path) -> dict[str, Any]:
    texts = some_queries(folder, QUERIES)
    asked = engine(ttl=3600)
    bodies = [
        json.dumps({"query": {"match": {"content": text}}, "_source": False}).encode()
        for text in texts
    ]
    rewritten = [
        json.dumps(
            asked.rewrite_body({"query": {"match": {"content": text}}, "_source": False}, Q).query
        ).encode()
        for text in texts
    ]
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    upstream = hosts()[0]
    process = subprocess.Popen(
        [sys.executable, "-m", "qidf", "proxy", "--upstream", upstream, "--field", "content",
         "--listen", f"127.0.0.1:{port}", "--q", str(Q), "--ttl", "3600", "--patience", "30"],
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        return asyncio.run(
            _measure(upstream, f"http://127.0.0.1:{port}", bodies, rewritten, process.pid)
        )
    finally:
        process.terminate()
        process.wait(20)


async def _measure(
    upstream: str, proxy: str, bodies: list[bytes], rewritten: list[bytes], pid: int
) -> dict[str, Any]:
    exact = f"{upstream}/{INDEX}/_search?search_type=dfs_query_then_fetch"
    through = f"{proxy}/{INDEX}/_search"
    connector = aiohttp.TCPConnector(limit=0)
    timeout = aiohttp.ClientTimeout(total=120)
    async with aiohttp.ClientSession(connector=connector, timeout=timeout) as http:

        async def post(url: str, body: bytes) -> tuple[float, int, str, bytes]:
            began = time.perf_counter()
            async with http.post(
                url, data=body, headers={"content-type": "application/json"}
            ) as answer:
                got = await answer.read()
                took = (time.perf_counter() - began) * 1e3
                return took, answer.status, answer.headers.get("x-qidf", ""), got

        for _ in range(100):
            try:
                await post(through, bodies[0])
                break
            except aiohttp.ClientConnectionError:
                await asyncio.sleep(0.1)
        for body in bodies:
            await post(through, body)
        direct, proxied, added = [], [], []
        used = _cpu_ms(pid)
        for _ in range(ROUNDS):
            for at, (body, sent) in enumerate(zip(bodies, rewritten, strict=True)):
                # Whoever comes second finds the server warm, so they take turns at being first.
                if at % 2:
                    first, second = await post(exact, sent), await post(through, body)
                else:
                    second, first = await post(through, body), await post(exact, sent)
                if not second[2].startswith("rewritten"):
                    raise SystemExit(f"not rewritten: {second[2]}")
                _agree(_scores(first[3]), _scores(second[3]))
                direct.append(first[0])
                proxied.append(second[0])
                added.append(second[0] - first[0])
        used, passing = _cpu_ms(pid) - used, _cpu_ms(pid)
        quick = await _floor(post, upstream, proxy)
        passing = _cpu_ms(pid) - passing
        rows = {}
        for clients in CLIENTS:
            rows[str(clients)] = {
                "direct": await _together(post, exact, rewritten, clients),
                "proxy": await _together(post, through, bodies, clients),
            }
    return {
        "direct": summary(direct),
        "proxy": summary(proxied),
        "added": summary(added),
        "passing_through": quick,
        "proxy_cpu_ms": round(used / len(proxied), 3),
        "passing_cpu_ms": round(passing / quick["proxy"]["count"], 3),
        "clients": rows,
    }


async def _floor(post: Any, upstream: str, proxy: str) -> dict[str, Any]:
    """A request that costs the server nothing: what the hop itself adds."""
    direct, proxied = [], []
    body = b'{"query":{"match_none":{}},"size":0}'
    for _ in range(500):
        direct.append((await post(f"{upstream}/{INDEX}/_search", body))[0])
        proxied.append((await post(f"{proxy}/{INDEX}/_search", body))[0])
    return {"direct": summary(direct), "proxy": summary(proxied)}


async def _together(post: Any, url: str, bodies: list[bytes], clients: int) -> dict[str, Any]:
    each = max(1, PER_CLIENT_TOTAL // clients)
    statuses: dict[str, int] = {}
    times: list[float] = []

    async def run(number: int) -> None:
        for at in range(each):
            body = bodies[(number * each + at) % len(bodies)]
            took, status, said, _ = await post(url, body)
            kind = f"{status} {said.split(';')[0]}".strip()
            statuses[kind] = statuses.get(kind, 0) + 1
            times.append(took)

    began = time.perf_counter()
    await asyncio.gather(*(run(number) for number in range(clients)))
    seconds = time.perf_counter() - began
    return {**summary(times), "per_second": round(len(times) / seconds, 1), "answers": statuses}


def _cpu_ms(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1e3 / os.sysconf("SC_CLK_TCK")


def _scores(body: bytes) -> list[float]:
    return [hit["_score"] for hit in json.loads(body)["hits"]["hits"]]


def _agree(direct: list[float], proxied: list[float]) -> None:
    """Compare scores, not documents: copies of a shard put equal scores in orders of their own."""
    same = len(direct) == len(proxied) and all(
        abs(a - b) <= 1e-5 * a for a, b in zip(direct, proxied, strict=True)
    )
    if not same:
        raise SystemExit(f"the proxy's scores {proxied} differ from the direct ones {direct}")
