from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from qidf.cli import main
from qidf.studies import STUDIES


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


def study(*arguments: object) -> Result:
    result = CliRunner().invoke(main, ["study", *(str(each) for each in arguments)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_without_a_name_the_studies_are_listed() -> None:
    result = study()
    assert result.exit_code == 0
    for name in STUDIES:
        assert name in result.stdout


def test_a_study_writes_its_folder_and_a_rerun_the_same_one(
    folders: dict[str, Path], tmp_path: Path, own_cache: Path
) -> None:
    pages = []
    for number in range(2):
        output = tmp_path / f"report{number}"
        result = study("sweep", "--dataset", f"go={folders['java']}", "-o", output)
        assert result.exit_code == 0, result.stderr
        assert "sweep/README.md" in result.stderr
        pages.append((output / "sweep" / "README.md").read_text())
    assert pages[0] == pages[1]
    assert "| go, paper |" in pages[0]
    assert list(own_cache.rglob("*.npz"))


def test_nothing_is_kept_when_that_is_asked_for(
    folders: dict[str, Path], tmp_path: Path, own_cache: Path
) -> None:
    arguments = ("--dataset", folders["go"], "-o", tmp_path / "out", "--resamples", 100)
    assert study("main", *arguments, "--no-cache").exit_code == 0
    assert not own_cache.exists()


def test_all_studies_make_one_page_and_say_what_is_left_out(
    folders: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = {name: STUDIES[name] for name in ("main", "scaling", "deployable")}
    monkeypatch.setattr("qidf.studies.STUDIES", few)
    result = study("all", "--dataset", folders["nfcorpus"], "-o", tmp_path, "--resamples", 100)
    assert result.exit_code == 0, result.stderr
    assert "scaling is left out: it is about code" in result.stderr
    page = (tmp_path / "README.md").read_text()
    assert "scaling is left out" in page
    assert "## Main results" in page


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["main", "-o", "out"], "name at least one dataset: --dataset FOLDER"),
        (["main", "--dataset", "x"], "say where the report goes: -o FOLDER"),
        (["mian", "--dataset", "x", "-o", "out"], "there is no study 'mian'; choose from main"),
        (["main", "--dataset", "go=", "-o", "out"], "names no dataset"),
        (["main", "--dataset", "missing", "-o", "out"], "there is no dataset missing; give"),
        (["scaling", "--dataset", "scifact=x", "-o", "out"], "can't be made: it is about code"),
    ],
)
def test_bad_input_gets_a_sentence(
    arguments: list[str], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = study(*arguments)
    assert result.exit_code in (1, 2)
    assert sentence in " ".join(result.stderr.split())
    assert "Traceback" not in result.stderr
