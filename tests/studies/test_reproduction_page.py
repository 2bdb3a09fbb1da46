"""The page that sets the paper beside a kept run, and the run itself."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reproduction.md"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import reproduction

    return reproduction


def test_the_page_is_the_one_its_script_writes(script: ModuleType) -> None:
    assert script.page(script.Run(script.RUN)) == PAGE.read_text(encoding="utf-8")


def test_readme_shows_the_figures_of_the_kept_run(script: ModuleType) -> None:
    assert script.readme() == script.README.read_text(encoding="utf-8")


def test_every_row_of_the_paper_is_judged(script: ModuleType) -> None:
    _, _, judged = PAGE.read_text(encoding="utf-8").partition("## What contradicts the paper")
    for line in judged.splitlines():
        if line.startswith("| ") and not line.startswith(("|  | paper", "| --- ")):
            cells = re.split(r"(?<!\\)\|", line)
            assert len(cells) == 7, line
            assert cells[4].strip(), line


def test_every_link_of_the_kept_run_leads_somewhere(script: ModuleType) -> None:
    import reproduction_beyond

    runs = (script.RUN, reproduction_beyond.RUN, reproduction_beyond.QUESTIONS_RUN)
    for page in (page for run in runs for page in run.rglob("*.md")):
        for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), target
