"""Loading BEIR folders into engines, and the table of what a query costs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from benchmarks.engines.loading import LOADERS, load, sample
from benchmarks.engines.overhead import render, summary

import qidf
from qidf.datasets import open_dataset
from qidf.errors import InvalidArgumentError

NEEDED = {"tantivy": "tantivy", "duckdb": "duckdb", "xapian": "xapian", "bm25s": "bm25s"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "beir"
    (root / "qrels").mkdir(parents=True)
    words = [f"word{chr(97 + at)}" for at in range(20)]
    documents = [{"_id": f"d{at}", "text": f"common {word}"} for at, word in enumerate(words)]
    queries = [{"_id": f"q{at}", "text": word} for at, word in enumerate(words[:6])]
    for name, records in (("corpus", documents), ("queries", queries)):
        (root / f"{name}.jsonl").write_text("".join(json.dumps(each) + "\n" for each in records))
    judged = "".join(f"q{at}\td{at}\t1\n" for at in range(6))
    (root / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + judged)
    return root


@pytest.mark.parametrize("scheme", LOADERS)
def test_a_folder_is_loaded_and_found_under_the_address_that_is_printed(
    scheme: str, folder: Path, tmp_path: Path
) -> None:
    if scheme in NEEDED:
        pytest.importorskip(NEEDED[scheme])
    address = load(str(folder), f"{scheme}:{tmp_path}/loaded")
    with qidf.connect(address) as engine:
        assert engine.statistics(["common"]).num_docs == 20
        assert engine.search("wordc", 1, 0.5)[0].id == "d2"
    with pytest.raises(InvalidArgumentError, match="exists already"):
        load(str(folder), f"{scheme}:{tmp_path}/loaded")


def test_there_is_no_loader_for_a_server(folder: Path) -> None:
    with pytest.raises(InvalidArgumentError, match="there is no loader for opensearch"):
        load(str(folder), "opensearch://host/index")


def test_a_sample_keeps_what_its_queries_are_judged_by(folder: Path, tmp_path: Path) -> None:
    sample(str(folder), tmp_path / "small", 8, 4)
    small = open_dataset(str(tmp_path / "small"))
    assert (small.num_docs, small.num_queries) == (8, 4)
    for query_id in small.queries.ids:
        assert set(small.judgements[query_id]) <= set(small.documents.ids)


def test_ratios_are_of_each_querys_cheapest_repeat() -> None:
    row: dict[str, Any] = {
        "engine": "some engine",
        "q": 0.5,
        "plain_cpu_ms": [[1.0, 2.0, 9.0], [3.0, 1.0, 3.0]],
        "qlog_cpu_ms": [[2.0, 4.0, 6.0], [9.0, 2.0, 9.0]],
    }
    found = summary(row)
    assert found["p50_plain"] == 1.0
    assert found["p50_qlog"] == 2.0
    assert found["p50_ratio"] == 2.0
    page = render(
        {
            "dataset": "tiny",
            "num_docs": 3,
            "num_queries": 3,
            "k": 10,
            "repeats": 2,
            "engines": [row],
            "machine": {"cpu": "some", "cores": 2},
            "load": {"before": [0.1], "after": [0.2]},
            "commit": {"id": "0123456789"},
        },
        "engines-x",
    )
    assert "| some engine | 0.500 | 1.00 |" in page
    assert "**2.00x**" in page
