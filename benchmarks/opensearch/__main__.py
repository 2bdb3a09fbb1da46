"""Measure q-log on a three-node OpenSearch and keep the run.

eval "$(scripts/servers start opensearch-cluster)"
python -m benchmarks.opensearch.loading CORPUS
python -m benchmarks.opensearch CORPUS [--only sharding,overhead,proxying,failover]
"""

from __future__ import annotations

import argparse
import json
from datetime import datetime, timezone
from importlib import import_module
from pathlib import Path

from benchmarks.opensearch.report import page
from benchmarks.speed.machine import commit, load, machine

SECTIONS = ("sharding", "overhead", "proxying", "failover")
RUNS = Path(__file__).parents[1] / "runs"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default=",".join(SECTIONS))
    parser.add_argument("--output", type=Path, default=RUNS)
    arguments = parser.parse_args()
    now = datetime.now(timezone.utc)
    found = {
        "started": now.isoformat(timespec="seconds"),
        "commit": commit(),
        "machine": machine(),
        "load_before": load(),
        "corpus": arguments.folder.name,
        "server": "OpenSearch, three nodes on one machine, 512 MB heap each, 3 shards, 1 replica",
        "sections": {},
    }
    for name in arguments.only.split(","):
        print(f"{name} ...", flush=True)
        found["sections"][name] = import_module(f"benchmarks.opensearch.{name}").measure(
            arguments.folder
        )
        print(json.dumps(found["sections"][name], indent=1), flush=True)
    found["load_after"] = load()
    stem = f"opensearch-{now:%Y-%m-%d-%H%M}-{(found['commit']['id'] or 'unknown')[:7]}"
    (arguments.output / f"{stem}.json").write_text(json.dumps(found, indent=1) + "\n")
    (arguments.output / f"{stem}.md").write_text(page(found))
    print(arguments.output / f"{stem}.md")


if __name__ == "__main__":
    main()
