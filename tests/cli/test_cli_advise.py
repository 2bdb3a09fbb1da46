"""qidf advise and stats: the same counts from everything they can be pointed at."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import bm25s
import pytest
from shell import RECORDS, Run

import qidf

CONTRACT = ["num_docs", "num_tokens", "vocab_size", "htok", "htok_ci95", "q", "action", "reason"]
TEXTS = [f"func handler{number} serves the route{number % 7} with auth" for number in range(60)]


@pytest.fixture
def targets(tmp_path: Path) -> list[Path]:
    """The same documents as an index, a bm25s folder, a BEIR folder, a JSONL and files."""
    qidf.Index.build(TEXTS).save(tmp_path / "index")
    retriever = bm25s.BM25(corpus=TEXTS)
    retriever.index(bm25s.tokenize(TEXTS, show_progress=False), show_progress=False)
    retriever.save(tmp_path / "bm25s", show_progress=False)
    (tmp_path / "beir").mkdir()
    lines = [json.dumps({"_id": str(n), "title": "", "text": t}) for n, t in enumerate(TEXTS)]
    (tmp_path / "beir" / "corpus.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    (tmp_path / "docs.jsonl").write_text("\n".join(lines))
    (tmp_path / "files").mkdir()
    for number, text in enumerate(TEXTS):
        (tmp_path / "files" / f"{number}.go").write_text(text)
    return [tmp_path / name for name in ("index", "bm25s", "beir", "docs.jsonl", "files")]


def test_every_target_gives_the_same_advice(targets: list[Path], run: Run) -> None:
    expected = qidf.advise(qidf.CorpusStats.from_tokens(map(tokens, TEXTS)))
    for target in targets:
        result = run("advise", target, "--json")
        assert result.exit_code == 0, result.stderr
        found = json.loads(result.stdout)
        assert list(found)[: len(CONTRACT)] == CONTRACT
        assert {name: found[name] for name in CONTRACT} == {
            name: value for name, value in expected.to_dict().items() if name in CONTRACT
        }
        assert found["htok_ci95"] is None


def tokens(text: str) -> list[str]:
    return qidf.parse_analyzer("generic").tokens(text)


def test_every_target_gives_the_same_statistics(targets: list[Path], run: Run) -> None:
    expected = qidf.CorpusStats.from_tokens(map(tokens, TEXTS))
    for target in targets:
        found = json.loads(run("stats", target, "--json").stdout)
        for name in ("num_docs", "htok", "type_token_ratio", "median_df", "share_df_le_5"):
            assert found[name] == getattr(expected, name)
        assert found["zipf_alpha"] is None
        assert run("stats", target).exit_code == 0


def test_a_bm25s_folder_without_its_corpus_is_counted_too(targets: list[Path], run: Run) -> None:
    (targets[1] / "corpus.jsonl").unlink()
    assert json.loads(run("advise", targets[1], "--json").stdout)["num_docs"] == len(TEXTS)
    result = run("advise", targets[1], "--analyzer", "identifier")
    assert result.exit_code == 1
    assert "has no corpus.jsonl" in result.stderr


def test_the_zipf_exponent_comes_on_request(targets: list[Path], run: Run) -> None:
    alphas = {
        json.loads(run("stats", target, "--zipf", "--json").stdout)["zipf_alpha"]
        for target in targets
    }
    assert len(alphas) == 1
    assert "Zipf alpha" in run("stats", targets[0], "--zipf").stdout


def test_people_see_action_q_and_reason(targets: list[Path], run: Run) -> None:
    result = run("advise", targets[0])
    assert result.stdout.startswith("keep-bm25: BM25\nBM25, since 60 documents with ")
    assert "documents   60" in result.stdout


def test_an_analyzer_that_can_be_changed_should_be(targets: list[Path], run: Run) -> None:
    found = json.loads(run("advise", targets[3], "--can-change-analyzer", "--json").stdout)
    assert (found["action"], found["q"]) == ("change-analyzer", 1.0)


def test_the_analyzer_of_documents_can_be_chosen_and_that_of_an_index_not(
    targets: list[Path], run: Run
) -> None:
    found = json.loads(run("advise", targets[3], "--analyzer", "identifier", "--json").stdout)
    assert (found["action"], found["analyzer"]) == ("keep-bm25", "identifier")
    assert run("advise", targets[0], "--analyzer", "generic").exit_code == 0
    result = run("advise", targets[0], "--analyzer", "identifier")
    assert result.exit_code == 1
    assert "was indexed with the analyzer generic" in result.stderr


def test_an_empty_index_is_judged_without_an_error(tmp_path: Path, run: Run) -> None:
    qidf.Index.build([]).save(tmp_path / "index")
    assert json.loads(run("advise", tmp_path / "index", "--json").stdout)["q"] == 1.0
    assert json.loads(run("stats", tmp_path / "index", "--json").stdout)["num_docs"] == 0


def test_a_folder_without_documents_is_judged_without_an_error(tmp_path: Path, run: Run) -> None:
    assert json.loads(run("advise", tmp_path, "--json").stdout)["num_docs"] == 0
    assert run("stats", tmp_path).exit_code == 0


def test_changed_indexes_are_counted_over_all_segments(tmp_path: Path, run: Run) -> None:
    built = qidf.Index.build(RECORDS)
    built.save(tmp_path / "index")
    built.delete(["log"])
    kept = [record for record in RECORDS if record["_id"] != "log"]
    expected = qidf.Index.build(kept).stats
    found = json.loads(run("stats", tmp_path / "index", "--json").stdout)
    assert found["htok"] == expected.htok
    assert found["vocab_size"] == expected.vocab_size
    advice = json.loads(run("advise", tmp_path / "index", "--json").stdout)
    assert (advice["num_tokens"], advice["htok"]) == (expected.num_tokens, expected.htok)


def test_a_path_that_is_nothing_is_an_error(tmp_path: Path, run: Run) -> None:
    result = run("advise", tmp_path / "nowhere")
    assert result.exit_code == 1
    assert result.stderr == f"qidf: there is nothing at {tmp_path / 'nowhere'}; check the path\n"


CODE = "item = load(item);\nreturn item.save(path);"


def test_all_commands_say_the_same_of_one_index(tmp_path: Path, run: Run) -> None:
    texts = [f"def load_item{n} item path load read value n{n % 9} again once" for n in range(1200)]
    (tmp_path / "docs.jsonl").write_text(
        "\n".join(json.dumps({"_id": str(n), "text": text}) for n, text in enumerate(texts))
    )
    index = tmp_path / "index"
    run("index", tmp_path / "docs.jsonl", "-o", index)
    advice = json.loads(run("advise", index, "--json").stdout)
    assert advice["action"] == "apply-qlog"
    for query, kind, field in (
        ("load item", "text", "weighting"),
        (CODE, "code", "code_weighting"),
    ):
        found = json.loads(run("search", index, query, "--json").stdout)
        narrower = json.loads(run("advise", index, "--kind", kind, "--json").stdout)
        assert found["weighting"] == advice[field] == narrower["weighting"]
        assert found["reason"] == narrower["reason"]
    assert qidf.Index.open(index).decide().to_dict()["reason"] == advice["reason"]


@pytest.mark.parametrize("functions", [3, 30])
def test_all_commands_say_the_same_of_one_repository(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, functions: int
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    root = tmp_path / "repository"
    root.mkdir()
    for file in range(40):
        (root / f"module{file}.py").write_text(
            "\n\n".join(
                f"def loadItem{file}x{n}(path, value):\n"
                f'    """Read the item number {n} of part {file} from a path."""\n'
                f"    opened = readPath(path, value + {n})\n    return opened.itemOf(value)\n"
                for n in range(functions)
            )
        )
    found = json.loads(run("search", "read the item", root, "--json").stdout)
    status = json.loads(run("status", root, "--json").stdout)
    advice = json.loads(run("advise", root, "--json").stdout)
    assert advice["kind"] == "repository"
    assert advice["analyzer"] == status["analyzer"]
    assert found["weighting"] == status["weighting"] == advice["weighting"]
    assert status["q_reason"] == advice["reason"]
    assert advice["code_weighting"] == status["code_weighting"]
    code = json.loads(run("search", CODE, root, "--json").stdout)
    narrower = json.loads(run("advise", root, "--kind", "code", "--json").stdout)
    assert code["weighting"] == advice["code_weighting"] == narrower["weighting"]
    assert code["reason"] == narrower["reason"]
    tuned = json.loads(run("tune", "--self", root, "--analyzer", "identifier", "--json").stdout)
    assert tuned["q_auto"] == status["q"]
    small = functions == 3
    assert (narrower["action"] == "keep-bm25") is small
