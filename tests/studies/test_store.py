from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import tomllib
from study_data import MakeBench, code_like, write_folder

from qidf.evaluation import QlogSystem
from qidf.studies import (
    Findings,
    Source,
    Store,
    Study,
    Workbench,
    default_folder,
    find_study,
    run_study,
    table,
    write_study,
)
from qidf.studies import store as keeping
from qidf.studies.tables import Column

ROOT = Path(__file__).parents[2]


def test_what_is_kept_comes_back(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put_json({"a": 1}, {"x": [1.5, None]})
    store.put_arrays({"a": 1}, {"ndcg@10": np.array([0.5, 1.0])})
    assert store.json({"a": 1}) == {"x": [1.5, None]}
    assert store.json({"a": 2}) is None
    arrays = store.arrays({"a": 1})
    assert arrays is not None
    assert arrays["ndcg@10"].tolist() == [0.5, 1.0]
    assert store.arrays({"a": 2}) is None


def test_a_damaged_file_is_computed_anew(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put_json({"a": 1}, [1])
    store.put_arrays({"a": 1}, {"x": np.arange(9)})
    for path in tmp_path.rglob("*.*"):
        path.write_bytes(path.read_bytes()[:20].replace(b"[", b"{"))
    assert store.json({"a": 1}) is None
    assert store.arrays({"a": 1}) is None


def test_every_flipped_byte_is_a_miss(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put_json({"a": 1}, {"ndcg": 0.125})
    store.put_arrays({"a": 1}, {"x": np.arange(9)})
    store.put_blob({"a": 1}, ".svg", b"<svg/>")
    reads = {
        ".json": store.json,
        ".npz": store.arrays,
        ".svg": lambda key: store.blob(key, ".svg"),
    }
    for path in tmp_path.rglob("*.*"):
        data = path.read_bytes()
        read = reads[path.suffix]
        assert read({"a": 1}) is not None
        for place in range(len(data)):
            path.write_bytes(data[:place] + bytes([data[place] ^ 4]) + data[place + 1 :])
            assert read({"a": 1}) is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_in_the_place_of_a_file_is_a_miss(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put_json({"a": 1}, 1)
    (path,) = tmp_path.rglob("*.json")
    path.unlink()
    os.mkfifo(path)
    assert store.json({"a": 1}) is None


def test_a_store_without_a_folder_keeps_nothing() -> None:
    store = Store(None)
    store.put_json({"a": 1}, 1)
    store.put_arrays({"a": 1}, {"x": np.arange(2)})
    assert store.json({"a": 1}) is None
    assert store.arrays({"a": 1}) is None


def test_the_folder_follows_xdg(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_folder() == tmp_path / "qidf" / "studies"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_folder() == tmp_path / ".cache" / "qidf" / "studies"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package of every layer there is, whose versions can be asked for."""
    for layer in _layers():
        path = tmp_path / layer / "__init__.py"
        path.parent.mkdir()
        path.write_text("")
    monkeypatch.setattr(keeping, "_PACKAGE", tmp_path)
    yield tmp_path
    _forget()


def _layers() -> list[str]:
    """The layers of the package, the highest first."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    [contract] = [
        each for each in settings["tool"]["importlinter"]["contracts"] if each["type"] == "layers"
    ]
    return list(contract["layers"])


def _forget() -> None:
    keeping.measuring_version.cache_clear()
    keeping.studies_version.cache_clear()


def _versions() -> tuple[str, str]:
    _forget()
    return keeping.measuring_version(), keeping.studies_version()


def test_a_measurement_depends_on_every_layer_below_the_studies(package: Path) -> None:
    layers = _layers()
    below = layers[layers.index("studies") + 1 :]
    assert {"index", "syntax", "token_counts", "repository", "engines", "errors"} <= set(below)
    for layer in below:
        measuring, studies = _versions()
        (package / layer / "__init__.py").write_text("changed = True")
        assert _versions()[0] != measuring, layer
        assert _versions()[1] == studies


def test_a_measurement_depends_on_sources_that_are_not_python(package: Path) -> None:
    measuring, _ = _versions()
    (package / "index" / "search.c").write_text("int main;")
    changed, _ = _versions()
    assert changed != measuring
    (package / "index" / "search.so").write_bytes(b"made from it")
    assert _versions()[0] == changed


def test_a_measurement_outlives_a_change_in_who_asks_for_it(package: Path) -> None:
    layers = _layers()
    before = _versions()
    for layer in layers[: layers.index("studies")]:
        (package / layer / "__init__.py").write_text("changed = True")
    assert _versions() == before
    (package / "studies" / "__init__.py").write_text("changed = True")
    assert _versions()[0] == before[0]
    assert _versions()[1] != before[1]


class Counting:
    """A study that counts how often it is run."""

    def __init__(self, *, timed: bool = False) -> None:
        self.runs = 0
        self.study = Study("counting", "Counting", "nowhere", "How often?", self._run, timed)

    def _run(self, bench: Workbench) -> Findings:
        self.runs += 1
        return Findings((table("t", "T", [Column("x")], [{"x": 1}]),))


def test_a_study_is_run_once_on_the_same_data(make_bench: MakeBench) -> None:
    counting = Counting()
    first = run_study(counting.study, make_bench("go"))
    assert run_study(counting.study, make_bench("go")) == first
    assert counting.runs == 1
    run_study(counting.study, make_bench("go", "java"))
    assert counting.runs == 2


def test_a_study_is_run_again_when_the_data_has_changed(tmp_path: Path) -> None:
    counting = Counting()
    folder = write_folder(tmp_path / "go", code_like())
    for _ in range(2):
        bench = Workbench([Source.parse(str(folder))], store=Store(tmp_path / "store"))
        run_study(counting.study, bench)
        with (folder / "corpus.jsonl").open("a") as file:
            file.write('{"_id": "more", "text": "more"}\n')
    assert counting.runs == 2


def test_a_study_of_this_machine_is_run_every_time(make_bench: MakeBench) -> None:
    counting = Counting(timed=True)
    for _ in range(2):
        run_study(counting.study, make_bench("go"))
    assert counting.runs == 2


def test_a_measurement_is_made_once(make_bench: MakeBench, monkeypatch: pytest.MonkeyPatch) -> None:
    system = QlogSystem(0.5)
    bench = make_bench("go")
    [subject] = bench.subjects()
    before = bench.measure(subject, [system])

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("measured twice")

    monkeypatch.setattr("qidf.studies.workbench.Collection.build", refuse)
    again = make_bench("go").measure(subject, [system])
    assert np.array_equal(before.per_query(system), again.per_query(system))
    assert before.stats == again.stats
    with pytest.raises(AssertionError, match="measured twice"):
        make_bench("go").measure(subject, [QlogSystem(0.3)])


def test_a_picture_is_drawn_once(
    make_bench: MakeBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study, pages = find_study("deployable"), []
    for number in range(2):
        bench = make_bench("java")
        write_study(tmp_path / str(number), study, run_study(study, bench), bench)
        pages.append(
            {path.name: path.read_bytes() for path in (tmp_path / str(number)).rglob("*.*")}
        )

        def refuse(*_: object) -> None:
            raise AssertionError("drawn twice")

        monkeypatch.setattr("qidf.studies.report.draw", refuse)
    assert pages[0] == pages[1]
    assert {"deployable.svg", "deployable.png"} <= set(pages[0])
