"""qidf eval: what it prints, what it writes, and how it refuses."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from shell import Run

# q1 finds its answer by a rare word once q is small; q2 finds it at any q; q3 is never judged.
DOCUMENTS = {
    "gold": "handler request response log",
    "rival": "common words request request words",
    "q2": "lonely words",
    **{f"d{number}": "common words here" for number in range(6)},
    **{f"e{number}": f"filler{number} text" for number in range(12)},
}
QUERIES = {"q1": "handler common words request", "q2": "filler3 text", "q3": "nothing"}
JUDGEMENTS = ["q1\tgold\t1", "q2\te3\t1"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "tiny"
    (root / "qrels").mkdir(parents=True)
    for name, texts in (("corpus", DOCUMENTS), ("queries", QUERIES)):
        lines = [json.dumps({"_id": each, "text": text}) for each, text in texts.items()]
        (root / f"{name}.jsonl").write_text("\n".join(lines))
    write_judgements(root, JUDGEMENTS)
    return root


def write_judgements(root: Path, lines: list[str]) -> None:
    (root / "qrels" / "test.tsv").write_text("\n".join(["query-id\tcorpus-id\tscore", *lines]))


def test_json_has_what_scripts_rely_on(run: Run, folder: Path) -> None:
    result = run("eval", folder, "--q", "1", "--q", "auto", "--q", ".1", "--json")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert found["dataset"] == "tiny"
    assert (found["num_docs"], found["num_queries"]) == (21, 2)
    assert found["q_pred"] == pytest.approx(max(1 - 7.28 * found["htok"], 0.01))
    assert [row["q"] for row in found["rows"]] == [1.0, 1.0, 0.1]
    for row in found["rows"]:
        assert {"q", "ndcg@10", "mrr@10", "recall@100", "delta", "ci95", "p"} <= set(row)
        assert row["ci95"][0] <= row["delta"] <= row["ci95"][1]
    plain, _, sharp = found["rows"]
    assert (plain["delta"], plain["ci95"], plain["p"]) == (0.0, [0.0, 0.0], 1.0)
    assert sharp["ndcg@10"] == 1.0
    assert sharp["delta"] > 0
    assert found["failed"] == 0


def test_the_default_compares_bm25_with_what_search_does(run: Run, folder: Path) -> None:
    result = run("eval", folder)
    lines = result.stdout.splitlines()
    assert re.match(r"tiny: 21 documents, 2 queries, htok 0\.\d{4}, predicted q 0\.\d{3}", lines[0])
    assert lines[2].split()[:4] == ["ndcg@10", "mrr@10", "recall@100", "delta"]
    assert re.match(r"bm25 +\d\.\d{4} +\d\.\d{4} +\d\.\d{4} +BM25", lines[3])
    assert re.match(r"paper, q=0\.\d{3} .*\[[+-]\d\.\d{4}, [+-]\d\.\d{4}\]  p ", lines[4])
    # So few documents are searched as BM25 does.
    assert re.match(r"auto, q=1\.000 .*\+0\.0000", lines[5])
    assert len(lines) == 6
    assert "auto, q=1.000" in run("eval", folder, "--q", "auto").stdout


def test_any_weightings_can_be_compared(run: Run, folder: Path, tmp_path: Path) -> None:
    names = ("paper", "qlog1p(q=0.1, k3=1.0)")
    options = [word for name in names for word in ("--weighting", name)]
    result = run("eval", folder, *options, "--json", "--run", tmp_path / "out.run")
    assert [row["name"] for row in json.loads(result.stdout)["rows"]] == list(names)
    assert (tmp_path / "out.paper.run").exists()
    refused = run("eval", folder, *options, "--q", "0.5")
    assert refused.exit_code == 2
    assert "one --weighting" in refused.stderr


def test_what_was_left_out_is_said_on_stderr(run: Run, folder: Path) -> None:
    assert "1 query has no judgements and is left out." in run("eval", folder, "--json").stderr


def test_k_and_the_analyzer_can_be_chosen(run: Run, folder: Path) -> None:
    result = run("eval", folder, "--k", "3", "--analyzer", "identifier", "--json")
    found = json.loads(result.stdout)
    assert {"ndcg@3", "mrr@3", "recall@100"} <= set(found["rows"][0])
    assert (found["k"], found["analyzer"]) == (3, "identifier")


def test_a_querys_own_document_is_dropped_unless_kept(run: Run, folder: Path) -> None:
    dropped, kept = (
        json.loads(run("eval", folder, "--json", *options).stdout)
        for options in ((), ("--keep-identical",))
    )
    assert (dropped["identical_ids"], dropped["identical_dropped"]) == ("dropped", 1)
    assert (kept["identical_ids"], kept["identical_dropped"]) == ("kept", 0)


def test_baselines_come_after_the_qs(run: Run, folder: Path) -> None:
    result = run("eval", folder, "--baseline", "gamma", "--baseline", "dph", "--json")
    found = json.loads(result.stdout)
    assert [row["name"] for row in found["baselines"]] == [
        *(f"gamma(gamma={gamma})" for gamma in (0.5, 0.8, 1.0, 1.2, 1.5, 2.0)),
        "dph",
    ]
    same = found["baselines"][2]
    assert (same["delta"], same["p"]) == (0.0, 1.0)


def test_a_run_is_written_and_read_back(run: Run, folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "sharp.run"
    result = run("eval", folder, "--q", "0.1", "--run", path)
    assert f"run: {path}" in result.stderr
    assert path.read_text().splitlines()[0].startswith("q1 Q0 gold 1 ")
    found = json.loads(
        run("eval", folder, "--baseline", f"run:{path}", "--q", ".1", "--json").stdout
    )
    row, again = found["rows"][0], found["baselines"][0]
    for name in ("ndcg@10", "mrr@10", "recall@100", "delta", "ci95", "p"):
        assert row[name] == again[name]


def test_several_systems_have_a_run_file_each(run: Run, folder: Path, tmp_path: Path) -> None:
    run("eval", folder, "--baseline", "dph", "--run", tmp_path / "out.run")
    assert sorted(path.name for path in tmp_path.glob("*.run")) == [
        "out.auto.run",
        "out.bm25.run",
        "out.dph.run",
        "out.paper.run",
    ]


def test_a_failed_query_is_counted_and_is_no_zero(run: Run, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "half.run").write_text("q2 Q0 e3 1 1.0 t\n")
    arguments = ("eval", folder, "--baseline", f"run:{tmp_path / 'half.run'}")
    found = json.loads(run(*arguments, "--json").stdout)
    assert found["failed"] == 1
    assert found["baselines"][0]["ndcg@10"] == 1.0
    assert "1 failed" in run(*arguments).stdout


def test_check_asks_ir_measures(run: Run, folder: Path) -> None:
    pytest.importorskip("ir_measures", reason="the eval extra brings trec_eval")
    result = run("eval", folder, "--baseline", "dph", "--check", "--json")
    assert json.loads(result.stdout)["ir_measures_difference"] < 1e-9
    assert "ir_measures agrees" in result.stderr


def test_trec_topics_and_qrels_will_do(run: Run, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "topics").write_text(
        "<top>\n<num> Number: 7\n<title> handler common words request\n</top>\n"
    )
    (tmp_path / "qrels").write_text("7 0 gold 1\n")
    result = run(
        *("eval", folder / "corpus.jsonl", "--q", ".1", "--json"),
        *("--topics", tmp_path / "topics", "--qrels", tmp_path / "qrels"),
    )
    assert json.loads(result.stdout)["rows"][0]["mrr@10"] == 1.0


def test_another_form_of_the_queries_can_be_asked(run: Run, folder: Path) -> None:
    (folder / "queries.short.jsonl").write_text(
        "\n".join(json.dumps({"_id": name, "text": "handler filler3"}) for name in ("q1", "q2"))
    )
    found = json.loads(run("eval", folder, "--queries", "short", "--json").stdout)
    assert found["dataset"] == "tiny (short queries)"
    assert found["rows"][0]["recall@100"] == 1.0


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("q1\tghost\t1", "line 4: the document 'ghost' is not among the documents"),
        ("ghost\tgold\t1", "line 4: the query 'ghost' is not among the queries"),
        ("q1\tgold\tmany", "line 4: the grade 'many' is not a whole number"),
    ],
)
def test_a_judgement_that_can_not_be_is_refused(
    run: Run, folder: Path, line: str, sentence: str
) -> None:
    write_judgements(folder, [*JUDGEMENTS, line])
    result = run("eval", folder)
    assert result.exit_code == 1
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1


def test_unknown_ids_can_be_allowed(run: Run, folder: Path) -> None:
    write_judgements(folder, [*JUDGEMENTS, "q1\tghost\t1"])
    result = run("eval", folder, "--allow-unknown", "--q", ".1", "--json")
    assert json.loads(result.stdout)["rows"][0]["recall@100"] == 0.75
    assert "1 judgement names an unknown document." in result.stderr


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "has no documents"),
        ('{"_id": "gold", "text": "x"}\n{"_id": "gold"', "corpus.jsonl, line 2: the line is not"),
        ('{"_id": "a", "text": "x"}\n' * 2, "corpus.jsonl, line 2: the document id 'a'"),
    ],
)
def test_a_corpus_that_can_not_be_is_refused(
    run: Run, folder: Path, text: str, sentence: str
) -> None:
    (folder / "corpus.jsonl").write_text(text)
    result = run("eval", folder)
    assert result.exit_code == 1
    assert sentence in result.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere"], "there is no dataset nowhere; give a BEIR folder"),
        (["coir:cobol"], "no language 'cobol'"),
    ],
)
def test_a_dataset_that_is_not_there_is_refused(
    run: Run, arguments: list[str], sentence: str
) -> None:
    result = run("eval", *arguments)
    assert result.exit_code == 1
    assert sentence in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [["--q", "high"], ["--q", "inf"], ["--k", "0"], ["--ties", "coin"], ["--topics", "t"]],
)
def test_a_wrong_command_line_is_refused(run: Run, folder: Path, arguments: list[str]) -> None:
    assert run("eval", folder, *arguments).exit_code == 2


def test_a_wrong_baseline_is_refused(run: Run, folder: Path) -> None:
    result = run("eval", folder, "--baseline", "bm26")
    assert result.exit_code == 1
    assert "'bm26' names no baseline" in result.stderr


def test_a_task_of_many_datasets_is_evaluated_as_one(run: Run, tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="the hub extra reads parquet")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "tianyang/repobench-r/java_cfr/test_hard/0000.parquet"
    path.parent.mkdir(parents=True)
    columns = {
        "context": [["class Alpha", "class Beta", "enum Gamma"]] * 2,
        "code": ["new Beta", "Gamma.ONE"],
        "golden_snippet_index": [1, 2],
    }
    parquet.write_table(pyarrow.table(columns), path)
    arguments = ("eval", "repobench-r:java/cfr/hard", "--hub-folder", tmp_path)
    found = json.loads(run(*arguments, "--q", "1", "--json").stdout)
    assert found["dataset"] == "repobench-r:java/cfr/hard"
    assert (found["num_docs"], found["num_queries"]) == (6, 2)
    assert found["rows"][0]["mrr@10"] == 1.0
    run(*arguments, "--q", "1", "--run", tmp_path / "out.run")
    assert len((tmp_path / "out.run").read_text().splitlines()) == 2
