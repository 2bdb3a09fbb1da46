"""Findings on disk: a folder for each study, and one page with everything."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from qidf import __version__
from qidf.studies.drawing import PICTURES, draw
from qidf.studies.figures import Figure
from qidf.studies.store import Store, studies_version
from qidf.studies.study import Findings, Study
from qidf.studies.workbench import Workbench

PAGE = "README.md"


def write_study(folder: Path, study: Study, findings: Findings, bench: Workbench) -> Path:
    """Write a study's page, tables and figures into folder/<study>; return the page."""
    own = folder / study.name
    own.mkdir(parents=True, exist_ok=True)
    for table in findings.tables:
        content = table.csv().encode("utf-8")
        if table.packed:
            # Without a time of writing the same values are the same bytes.
            content = gzip.compress(content, 9, mtime=0)
        (own / table.file_name).write_bytes(content)
    for figure in findings.figures:
        _picture(figure, own, bench.store)
    facts = {"study": study.name, "paper": study.paper, **conditions(bench)}
    (own / "conditions.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    page = own / PAGE
    page.write_text(
        f"# {study.title}\n\n{_body(study, findings, '', 2)}\n\n{_conditions(bench)}\n",
        encoding="utf-8",
    )
    return page


def _picture(figure: Figure, folder: Path, store: Store) -> None:
    """Draw a figure, or take the pictures that the same data gave before."""
    key = {
        "figure": figure.to_dict(),
        "matplotlib": _version("matplotlib"),
        "code": studies_version(),
    }
    kept = {suffix: store.blob(key, suffix) for suffix in PICTURES}
    if any(content is None for content in kept.values()):
        for path in draw(figure, folder):
            store.put_blob(key, path.suffix, path.read_bytes())
        return
    for suffix, content in kept.items():
        (folder / f"{figure.name}{suffix}").write_bytes(content or b"")


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def write_report(
    folder: Path,
    results: Sequence[tuple[Study, Findings]],
    bench: Workbench,
    left_out: Sequence[tuple[Study, str]] = (),
) -> Path:
    """Write one page with every study's tables and figures, over their folders."""
    parts = ["# Studies", _conditions(bench), _contents([study for study, _ in results])]
    if left_out:
        parts.append("\n".join(f"- {study.name} is left out: {why}." for study, why in left_out))
    for study, findings in results:
        parts.append(f"## {study.title}")
        parts.append(_body(study, findings, f"{study.name}/", 3))
    page = folder / PAGE
    page.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return page


def conditions(bench: Workbench) -> dict[str, object]:
    """What the numbers depend on; no path, since the content is what counts."""
    return {
        "qidf": __version__,
        "settings": asdict(bench.settings),
        "datasets": {
            source.name: {"topic": source.topic, "sha256": bench.digests[source.name]}
            for source in bench.sources
        },
    }


def _conditions(bench: Workbench) -> str:
    settings = bench.settings
    names = ", ".join(f"{source.name} (`{bench.digests[source.name]}`)" for source in bench.sources)
    return (
        f"qidf {__version__}, NDCG@{settings.k}, analyzer {settings.analyzer} unless said"
        f" otherwise, ties by {settings.ties}, {settings.resamples:,} bootstrap resamples, seed"
        f" {settings.seed}.\nDatasets, with a digest of their content: {names}."
    )


def _contents(studies: Sequence[Study]) -> str:
    return "\n".join(
        ["| Study | Paper | Question |", "|---|---|---|"]
        + [
            f"| [{study.name}]({study.name}/{PAGE}) | {study.paper} | {study.question} |"
            for study in studies
        ]
    )


def _body(study: Study, findings: Findings, prefix: str, level: int) -> str:
    parts = [f"{study.question} Paper: {study.paper}."]
    for table in findings.tables:
        if table.shown:
            parts += [f"{'#' * level} {table.title}", table.markdown()]
            if table.note:
                parts.append(table.note)
    for figure in findings.figures:
        parts.append(f"![{figure.title}]({prefix}{figure.name}.svg)")
        parts.append(f"*{figure.title}* ([PNG]({prefix}{figure.name}.png))")
    if findings.notes:
        parts.append("\n".join(f"- {note}" for note in findings.notes))
    files = ", ".join(
        f"[{table.file_name}]({prefix}{table.file_name})" for table in findings.tables
    )
    parts.append(f"Data: {files}.")
    return "\n\n".join(parts)
