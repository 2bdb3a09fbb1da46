"""qidf rescale and audit: a bm25s folder there and back."""

from __future__ import annotations

import json
from pathlib import Path

import bm25s
import numpy as np
import pytest
from shell import Run

import qidf

TEXTS = [f"func handler{number} serves the route{number % 7} with auth" for number in range(60)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    retriever = bm25s.BM25(corpus=TEXTS)
    retriever.index(bm25s.tokenize(TEXTS, show_progress=False), show_progress=False)
    retriever.save(tmp_path / "bm25s", show_progress=False)
    return tmp_path / "bm25s"


def scores(folder: Path) -> np.ndarray:
    """What unmodified bm25s gives for one query."""
    retriever = bm25s.BM25.load(folder)
    return np.asarray(retriever.get_scores(["handler3", "auth", "serves"]))


def test_a_folder_is_rescaled_and_restored_bit_for_bit(folder: Path, run: Run) -> None:
    before = scores(folder)
    result = run("rescale", folder, "--q", 0.5)
    assert result.exit_code == 0
    assert result.stdout.startswith("q = 0.500, was 1.000: ")
    changed = scores(folder)
    index, asked = qidf.Index.build(TEXTS), ["handler3", "auth", "serves"]
    np.testing.assert_allclose(changed, index.scores(asked, 0.5), rtol=1e-5)
    assert "send each token of code once" in result.stderr
    run("rescale", folder, "--weighting", "paper", "--q", 0.5)
    paper = index.scores(asked, 0.5, weighting="paper")
    np.testing.assert_allclose(scores(folder), paper, rtol=1e-5)
    assert run("rescale", folder, "--restore").exit_code == 0
    assert scores(folder).tobytes() == before.tobytes() != changed.tobytes()


def test_auto_predicts_q_from_the_index_itself(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "corpus.jsonl").unlink()
    result = run("rescale", folder, "--q", "auto")
    assert "q = 1.000 (htok " in result.stdout
    assert "too few to choose by" in result.stderr
    monkeypatch.setattr("qidf.weighting.decision.MIN_DOCS", 1)
    monkeypatch.setattr("qidf.weighting.decision.MIN_TOKENS", 1)
    result = run("rescale", folder, "--q", "auto")
    assert f"q = {qidf.predict_q(qidf.Index.build(TEXTS).stats):.3f} (htok " in result.stdout
    assert f"qidf rescale {folder} --restore" in result.stderr


def test_the_corpus_beside_the_index_stays(folder: Path, run: Run) -> None:
    corpus = (folder / "corpus.jsonl").read_bytes()
    run("rescale", folder, "--q", 0.5)
    assert (folder / "corpus.jsonl").read_bytes() == corpus


@pytest.mark.parametrize("options", [[], ["--q", "0.5", "--restore"]])
def test_either_a_q_or_restore_is_needed(folder: Path, run: Run, options: list[str]) -> None:
    result = run("rescale", folder, *options)
    assert result.exit_code == 2
    assert "either --q or --restore" in result.stderr


def test_a_folder_without_a_bm25s_index_is_an_error(tmp_path: Path, run: Run) -> None:
    result = run("rescale", tmp_path, "--q", 0.5)
    assert result.exit_code == 1
    assert "no bm25s index" in result.stderr


def test_the_audit_of_a_folder_finds_no_difference_and_changes_nothing(
    folder: Path, run: Run
) -> None:
    files = {path: path.read_bytes() for path in folder.iterdir()}
    result = run("audit", folder)
    assert result.exit_code == 0
    assert "max absolute score difference 0.0, top-10 identical" in result.stdout
    assert {path: path.read_bytes() for path in folder.iterdir()} == files


def test_the_audit_of_documents_compares_qidf_with_bm25s(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "docs.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in [*TEXTS, ""]))
    result = run("audit", path, "-k", 5)
    assert result.exit_code == 0
    first, second = result.stdout.splitlines()
    assert "max absolute score difference 0.0, top-5 identical" in first
    assert second.startswith("qidf index against bm25s at q = 1:")
    assert second.endswith("max absolute score difference 0.0, top-5 identical")


def test_an_audit_that_finds_a_difference_fails(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "docs.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS))
    monkeypatch.setattr("qidf.cli.commands.audit._against_index", lambda *_: (1e-7, True))
    result = run("audit", path)
    assert result.exit_code == 1
    assert "the audit failed" in result.stderr


def test_documents_without_words_cannot_be_audited(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "docs.jsonl"
    path.write_text('{"text": ""}\n')
    result = run("audit", path)
    assert result.exit_code == 1
    assert "no words to search for" in result.stderr
