"""What q-log costs: building, rescaling, asking, disk and memory."""

from __future__ import annotations

import importlib.util
import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from qidf.studies import paper_proxies
from qidf.studies.figures import Figure, Panel, Series
from qidf.studies.sources import Subject
from qidf.studies.stopwatch import BM25S, QIDF, RESCALED, measure_apart
from qidf.studies.study import Findings, Study, lacks_collections
from qidf.studies.tables import Cell, Column, table
from qidf.studies.workbench import Workbench

# bm25s takes half a minute to tokenize and index once, and builds differ little.
BUILD_TRIALS = 3
# In the units of the paper's table.
_MEASURES = {
    "build_s": ("index build", "s"),
    "rescale_ms": ("rescale", "ms"),
    "size_mb": ("size on disk", "MB"),
    "p50_ms": ("query p50", "ms"),
    "p95_ms": ("query p95", "ms"),
    "rss_gib": ("peak memory at query", "GiB"),
}
_COLUMNS = (
    Column("measure", "measure"),
    Column("unit", "unit"),
    Column("bm25s", "bm25s", ".4g"),
    Column("bm25s_mad", "±", ".2g"),
    Column("paper_bm25s", "paper", ".4g"),
    Column("rescaled", "bm25s, rescaled", ".4g"),
    Column("rescaled_mad", "±", ".2g"),
    Column("paper_rescaled", "paper", ".4g"),
    Column("change", "change", "+.1%"),
    Column("paper_change", "paper", "+.1%"),
    Column("qidf_1", "qidf, q = 1", ".4g"),
    Column("qidf_1_mad", "±", ".2g"),
    Column("qidf", "qidf, same q", ".4g"),
    Column("qidf_mad", "±", ".2g"),
)


@dataclass(frozen=True, slots=True)
class _Figure:
    """A median of trials and their median distance from it."""

    median: float
    mad: float | None = None

    @classmethod
    def of(cls, trials: Sequence[float], unit: float = 1.0) -> _Figure:
        values = np.array(trials) * unit
        middle = float(np.median(values))
        return cls(middle, float(np.median(np.abs(values - middle))))


def _run(bench: Workbench) -> Findings:
    subject = (bench.code() or bench.subjects())[0]
    measured = bench.measure(subject, [])
    q = measured.q_pred
    with tempfile.TemporaryDirectory(prefix="qidf-overhead-") as folder:
        found = _measure(bench, subject, q, Path(folder))
    rows = [_row(name, found, subject.topic == "go") for name in _MEASURES]
    tokenizing = found["tokenize"]
    main = table(
        "overhead",
        f"{subject.name}: {measured.num_docs:,} documents, q = {q:.3f}",
        _COLUMNS,
        rows,
        note=f"Medians of {paper_proxies.OVERHEAD_TRIALS} trials ({BUILD_TRIALS} for building) and"
        f" their median absolute deviations; {_num_queries(measured.num_queries):,} queries one at"
        f" a time, given as tokens, the best {paper_proxies.OVERHEAD_K}. Each engine runs in a"
        " process of its own over an index read from disk; times are the processor's, not the"
        " clock's. bm25s runs as it comes (numpy); its build is without tokenizing, which takes"
        f" {tokenizing.median:.3g} s more, and qidf's includes it. The rescaled folder keeps the"
        " original scores too, so that they can be restored.",
    )
    return Findings(
        (main,), (_figure(rows),), (*paper_proxies.PROXY_REMARKS["overhead"], _machine_note())
    )


def _num_queries(available: int) -> int:
    return min(available, paper_proxies.OVERHEAD_QUERIES)


def _measure(bench: Workbench, subject: Subject, q: float, folder: Path) -> dict[str, Any]:
    """Every figure by engine and measure."""
    data = bench.dataset(subject)
    analyzer = bench.collection(subject).index.analyzer
    count = _num_queries(data.num_queries)
    tokens = [analyzer.tokens(text) for text in data.queries.texts[:count]]
    texts, queries = folder / "texts.json", folder / "queries.json"
    texts.write_text(json.dumps(list(data.documents.texts)), encoding="utf-8")
    # bm25s can't be asked nothing.
    queries.write_text(json.dumps([each for each in tokens if each]), encoding="utf-8")
    trials = paper_proxies.OVERHEAD_TRIALS
    places = {
        BM25S: str(folder / "bm25s"),
        RESCALED: str(folder / "bm25s-rescaled"),
        QIDF: str(folder / "index.qidf"),
    }
    jobs: list[dict[str, Any]] = [
        {"work": "build", "engine": engine, "texts": str(texts), "folder": places[engine], "q": q}
        for engine in (BM25S, QIDF)
    ]
    jobs += [
        {"work": "query", "engine": engine, "queries": str(queries), "folder": places[engine],
         "q": at, "k": paper_proxies.OVERHEAD_K}
        for engine, at in ((BM25S, 1.0), (RESCALED, q), (QIDF, 1.0), (QIDF, q))
    ]  # fmt: skip
    peer, own, *asked = [
        measure_apart({**job, "trials": BUILD_TRIALS if job["work"] == "build" else trials})
        for job in bench.track(jobs, lambda job: f"{job['work']} {job['engine']}")
    ]
    sizes = (peer["size_bytes"], peer["rescaled_size_bytes"], own["size_bytes"], own["size_bytes"])
    found: dict[str, Any] = {"tokenize": _Figure.of(peer["tokenize_s"])}
    for name, answers, size in zip(
        ("bm25s", "rescaled", "qidf_1", "qidf"), asked, sizes, strict=True
    ):
        builder = own if name.startswith("qidf") else peer
        rss = answers["peak_rss_kib"]
        found[name] = {
            "build_s": _Figure.of(builder["build_s"]),
            "rescale_ms": _Figure.of(peer["rescale_s"], 1e3) if name == "rescaled" else None,
            "size_mb": _Figure(size / 1e6),
            "p50_ms": _Figure.of(answers["p50_s"], 1e3),
            "p95_ms": _Figure.of(answers["p95_s"], 1e3),
            "rss_gib": None if rss is None else _Figure(rss / 2**20),
        }
    # Rescaling is part of making a rescaled index.
    total = np.array(peer["build_s"]) + np.array(peer["rescale_s"])
    found["rescaled"]["build_s"] = _Figure.of(total.tolist())
    return found


def _row(measure: str, found: dict[str, Any], go: bool) -> dict[str, Cell]:
    title, unit = _MEASURES[measure]
    row: dict[str, Cell] = {"measure": title, "unit": unit}
    for name in ("bm25s", "rescaled", "qidf_1", "qidf"):
        figure = found[name][measure]
        if figure is not None:
            row[name] = figure.median
            row[f"{name}_mad"] = figure.mad
    row["change"] = _change(row.get("bm25s"), row.get("rescaled"))
    if go:
        row["paper_bm25s"], row["paper_rescaled"] = paper_proxies.OVERHEAD[measure]
        row["paper_change"] = _change(row["paper_bm25s"], row["paper_rescaled"])
    return row


def _change(before: Cell, after: Cell) -> float | None:
    if not isinstance(before, float) or not isinstance(after, float):
        return None
    return after / before - 1 if before else None


def _figure(rows: list[dict[str, Cell]]) -> Figure:
    """Query times, which are what q could have made worse."""
    shown = [row for row in rows if str(row["measure"]).startswith("query")]
    series = []
    for label, key, colour, paper in (
        ("bm25s", "bm25s", 6, False),
        ("bm25s, rescaled", "rescaled", 1, False),
        ("qidf, q = 1", "qidf_1", 3, False),
        ("qidf, same q", "qidf", 0, False),
        ("bm25s, paper", "paper_bm25s", 6, True),
        ("rescaled, paper", "paper_rescaled", 1, True),
    ):
        known = [row for row in shown if isinstance(row.get(key), float)]
        if known:
            names = tuple(str(row["measure"]) for row in known)
            values = tuple(value for row in known if isinstance(value := row[key], float))
            series.append(Series(label, "bars", names, values, colour, paper=paper))
    return Figure("overhead", "Time of a query", (Panel("Time", "", "ms", tuple(series)),))


def _machine_note() -> str:
    import os
    import platform

    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return (
        f"Measured on {platform.machine()} with {os.cpu_count()} cores{load}, Python"
        f" {platform.python_version()}; the paper's machine isn't named, so that only changes and"
        " ratios can be compared."
    )


def _lacks(bench: Workbench) -> str | None:
    if importlib.util.find_spec("bm25s") is None:
        return "it takes bm25s, which isn't installed (pip install 'qidf[bm25s]')"
    return lacks_collections(bench)


OVERHEAD = Study(
    "overhead",
    "Overhead: what q-log costs",
    "app. systems overhead",
    "What do rescaling and searching with q cost in time, disk and memory?",
    _run,
    timed=True,
    lacks=_lacks,
)
