"""qidf search and explain: the same answers as the package's, for people and for scripts."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from shell import Run

import qidf
from qidf.index import DEFAULT_B, DEFAULT_K1

QUERY = "handleWebSocketUpgrade auth middleware"


def test_json_holds_what_the_index_returns(index: Path, run: Run) -> None:
    for q in ("auto", 1.0, 0.3, 1.4):
        opened = qidf.Index.open(index)
        result = run("search", index, QUERY, "--q", q, "-k", 2, "--json")
        assert result.exit_code == 0
        assert result.stderr == ""
        assert json.loads(result.stdout) == {
            "query": QUERY,
            **opened.decide(QUERY, q).to_dict(),
            "k": 2,
            "hits": [
                {"rank": hit.rank, "id": hit.id, "score": hit.score, "metadata": dict(hit.metadata)}
                for hit in opened.search(QUERY, 2, q)
            ],
        }


def test_k1_and_b_are_chosen_at_query_time(index: Path, run: Run) -> None:
    found = json.loads(run("search", index, QUERY, "--k1", 0.9, "--b", 0.4, "--json").stdout)
    expected = qidf.Index.open(index).search(QUERY, k1=0.9, b=0.4)
    assert [hit["score"] for hit in found["hits"]] == [hit.score for hit in expected]


def test_the_help_names_the_defaults_of_the_index(run: Run) -> None:
    text = run("search", "--help").stdout
    lines = [" ".join(line.split()) for line in text.split("\n")]
    assert f"--k1 FLOAT [default: {DEFAULT_K1}]" in lines
    assert f"--b FLOAT [default: {DEFAULT_B}]" in lines


def test_people_see_rank_score_id_and_title(index: Path, run: Run) -> None:
    result = run("search", index, QUERY)
    first = qidf.Index.open(index).search(QUERY)[0]
    lines = result.stdout.split("\n")
    assert lines[0].split() == ["1", f"{first.score:.3f}", "ws"]
    assert lines[1].strip() == "Upgrade"
    assert result.stderr.strip().endswith("documents, BM25")
    other = run("search", index, "x = auth(auth(middleware));", "--q", 0.5)
    assert other.stderr.strip().endswith("q = 0.500, k3 = 1")


def test_people_see_the_line_that_made_a_file_score(tmp_path: Path, run: Run) -> None:
    source = tmp_path / "src"
    source.mkdir()
    (source / "a.go").write_text("package auth\n\nfunc handleUpgrade(w Writer) {\n\tauth\n}\n")
    (source / "b.go").write_text("package other\n\nfunc auth() {}\n")
    run("index", source, "-o", tmp_path / "index")
    result = run("search", tmp_path / "index", "handleUpgrade auth", "--q", 1)
    assert result.stdout.split("\n")[1].strip() == "3: func handleUpgrade(w Writer) {"
    (source / "a.go").unlink()
    gone = run("search", tmp_path / "index", "handleUpgrade auth", "--q", 1)
    assert gone.exit_code == 0
    assert "func handleUpgrade" not in gone.stdout


def test_contributions_are_shown_on_request(index: Path, run: Run) -> None:
    found = json.loads(run("search", index, QUERY, "--explain", "--json").stdout)
    for hit in found["hits"]:
        assert sum(hit["contributions"].values()) == pytest.approx(hit["score"], rel=1e-6)
    assert "handlewebsocketupgrade " in run("search", index, QUERY, "--explain").stdout


def test_a_query_can_come_from_stdin(index: Path, run: Run) -> None:
    found = json.loads(run("search", index, "-", "--json", stdin="auth\nmiddleware").stdout)
    assert found["query"] == "auth\nmiddleware"
    assert found["hits"][0]["id"] == "auth"
    assert run("explain", index, "-", "ws", stdin="auth").exit_code == 0


def test_a_query_that_is_not_utf8_is_read_anyway(index: Path, run: Run) -> None:
    found = json.loads(run("search", index, "-", "--json", stdin=b"auth caf\xe9").stdout)
    assert found["query"] == "auth caf\ufffd"
    assert found["hits"]


def test_no_match_is_an_answer_and_not_an_error(index: Path, run: Run) -> None:
    result = run("search", index, "zzz")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "no document matches" in result.stderr
    assert "--q 1" not in result.stderr
    assert json.loads(run("search", index, "", "--json").stdout)["hits"] == []


def test_words_that_the_papers_idf_leaves_nothing_are_pointed_out(tmp_path: Path, run: Run) -> None:
    qidf.Index.build(["common word", "common term"]).save(tmp_path / "index")
    assert run("search", tmp_path / "index", "common").stdout
    assert run("search", tmp_path / "index", "common", "--q", 0.1).stdout
    result = run("search", tmp_path / "index", "common", "--weighting", "paper")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "in half of the documents or more count for nothing" in result.stderr
    assert "--weighting auto" in result.stderr


def test_every_part_of_the_weighting_is_an_option(index: Path, run: Run) -> None:
    query = "auth auth auth middleware(request)"
    for options, parts in (
        (["--weighting", "paper"], {"weighting": "paper"}),
        (["--k3", "1"], {"k3": 1}),
        (["--k3", "inf", "--q", "0.5"], {"k3": math.inf, "q": 0.5}),
        (["--formula", "gamma(gamma=2)"], {"formula": "gamma(gamma=2)"}),
        (["--weighting", "qlog1p(q=0.5, k3=2)"], {"weighting": "qlog1p(q=0.5, k3=2)"}),
    ):
        found = json.loads(run("search", index, query, *options, "--json").stdout)
        expected = qidf.Index.open(index).search(query, **parts)
        assert [hit["score"] for hit in found["hits"]] == [hit.score for hit in expected]
    assert run("search", index, query, "--k3", "-1").exit_code == 2
    assert "names no weighting" in run("search", index, query, "--weighting", "bm11").stderr


def test_names_of_files_cannot_steer_the_terminal(tmp_path: Path, run: Run) -> None:
    evil = "\x1b[2Jevil\r\n\udce9"
    document = qidf.Document("some word", evil, {"title": "\x1b]0;owned\x07"})
    qidf.Index.build([document]).save(tmp_path / "index")
    result = run("search", tmp_path / "index", "word", "--q", 1)
    assert result.exit_code == 0
    assert "evil" in result.stdout
    assert "\x1b" not in result.stdout
    found = json.loads(run("search", tmp_path / "index", "word", "--q", 1, "--json").stdout)
    assert found["hits"][0]["id"] == evil
    assert "\x1b" not in run("explain", tmp_path / "index", "word", evil).stdout


def test_explain_prints_the_table(index: Path, run: Run) -> None:
    result = run("explain", index, QUERY, "ws", "--q", 0.5)
    assert result.exit_code == 0
    assert result.stdout == f"{qidf.Index.open(index).explain(QUERY, 'ws', 0.5)}\n"


def test_explain_gives_scripts_every_number(index: Path, run: Run) -> None:
    found = json.loads(run("explain", index, QUERY, "ws", "--q", 0.5, "--json").stdout)
    expected = qidf.Index.open(index).explain(QUERY, "ws", 0.5)
    assert found["rank"] == expected.rank == 1
    assert found["score"] == expected.score
    assert [term["token"] for term in found["terms"]] == [term.token for term in expected.terms]
    assert [term["ratio"] for term in found["terms"]] == [term.ratio for term in expected.terms]


def test_explaining_an_unknown_document_is_an_error(index: Path, run: Run) -> None:
    result = run("explain", index, QUERY, "nobody")
    assert result.exit_code == 1
    assert "no document has the id 'nobody'" in result.stderr


@pytest.mark.parametrize("q", ["nan", "inf", "fast", ""])
def test_a_q_that_is_no_number_is_a_usage_error(index: Path, run: Run, q: str) -> None:
    result = run("search", index, QUERY, "--q", q)
    assert result.exit_code == 2
    assert "--q" in result.stderr
