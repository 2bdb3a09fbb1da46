"""A change in ranking shows up as a diff of a text that a person can read."""

from __future__ import annotations

import json

from search_paths import all_paths, searching

from golden import GOLDEN, check_golden
from qidf.index import Index
from qidf.statistics import predict_q

QUERIES = [
    "retry after a server error",
    "shouldRetry",
    "where is the delay between attempts computed",
    "parse number",
    "def parse_iso8601(text)",
    "func splitNode(node *btreeNode) (*btreeNode, error)",
    "append a record to the log and sync the file",
    "stale lock after crash",
    "err err err return nil",
    "dialContext context address network",
    "test that a node is split in two",
    "rare words rank documents",
    "nothing_of_this_occurs anywhere_at_all",
]


def rendered() -> str:
    with open(GOLDEN / "ranking-corpus.jsonl", encoding="utf-8") as lines:
        index = Index.build(json.loads(line) for line in lines)
    blocks = [f"{len(index)} documents, the paper's q is {predict_q(index.stats):.3f}"]
    for query in QUERIES:
        lines_of_block = [query]
        for weighting in ("bm25", "paper", "qlog1p(q=0.5, k3=auto)"):
            decision = index.decide(query, weighting=weighting)
            lines_of_block.append(f"  {weighting}: {decision.weighting}")
            hits = index.search(query, 5, weighting=weighting)
            lines_of_block += [f"    {hit.rank}  {hit.score:9.4f}  {hit.id}" for hit in hits]
            if not hits:
                lines_of_block.append("    no hits")
        blocks.append("\n".join(lines_of_block))
    return "\n\n".join(blocks) + "\n"


@all_paths
def test_rankings_are_the_golden_ones(path: str) -> None:
    with searching(path):
        check_golden("rankings.txt", rendered())
