"""RepoBench-R and Long Code Arena as studies, on tiny files of the published layout."""

from __future__ import annotations

import math
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from qidf.datasets import Choices
from qidf.errors import InputError
from qidf.evaluation import Collection, QlogSystem, Settings, evaluate
from qidf.studies import Findings, Source, Workbench, find_study, run_study

pyarrow = pytest.importorskip("pyarrow", reason="the hub extra reads parquet")

QUICK = Settings(resamples=200)
WORDS = [f"word{number}" for number in range(12)]


def write_table(path: Path, **columns: list[object]) -> None:
    import pyarrow.parquet

    path.parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(pyarrow.table(columns), path)


@pytest.fixture
def hub(tmp_path: Path) -> Path:
    """A cell of RepoBench-R with twelve rows."""
    draw = np.random.default_rng(3)
    context, code, gold = [], [], []
    for row in range(12):
        snippets = [f"def part{row}{at}(): {' '.join(draw.choice(WORDS, 8))}" for at in range(6)]
        right = int(draw.integers(6))
        context.append(snippets)
        code.append(f"x = part{row}{right} {' '.join(draw.choice(WORDS, 10))}")
        gold.append(right)
    root = tmp_path / "hub"
    write_table(
        root / "tianyang/repobench-r/python_cfr/test_hard/0000.parquet",
        context=context,
        code=code,
        golden_snippet_index=gold,
    )
    return root


def complete_ndcg(source: Source, q: float | str) -> list[float]:
    """Rank every document of every collection by its score, then look for the right ones."""
    found = []
    for data in source.open():
        collection = Collection.build(data)
        [text] = data.queries.texts
        scores = collection.index.scores(text, q).tolist()
        order = sorted(range(len(scores)), key=lambda at: (-scores[at], at))
        ranked = [collection.doc_ids[at] for at in order][:10]
        [right] = data.judgements.values()
        gain = sum(1 / math.log2(at + 2) for at, name in enumerate(ranked) if name in right)
        found.append(gain / sum(1 / math.log2(at + 2) for at in range(min(len(right), 10))))
    return found


def records(findings: Findings) -> dict[str, dict[str, object]]:
    main = findings.tables[0]
    names = [column.name for column in main.columns]
    return {str(row[0]): dict(zip(names, row, strict=True)) for row in main.rows}


def test_a_cell_of_repobench_is_evaluated_and_the_others_say_that_they_are_not(hub: Path) -> None:
    choices = Choices(hub_folder=hub)
    source = Source.parse("look-alike=repobench-r:python/cfr/hard", choices)
    findings = run_study(find_study("repobench"), Workbench([source], QUICK))
    found = records(findings)
    assert len(found) == 8
    row = found.pop("python/cfr/hard")
    expected = evaluate(source.open(), [QlogSystem(0.1)], QUICK)
    assert row["data"] == "look-alike"
    assert row["num_queries"] == 12
    assert row["pool"] == 6
    for name, q in (("bm25", 1.0), ("qlog", 0.1), ("auto", "auto")):
        assert row[name] == pytest.approx(np.mean(complete_ndcg(source, q)))
    assert row["bm25_found"] == pytest.approx(expected.baseline.mean("ndcg@10"))
    assert row["qlog_found"] == pytest.approx(expected.rows[0].mean("ndcg@10"))
    assert row["qlog_found"] < row["qlog"]
    assert (row["paper_bm25"], row["paper_qlog"]) == (0.3693, 0.4031)
    for other in found.values():
        assert str(other["data"]).startswith("not run")
        assert other["bm25"] is None
        assert other["paper_bm25"] is not None
    [queries] = findings.tables[1:]
    assert queries.name == "queries-python-cfr-hard"
    assert np.mean([line[1] for line in queries.rows]) == pytest.approx(row["bm25"], abs=1e-6)


def test_two_datasets_for_one_cell_are_two_rows(hub: Path) -> None:
    choices = Choices(hub_folder=hub)
    sources = [
        Source.parse(f"{name}=repobench-r:python/cfr/hard", choices) for name in ("one", "two")
    ]
    findings = run_study(find_study("repobench"), Workbench(sources, QUICK))
    rows = [row for row in findings.tables[0].rows if row[0] == "python/cfr/hard"]
    assert [row[1] for row in rows] == ["one", "two"]
    assert len({each.name for each in findings.tables}) == len(findings.tables)


def test_issues_of_long_code_arena_are_evaluated(tmp_path: Path) -> None:
    if shutil.which("git") is None:
        pytest.skip("git isn't there to make a repository with")
    repository = tmp_path / "repos" / "own__lib"
    repository.mkdir(parents=True)
    environment = {
        **os.environ,
        **dict.fromkeys(["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"], "a"),
        **dict.fromkeys(["GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"], "a@b.c"),
        "GIT_CONFIG_GLOBAL": os.devnull,
    }

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(repository), *arguments]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    git("init", "-q")
    for at in range(8):
        (repository / f"part{at}.py").write_text(f"def crash{at}(): {' '.join(WORDS[at:])}\n")
    git("add", ".")
    git("commit", "-q", "-m", "one")
    write_table(
        tmp_path / "hub/JetBrains-Research/lca-bug-localization/py/test-00000-of-00001.parquet",
        repo_owner=["own"] * 2,
        repo_name=["lib"] * 2,
        issue_url=["issue/1", "issue/2"],
        issue_title=["crash3 fails", "word11 word10"],
        issue_body=["word1 word2", ""],
        base_sha=[git("rev-parse", "HEAD")] * 2,
        changed_files=["['part3.py']", "['part7.py', 'part2.py']"],
    )
    choices = Choices(hub_folder=tmp_path / "hub", repos=tmp_path / "repos")
    source = Source.parse("lca:python", choices)
    found = records(run_study(find_study("lca"), Workbench([source], QUICK)))
    row = found["python"]
    plain, sharp = (np.array(complete_ndcg(source, q)) for q in (1.0, 0.5))
    assert (row["num_queries"], row["paper_num_queries"], row["pool"]) == (2, 45, 8)
    assert row["qlog"] == pytest.approx(sharp.mean())
    assert row["ties"] == pytest.approx((plain == sharp).mean())
    assert str(found["java"]["data"]).startswith("not run")


@pytest.mark.parametrize(("name", "example"), [("repobench", "repobench-r:"), ("lca", "lca:")])
def test_without_their_data_both_say_what_they_take(
    name: str, example: str, tmp_path: Path
) -> None:
    (tmp_path / "go").mkdir()
    bench = Workbench([Source.parse(str(tmp_path / "go"))], QUICK)
    with pytest.raises(InputError, match=f"can't be made: it takes .* such as {example}"):
        run_study(find_study(name), bench)
