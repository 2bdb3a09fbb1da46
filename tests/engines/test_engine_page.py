"""docs/engines.md says what the suite measured and what the adapters are."""

from __future__ import annotations

import json
import runpy
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

import pytest

from qidf.engines.registry import ENGINES

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "engines.md").read_text(encoding="utf-8")


def test_the_tables_are_those_of_the_committed_results() -> None:
    script = runpy.run_path(str(DOCS / "engine_matrix.py"))
    assert script["filled"](PAGE, script["tables"]()) == PAGE


@pytest.mark.parametrize(
    "name", ["lucene", "tantivy", "sqlite", "duckdb", "xapian", "bm25s", "qidf"]
)
def test_every_engine_was_measured_as_it_is(name: str) -> None:
    results = json.loads((DOCS / "engines.json").read_text(encoding="utf-8"))
    row = next(row for row in ENGINES if name in row.schemes)
    module = import_module(row.module)
    if not hasattr(module, "CAPABILITIES"):
        module = import_module(f"{row.module}.engine")
    assert results[name]["capabilities"] == asdict(module.CAPABILITIES)
    assert results[name]["score_difference"] <= 1e-6


@pytest.mark.parametrize("row", ENGINES, ids=lambda row: row.schemes[0])
def test_every_scheme_is_on_the_page(row: object) -> None:
    from qidf.engines.registry import Registration

    assert isinstance(row, Registration)
    for scheme in row.schemes:
        assert f"`{scheme}:" in PAGE or f"a {scheme} index" in PAGE
    if row.extra is not None:
        assert f"`qidf[{row.extra}]`" in PAGE


def test_percentiles_are_numpys() -> None:
    import numpy as np

    script = runpy.run_path(str(DOCS / "engine_matrix.py"))
    values = sorted(np.random.default_rng(1).random(37).tolist())
    for percent in (0, 50, 95, 100):
        assert script["_percentile"](values, percent) == pytest.approx(
            np.percentile(values, percent)
        )
