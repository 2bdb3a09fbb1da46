"""Datasets on disk, a workbench over them, and the command."""

from __future__ import annotations

from pathlib import Path

import pytest
from study_data import MakeBench, code_like, write_folder

from qidf.evaluation import Settings
from qidf.studies import Source, Store, Workbench

QUICK = Settings(resamples=200)


@pytest.fixture
def folders(tmp_path: Path) -> dict[str, Path]:
    """Six languages and a text set; Python and Go have published queries too."""
    names = ("go", "java", "ruby", "python", "php", "javascript", "nfcorpus")
    return {
        name: write_folder(
            tmp_path / name,
            code_like(60 + 5 * number, 20 + number, number),
            published=name in ("python", "go"),
        )
        for number, name in enumerate(names)
    }


@pytest.fixture
def make_bench(folders: dict[str, Path], tmp_path: Path) -> MakeBench:
    """A workbench over some of the folders, with a store of the test's own."""

    def make(*names: str, store: Store | None = None) -> Workbench:
        sources = [Source.parse(str(folders[name])) for name in names]
        return Workbench(sources, QUICK, store=store or Store(tmp_path / "store"))

    return make
