import json
import subprocess
from pathlib import Path

import click
import pytest
from benchmarks.speed import report
from click.testing import CliRunner

ROOT = Path(__file__).resolve().parents[2]


def committed_runs() -> list[Path]:
    """Runs that git knows, all of them where there is no git: a new one isn't in the README yet."""
    runs = sorted(report.RUNS.glob("speed-*.json"))
    command = ["git", "ls-files", "--error-unmatch", "--", "pyproject.toml"]
    if subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode != 0:
        return runs
    listed = subprocess.run(
        ["git", "ls-files", "--", "benchmarks/runs"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    known = {ROOT / line for line in listed.stdout.splitlines()}
    return [path for path in runs if path in known]


def test_the_readme_shows_what_the_newest_committed_run_generates() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    path = report.newest(committed_runs())
    shown = readme.partition(report.START)[2].partition(report.END)[0].strip()
    if path is None:
        assert shown == ""
    else:
        run = json.loads(path.read_text(encoding="utf-8"))
        assert shown == report.readme_region(run, path.stem)


def test_the_page_of_every_committed_run_is_generated_from_it() -> None:
    for path in committed_runs():
        run = json.loads(path.read_text(encoding="utf-8"))
        assert path.with_suffix(".md").read_text(encoding="utf-8") == report.page(run)


def test_only_the_region_between_the_markers_is_replaced() -> None:
    readme = f"before\n{report.START}\nold\n{report.END}\nafter\n"
    replaced = report.replace_region(readme, "new")
    assert replaced == f"before\n{report.START}\nnew\n{report.END}\nafter\n"
    assert report.replace_region(replaced, "new") == replaced


def test_a_readme_without_markers_is_refused() -> None:
    with pytest.raises(click.ClickException, match="benchmarks:start"):
        report.replace_region("no markers", "new")


def test_quick_runs_are_not_the_newest_and_do_not_reach_a_readme(tmp_path: Path) -> None:
    (tmp_path / "speed-2001-01-01-0000-aaaaaaa.json").write_text('{"quick": false}')
    quick = tmp_path / "speed-2001-01-02-0000-bbbbbbb.json"
    quick.write_text('{"quick": true}')
    kept = tmp_path / "speed-2001-01-01-0000-aaaaaaa.json"
    assert report.newest(tmp_path.glob("speed-*.json")) == kept
    readme = tmp_path / "README.md"
    readme.write_text(f"{report.START}\n{report.END}\n")
    done = CliRunner().invoke(report.main, [str(quick), "--readme", str(readme)])
    assert done.exit_code == 1
    assert "--quick" in done.output
