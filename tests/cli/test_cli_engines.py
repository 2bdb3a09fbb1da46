"""Commands on an engine's index: what they print, and how they refuse."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from shell import RECORDS, Run

DOCUMENTS = {
    "gold": "handler request response log",
    "rival": "common words request request words",
    "q2": "lonely words",
    **{f"d{number}": "common words here" for number in range(6)},
    **{f"e{number}": f"filler{number} text" for number in range(12)},
}


@pytest.fixture
def database(tmp_path: Path) -> Path:
    file = tmp_path / "notes.db"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE VIRTUAL TABLE notes USING fts5(id UNINDEXED, title, text)")
        connection.executemany(
            "INSERT INTO notes VALUES (?, ?, ?)",
            [(record["_id"], record.get("title", ""), record["text"]) for record in RECORDS],
        )
    connection.close()
    return file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "tiny"
    (root / "qrels").mkdir(parents=True)
    queries = {"q1": "handler common words request", "q2": "filler3 text"}
    for name, texts in (("corpus", DOCUMENTS), ("queries", queries)):
        lines = [json.dumps({"_id": each, "text": text}) for each, text in texts.items()]
        (root / f"{name}.jsonl").write_text("\n".join(lines))
    judged = ["query-id\tcorpus-id\tscore", "q1\tgold\t1", "q2\te3\t1"]
    (root / "qrels" / "test.tsv").write_text("\n".join(judged))
    with sqlite3.connect(tmp_path / "tiny.db") as connection:
        connection.execute("CREATE VIRTUAL TABLE docs USING fts5(id UNINDEXED, text)")
        connection.executemany("INSERT INTO docs VALUES (?, ?)", DOCUMENTS.items())
    connection.close()
    return root


def test_search_prints_hits_and_what_they_are_made_of(run: Run, database: Path) -> None:
    result = run("search", f"sqlite:{database}", "handleWebSocketUpgrade auth", "--explain")
    assert result.exit_code == 0
    first = result.stdout.splitlines()[0].split()
    assert first[0] == "1"
    assert first[2] == "ws"
    assert "Upgrade" in result.stdout
    assert "handlewebsocketupgrade" in result.stdout
    assert "found by sqlite fts5" in result.stderr
    assert ", BM25" in result.stderr


def test_search_json_has_what_scripts_rely_on(run: Run, database: Path) -> None:
    result = run("search", f"sqlite:{database}?table=notes", "auth token", "-k", "2", "--json")
    found = json.loads(result.stdout)
    assert set(found) == {
        *("target", "engine", "query", "k", "hits", "notes"),
        *("weighting", "q", "k3", "evidence", "reason"),
    }
    assert found["hits"][0]["id"] == "auth"
    assert found["hits"][0]["rank"] == 1
    assert found["hits"][0]["metadata"]["title"] == "Auth"


def test_a_bm25s_folder_is_searched_by_its_path(run: Run, tmp_path: Path) -> None:
    bm25s = pytest.importorskip("bm25s")
    retriever = bm25s.BM25()
    texts = [str(record["text"]) for record in RECORDS]
    retriever.index(bm25s.tokenize(texts, show_progress=False), show_progress=False)
    retriever.save(
        tmp_path / "index", corpus=[{"id": r["_id"], "text": r["text"]} for r in RECORDS]
    )
    result = run("search", tmp_path / "index", "token request", "--q", "0.5", "--json")
    assert json.loads(result.stdout)["hits"][0]["id"] == "auth"


def test_notes_are_printed(run: Run, tmp_path: Path) -> None:
    tantivy = pytest.importorskip("tantivy")
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("id", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("text")
    (tmp_path / "index").mkdir()
    index = tantivy.Index(builder.build(), path=str(tmp_path / "index"))
    writer = index.writer(20_000_000, 1)
    for number in range(5):
        writer.add_document(tantivy.Document(id=f"d{number}", text=f"common word{number}"))
    writer.commit()
    writer.wait_merging_threads()
    result = run("search", f"tantivy:{tmp_path}/index", "common word3", "--q", "0.5",
                 "--weighting", "paper")  # fmt: skip
    assert "note: 1 term in more than half of the documents" in result.stderr
    assert "d3" in result.stdout


def test_explain_adds_up(run: Run, database: Path) -> None:
    result = run("explain", f"sqlite:{database}", "auth token", "auth", "--q", "0.5", "--json")
    found = json.loads(result.stdout)
    assert found["id"] == "auth"
    assert found["score"] == pytest.approx(sum(term["contribution"] for term in found["terms"]))
    shown = run("explain", f"sqlite:{database}", "auth token", "auth", "--q", "0.5").stdout
    assert "by the engine's own BM25" in shown
    # A rowid is a number, and what is typed is a text.
    by_rowid = run("explain", f"sqlite:{database}?id=rowid", "auth token", "2", "--q", "0.5")
    assert "score" in by_rowid.stdout


def test_advice_says_how_it_was_counted(run: Run, database: Path) -> None:
    result = run("advise", f"sqlite:{database}", "--json")
    found = json.loads(result.stdout)
    for name in ("num_docs", "num_tokens", "vocab_size", "htok", "q", "action", "reason"):
        assert name in found
    assert found["htok_ci95"] is None
    assert (found["kind"], found["requests"], found["sampled"]) == ("sqlite", 0, None)
    assert found["num_docs"] == len(RECORDS)
    shown = run("advise", f"sqlite:{database}")
    assert "engine" in shown.stdout
    assert found["action"] in shown.stdout


def test_stats_of_an_engine(run: Run, database: Path) -> None:
    found = json.loads(run("stats", f"sqlite:{database}", "--json").stdout)
    assert found["vocab_size"] > 10
    assert found["engine"].startswith("sqlite")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["search", "redis://host/0", "x"], "is no engine qidf knows; use one of opensearch"),
        (["search", "sqlite:none.db", "x"], "there is no database file at none.db"),
        (["search", "sqlite:{database}?table=other", "x"], "there is no table 'other'"),
        (["search", "sqlite:{database}?tabel=notes", "x"], "sqlite has no option 'tabel'"),
        (["search", "sqlite:{database}", "x", "--k1", "2"], "sqlite has no option 'k1'"),
        (["advise", "sqlite:{database}", "--analyzer", "generic"], "leave --analyzer out"),
        (["stats", "sqlite:{database}", "--zipf"], "leave --zipf out"),
        (["explain", "sqlite:{database}", "auth", "nobody"], "no document has the id 'nobody'"),
        (["advise", "opensearch://host"], "doesn't name one index after the host"),
    ],
)
def test_wrong_targets_are_refused_in_one_sentence_with_exit_code_1(
    run: Run, database: Path, arguments: list[str], sentence: str
) -> None:
    result = run(*(each.replace("{database}", str(database)) for each in arguments))
    assert result.exit_code == 1
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


def test_a_sample_is_for_engines(run: Run, index: Path) -> None:
    result = run("advise", index, "--sample", "10")
    assert result.exit_code == 1
    assert "leave --sample out" in result.stderr


def test_eval_compares_the_engines_own_ranking_with_qlog(
    run: Run, folder: Path, tmp_path: Path
) -> None:
    address = f"sqlite:{tmp_path}/tiny.db?table=docs&id=id"
    arguments = ("eval", folder, "--engine", address, "--q", "1", "--q", "0.1", "--q", "auto")
    result = run(*arguments, "--json", "--check", "--run", tmp_path / "out.run")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["num_docs"] == len(DOCUMENTS)
    assert found["engine"].startswith("sqlite")
    assert found["target"] == address
    assert [row["name"] for row in found["rows"]] == ["q=1", "q=0.1", "q=auto"]
    assert found["rows"][0]["delta"] == 0.0
    assert found["rows"][1]["ndcg@10"] >= found["baseline"]["ndcg@10"]
    assert found["identical_dropped"] == 1
    assert "ir_measures agrees" in result.stderr
    lines = (tmp_path / "out.q=0.1.run").read_text().splitlines()
    assert lines[0].split()[:3] == ["q1", "Q0", "gold"]
    assert not [line for line in lines if line.split()[:3] == ["q2", "Q0", "q2"]]
    table = run(*arguments)
    assert "differences are to its own BM25" in table.stderr
    assert "BM25" in table.stdout


def test_eval_of_an_engine_agrees_with_eval_of_the_same_index(
    run: Run, folder: Path, tmp_path: Path
) -> None:
    run("index", folder, "-o", tmp_path / "index")
    shared = ("--q", "1", "--q", "0.3", "--ties", "trec", "--json")
    theirs = json.loads(run("eval", folder, *shared).stdout)
    ours = json.loads(run("eval", folder, "--engine", f"qidf:{tmp_path}/index", *shared).stdout)
    for first, second in zip(ours["rows"], theirs["rows"], strict=True):
        for name in ("ndcg@10", "mrr@10", "recall@100", "delta"):
            assert first[name] == pytest.approx(second[name])
    assert ours["htok"] == theirs["htok"]


def test_eval_of_an_engine_decides_for_each_query_as_a_search_does(
    run: Run, tmp_path: Path
) -> None:
    texts = {
        f"d{n}": f"def load_item{n} item item path load read value n{n % 9}" for n in range(1200)
    }
    asked = {"code": "load_item7(arg);\n    load_item7()", "text": "load_item9 alone"}
    large = tmp_path / "large"
    (large / "qrels").mkdir(parents=True)
    for name, known in (("corpus", texts), ("queries", asked)):
        lines = [json.dumps({"_id": each, "text": text}) for each, text in known.items()]
        (large / f"{name}.jsonl").write_text("\n".join(lines))
    (large / "qrels" / "test.tsv").write_text(
        "query-id\tcorpus-id\tscore\ncode\td7\t1\ntext\td9\t1"
    )
    run("index", large, "-o", tmp_path / "index")
    theirs = json.loads(run("eval", large, "--json").stdout)
    engine = f"qidf:{tmp_path}/index"
    ours = json.loads(run("eval", large, "--engine", engine, "--json").stdout)
    assert [row["name"] for row in ours["rows"]] == ["bm25", "paper", "auto"]
    predicted = ours["rows"][1]["q"]
    assert ours["rows"][2]["q"] == pytest.approx((predicted + 0.9) / 2)
    for first, second in zip(ours["rows"], theirs["rows"], strict=True):
        for name in ("q", "ndcg@10", "mrr@10", "recall@100", "delta"):
            assert first[name] == pytest.approx(second[name])


def test_eval_refuses_an_engine_with_other_ids(run: Run, folder: Path, tmp_path: Path) -> None:
    address = f"sqlite:{tmp_path}/tiny.db?table=docs&id=rowid"
    result = run("eval", folder, "--engine", address)
    assert result.exit_code == 1
    assert "name the field that holds the dataset's ids with id=" in result.stderr


def test_eval_says_that_every_query_failed(run: Run, folder: Path, tmp_path: Path) -> None:
    result = run("eval", folder, "--engine", f"sqlite:{tmp_path}/tiny.db?weights=1,x")
    assert result.exit_code == 1
    assert "weights are numbers" in result.stderr


@pytest.mark.parametrize("option", [("--baseline", "dph"), ("--analyzer", "generic")])
def test_eval_of_an_engine_takes_no_index_of_its_own(
    run: Run, folder: Path, tmp_path: Path, option: tuple[str, str]
) -> None:
    result = run("eval", folder, "--engine", f"sqlite:{tmp_path}/tiny.db", *option)
    assert result.exit_code == 2
    assert "need an index of their own" in result.stderr
