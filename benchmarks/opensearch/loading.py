"""Put a BEIR folder into an index.

    python -m benchmarks.opensearch.loading FOLDER --index go

The index has several shards and a replica of each, one text field with the server's default
analyzer, and everything else at its default.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from opensearchpy import OpenSearch, helpers


def hosts(variable: str = "QIDF_OPENSEARCH_CLUSTER_URL") -> list[str]:
    found = os.environ.get(variable)
    if not found:
        raise SystemExit(f'{variable} is not set; run: eval "$(scripts/servers start)"')
    return found.split(",")


def documents(folder: Path, limit: int | None = None) -> Iterator[dict[str, Any]]:
    with gzip.open(folder / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if limit is not None and number >= limit:
                return
            yield json.loads(line)


def load(
    client: OpenSearch, folder: Path, index: str, shards: int, replicas: int, limit: int | None
) -> int:
    client.indices.delete(index=index, ignore_unavailable=True)
    client.indices.create(
        index=index,
        body={
            "settings": {"number_of_shards": shards, "number_of_replicas": replicas},
            "mappings": {"properties": {"content": {"type": "text"}}},
        },
    )
    actions = (
        {
            "_index": index,
            "_id": document["_id"],
            "content": " ".join(filter(None, (document.get("title"), document["text"]))),
        }
        for document in documents(folder, limit)
    )
    number = sum(1 for _ in helpers.streaming_bulk(client, actions, chunk_size=2_000))
    client.indices.refresh(index=index)
    client.indices.forcemerge(index=index, max_num_segments=1, request_timeout=600)
    client.cluster.health(index=index, wait_for_status="green", request_timeout=120)
    return number


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--index", default="go")
    parser.add_argument("--shards", type=int, default=3)
    parser.add_argument("--replicas", type=int, default=1)
    parser.add_argument("--limit", type=int)
    arguments = parser.parse_args()
    client = OpenSearch(hosts(), timeout=120)
    began = time.perf_counter()
    number = load(
        client,
        arguments.folder,
        arguments.index,
        arguments.shards,
        arguments.replicas,
        arguments.limit,
    )
    print(f"{number:,} documents in {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
