"""Terrier's DPH over numbered tokens; runs in an interpreter that has python-terrier, no qidf."""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

TERRIER = "5.11"
# The bridge between python-terrier and Terrier; pinned, so that no version is looked up.
HELPER = "0.0.8"


def main(source: str, target: str) -> None:
    """Index the documents of `source`, rank its queries, write scored rankings to `target`."""
    pandas, pt = import_module("pandas"), import_module("pyterrier")
    pt.terrier.set_version(TERRIER)
    pt.terrier.set_helper_version(HELPER)
    read = json.loads(Path(source).read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        indexer = pt.IterDictIndexer(
            folder, meta={"docno": 20}, pretokenised=True, type=pt.IndexingType.SINGLEPASS
        )
        reference = indexer.index(
            {"docno": str(number), "toks": Counter(tokens)}
            for number, tokens in enumerate(read["documents"])
        )
        index = pt.IndexFactory.of(reference)
        statistics = index.getCollectionStatistics()
        queries = pandas.DataFrame(
            [
                {
                    "qid": str(number),
                    "query_toks": {token: float(n) for token, n in Counter(tokens).items()},
                }
                for number, tokens in enumerate(read["queries"])
                if tokens
            ]
        )
        retriever = pt.terrier.Retriever(index, wmodel="DPH", num_results=read["depth"])
        found = retriever(queries)
        rankings: list[list[tuple[int, float]]] = [[] for _ in read["queries"]]
        for row in found.sort_values(["qid", "rank"]).itertuples():
            rankings[int(row.qid)].append((int(row.docno), float(row.score)))
    result: dict[str, Any] = {
        "engine": f"Terrier {pt.terrier.version()}",
        "num_docs": statistics.getNumberOfDocuments(),
        "num_tokens": statistics.getNumberOfTokens(),
        "rankings": rankings,
    }
    Path(target).write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
