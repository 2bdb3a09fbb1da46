from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
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
from qidf.studies.store import code_version
from qidf.studies.tables import Column


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


def test_layers_have_versions_of_their_own() -> None:
    assert code_version(("studies",)) != code_version(("weights",))


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
