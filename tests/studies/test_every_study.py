from __future__ import annotations

from pathlib import Path

import pytest
from study_data import MakeBench

from qidf.errors import InputError, InvalidArgumentError
from qidf.studies import STUDIES, Findings, Store, find_study, run_study, write_report, write_study

# Those that take test collections of code and text and nothing else.
PLAIN = (
    "main",
    "deployable",
    "sweep",
    "scaling",
    "families",
    "mechanism",
    "predictor",
    "adaptive",
    "tokenizers",
)
EVERY = ("go", "java", "python", "nfcorpus")


def records(findings: Findings, name: str) -> list[dict[str, object]]:
    [chosen] = [each for each in findings.tables if each.name == name]
    names = [column.name for column in chosen.columns]
    return [dict(zip(names, row, strict=True)) for row in chosen.rows]


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The same studies twice, each with a store of its own."""
    from study_data import code_like, write_folder

    from qidf.evaluation import Settings
    from qidf.studies import Source, Workbench

    root = tmp_path_factory.mktemp("studies")
    sources = [
        Source.parse(
            str(
                write_folder(
                    root / name,
                    code_like(60 + 5 * at, 20 + at, at),
                    published=name in ("python", "go"),
                )
            )
        )
        for at, name in enumerate(EVERY)
    ]
    folders = [root / "first", root / "second"]
    for folder in folders:
        bench = Workbench(sources, Settings(resamples=200), store=Store(folder / "store"))
        results = [(find_study(name), run_study(find_study(name), bench)) for name in PLAIN]
        for study, findings in results:
            write_study(folder / "report", study, findings, bench)
        write_report(folder / "report", results, bench)
    return [folder / "report" for folder in folders]


def test_every_file_is_the_same_on_two_runs(reports: list[Path]) -> None:
    first, second = (
        {
            path.relative_to(report): path.read_bytes()
            for path in report.rglob("*")
            if path.is_file()
        }
        for report in reports
    )
    assert first.keys() == second.keys()
    for name in first:
        assert first[name] == second[name], name


@pytest.mark.parametrize("name", PLAIN)
def test_a_study_leaves_a_page_values_and_pictures(reports: list[Path], name: str) -> None:
    folder = reports[0] / name
    suffixes = {path.suffix for path in folder.iterdir()}
    assert {".md", ".csv", ".svg", ".png", ".json"} <= suffixes
    page = (folder / "README.md").read_text()
    assert "paper" in page
    assert "nan" not in page
    for path in folder.iterdir():
        if path.suffix in (".csv", ".svg", ".gz"):
            assert f"({path.name})" in page


def test_no_page_tells_where_the_data_was(reports: list[Path]) -> None:
    for path in reports[0].rglob("*"):
        if path.suffix in (".md", ".csv", ".json", ".svg"):
            assert str(reports[0].parent.parent) not in path.read_text()


def test_one_page_holds_every_study(reports: list[Path]) -> None:
    page = (reports[0] / "README.md").read_text()
    for name in PLAIN:
        assert f"## {STUDIES[name].title}" in page
        assert f"]({name}/" in page


@pytest.mark.parametrize("name", [each for each in PLAIN if each != "predictor"])
def test_whatever_touches_python_reports_both_forms(make_bench: MakeBench, name: str) -> None:
    findings = run_study(find_study(name), make_bench("python"))
    corpora = {row[0] for row in findings.tables[0].rows}
    assert {"python (stripped)", "python (published)"} <= corpora


def test_the_predictor_is_judged_with_both_forms_of_python(make_bench: MakeBench) -> None:
    bench = make_bench("go", "java", "python")
    findings = run_study(find_study("predictor"), bench)
    labels = records(findings, "labels")
    assert {row["variant"] for row in labels} == {"stripped", "published"}
    assert len(labels) == 6
    assert [figure.name for figure in findings.figures] == [
        "predictor-stripped",
        "predictor-published",
    ]


def test_recovery_is_one_at_the_best_q_and_empty_without_a_gap(make_bench: MakeBench) -> None:
    from qidf.evaluation import QlogSystem
    from qidf.studies.experiments.deployable import oracle, recovery
    from qidf.studies.paper import LABEL_GRID

    bench = make_bench("go")
    [subject] = bench.subjects()
    measured = bench.measure(subject, [QlogSystem(q) for q in LABEL_GRID])
    best = oracle(measured)
    assert best.q != 1.0
    assert recovery(measured, best, best) == 1.0
    assert recovery(measured, best, QlogSystem(1.0)) == 0.0
    assert recovery(measured, QlogSystem(1.0), best) is None


def test_rare_names_carry_the_gain_where_the_data_was_made_so(make_bench: MakeBench) -> None:
    findings = run_study(find_study("mechanism"), make_bench("java"))
    [plain, amplified] = sorted(
        records(findings, "occlusion"), key=lambda row: -float(str(row["q"]))
    )
    assert float(str(amplified["df 1"])) > float(str(plain["df 1"])) > 0


def test_a_study_without_its_data_says_what_it_lacks(make_bench: MakeBench) -> None:
    with pytest.raises(InputError, match="the study scaling can't be made: it is about code"):
        run_study(find_study("scaling"), make_bench("nfcorpus"))
    with pytest.raises(InputError, match="two datasets of code or more"):
        run_study(find_study("predictor"), make_bench("go", "nfcorpus"))


def test_an_unknown_study_is_answered_with_the_known_ones() -> None:
    with pytest.raises(InvalidArgumentError, match="no study 'mian'; choose from main, deployable"):
        find_study("mian")
