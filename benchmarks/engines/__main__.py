"""python -m benchmarks.engines sample|load|overhead ..."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.engines.loading import load, sample
from benchmarks.engines.overhead import measure
from qidf.errors import QidfError


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.engines")
    commands = parser.add_subparsers(dest="command", required=True)
    draw = commands.add_parser("sample", help="write a smaller BEIR folder")
    draw.add_argument("folder")
    draw.add_argument("out", type=Path)
    draw.add_argument("--docs", type=int, default=50_000)
    draw.add_argument("--queries", type=int, default=2_000)
    fill = commands.add_parser("load", help="load a BEIR folder into an engine")
    fill.add_argument("folder")
    fill.add_argument("address", help="such as sqlite:/data/go.db, tantivy:/data/go")
    cost = commands.add_parser("overhead", help="time plain queries against q-log ones")
    cost.add_argument("folder")
    cost.add_argument("addresses", nargs="+", help="of engines that hold the folder's documents")
    cost.add_argument("--queries", type=int, default=300)
    cost.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    try:
        if arguments.command == "sample":
            sample(arguments.folder, arguments.out, arguments.docs, arguments.queries)
        elif arguments.command == "load":
            print(load(arguments.folder, arguments.address))
        else:
            print(
                measure(arguments.folder, arguments.addresses, arguments.queries, arguments.repeats)
            )
    except QidfError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
