"""What the documents promise about the code: links, layers, commands, the examples, the picture."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from qidf import __version__
from qidf.cli.group import COMMANDS

ROOT = Path(__file__).parent.parent
PAGES = sorted(ROOT.glob("*.md")) + sorted((ROOT / "docs").glob("*.md"))
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    headings = {
        re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-")
        for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    }
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith("#"):
            assert target[1:] in headings, target
        elif "://" not in target:
            assert (page.parent / target.partition("#")[0]).exists(), target


def test_the_map_shows_every_package() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    for package in (ROOT / "src" / "qidf").iterdir():
        if (package / "__init__.py").exists():
            assert f"(src/qidf/{package.name})" in text, package.name


def test_no_layer_imports_the_one_above_it() -> None:
    pytest.importorskip("importlinter", reason="make layers and CI check it too")
    command = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command as run; run()",
    ]
    result = subprocess.run(
        [*command, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_every_command_in_the_readme_exists_and_every_command_is_in_it() -> None:
    used = re.findall(r"^qidf (\w+)", README, re.MULTILINE) + re.findall(r"`qidf (\w+)", README)
    assert set(used) <= set(COMMANDS)
    table = README.partition("## Commands")[2]
    for command in COMMANDS:
        assert re.search(rf"`(qidf )?{command}`", table), command


def test_the_examples_of_the_readme_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    examples = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    assert len(examples) == 2
    for number, example in enumerate(examples):
        exec(compile(example, f"README example {number}", "exec"), {})
    assert "handlewebsocketupgrade" in capsys.readouterr().out


def test_the_readme_leaves_room_for_generated_benchmarks() -> None:
    assert README.count("<!-- benchmarks:start -->") == 1
    assert README.count("<!-- benchmarks:end -->") == 1


def test_the_picture_is_the_one_its_script_draws() -> None:
    script = runpy.run_path(str(ROOT / "docs" / "idf_curves.py"))
    committed = (ROOT / "docs" / "idf_curves.svg").read_text(encoding="utf-8")
    assert script["draw"]() == committed


def test_the_version_is_written_the_same_everywhere() -> None:
    assert f'version = "{__version__}"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f"## [{__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
