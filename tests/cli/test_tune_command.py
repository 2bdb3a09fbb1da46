"""qidf tune: what it prints, what scripts get, and how it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from shell import Run

COMMON = [f"word{number}" for number in range(10)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "names", 60)


def write_folder(root: Path, size: int) -> Path:
    """Documents with one rare name each among common words, asked for by name and other words."""
    rng = np.random.default_rng(7)
    (root / "qrels").mkdir(parents=True)
    documents, queries, lines = [], [], ["query-id\tcorpus-id\tscore"]
    for at in range(size):
        text = f"name{at} {' '.join(rng.choice(COMMON, 6))}"
        documents.append({"_id": f"d{at}", "text": text})
        # The words of another document outweigh a name at q = 1.
        queries.append({"_id": f"q{at}", "text": f"name{at} {' '.join(rng.choice(COMMON, 12))}"})
        lines.append(f"q{at}\td{at}\t1")
    for name, records in (("corpus", documents), ("queries", queries)):
        (root / f"{name}.jsonl").write_text("\n".join(map(json.dumps, records)))
    (root / "qrels" / "test.tsv").write_text("\n".join(lines))
    return root


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    pytest.importorskip("tree_sitter_language_pack")
    root = tmp_path / "repo"
    root.mkdir()
    functions = [
        f'def load_part{at}(path):\n    """Load the piece{at} of a file."""\n'
        f"    piece{at} = open(path)\n    return piece{at}\n"
        for at in range(40)
    ]
    (root / "parts.py").write_text("\n".join(functions))
    return root


def test_a_table_and_a_sentence_for_people(run: Run, folder: Path) -> None:
    result = run("tune", folder)
    assert result.exit_code == 0
    assert "names: 60 documents, 60 queries" in result.stdout
    lines = result.stdout.splitlines()
    assert [line.split()[0] for line in lines if line.startswith("q=")][:6] == [
        f"q={q}" for q in ("0.1", "0.3", "0.5", "0.7", "0.9", "1")
    ]
    assert sum(line.endswith("predicted") for line in lines) == 1
    assert "Picked by other queries" in result.stdout or "Keep the predicted q" in result.stdout


def test_json_for_scripts(run: Run, folder: Path) -> None:
    result = run("tune", folder, "--q", "0.5", "--q", "1", "--json")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert found["dataset"] == "names"
    (only,) = found["analyzers"]
    assert only["analyzer"] == "generic"
    assert [row["q"] for row in only["rows"]] == [0.5, 1.0]
    assert found["verdict"] == only["verdict"]
    assert "across" not in found


def test_a_small_set_is_refused_with_the_number_it_takes(run: Run, tmp_path: Path) -> None:
    small = write_folder(tmp_path / "small", 5)
    result = run("tune", small)
    assert result.exit_code == 0
    assert "5 queries are too few to tell" in result.stdout
    assert "queries to see a difference" in result.stdout
    found = json.loads(run("tune", small, "--json").stdout)
    assert (found["verdict"], found["q"]) == ("too-small", None)
    assert found["analyzers"][0]["held_out"]["against_bm25"]["queries_needed"] > 5


def test_more_than_ten_values_are_refused(run: Run, folder: Path) -> None:
    paper = json.loads(run("tune", folder, "--q", "0.5", "--weighting", "paper", "--json").stdout)
    assert paper["q_auto"] == pytest.approx(paper["q_pred"])
    assert "names no weighting" in run("tune", folder, "--weighting", "heavy").stderr
    result = run("tune", folder, *(word for at in range(11) for word in ("--q", str(at / 10))))
    assert result.exit_code == 1
    assert "give at most 10" in result.stderr


def test_a_repository_is_asked_with_its_own_docstrings(run: Run, repository: Path) -> None:
    result = run("tune", "--self", repository)
    assert result.exit_code == 0
    assert "repo (to-code): 40 documents, 40 queries" in result.stdout
    for analyzer in ("generic", "whitespace", "identifier", "subtoken"):
        assert f"\n{analyzer}" in result.stdout
    assert "40 distinct functions" in result.stderr


def test_a_repository_as_json(run: Run, repository: Path) -> None:
    arguments = ["--analyzer", "generic", "--analyzer", "subtoken", "--direction", "to-docstring"]
    found = json.loads(run("tune", "--self", repository, *arguments, "--json").stdout)
    assert found["dataset"] == "repo (to-docstring)"
    assert [each["analyzer"] for each in found["analyzers"]] == ["generic", "subtoken"]
    assert found["across"]["analyzer"] in ("generic", "subtoken")


def test_a_repository_with_too_few_docstrings_gets_a_sentence(run: Run, repository: Path) -> None:
    (repository / "parts.py").write_text("def f():\n    a = 1\n    return a\n")
    result = run("tune", "--self", repository)
    assert result.exit_code == 1
    assert "0 functions with a docstring of their own among 1" in result.stderr


def test_a_missing_dataset_gets_a_sentence(run: Run, tmp_path: Path) -> None:
    result = run("tune", tmp_path / "nothing")
    assert result.exit_code == 1
    assert "there is no dataset" in result.stderr
