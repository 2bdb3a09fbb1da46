"""Searching a repository: what is found, in which order, and what can be asked of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from projects import FILES

import qidf
from qidf.errors import InputError, InvalidArgumentError
from qidf.repository import Repository
from qidf.repository.ranking import CODE_B, CODE_K1


def test_the_function_that_is_asked_for_comes_first(project: Path) -> None:
    repository = Repository.open(project)
    first, *others = repository.search("handleWebSocketUpgrade auth middleware")
    assert first.location == "src/upgrade.go:1-6"
    assert (first.symbol, first.kind, first.language) == (
        "handleWebSocketUpgrade",
        "function",
        "go",
    )
    assert first.rank == 1
    assert next(iter(first.matched)) == "handlewebsocketupgrade"
    assert sum(first.matched.values()) == pytest.approx(first.parts.span, rel=1e-5)
    assert first.parts.score == pytest.approx(first.score, rel=1e-5)
    assert first.text == "\n".join(FILES["src/upgrade.go"].split("\n")[:6])
    assert [hit.rank for hit in others] == list(range(2, 2 + len(others)))
    assert all(hit.score <= first.score for hit in others)


def test_parts_of_names_paths_and_enclosing_names_are_found(project: Path) -> None:
    repository = Repository.open(project)
    assert repository.search("web socket upgrade")[0].symbol == "handleWebSocketUpgrade"
    assert repository.search("auth.go")[0].path == "src/auth.go"
    assert repository.search("Report to_csv")[0].path == "tools/report.py"


def test_a_spans_own_part_is_its_score_in_the_index(project: Path) -> None:
    repository = Repository.open(project)
    for q in ("auto", 1.0, 0.4):
        hits = repository.search("token upgrade connections", 3, q=q)
        expected = repository.index.search("token upgrade connections", 50, q, k1=CODE_K1, b=CODE_B)
        scores = {hit.id: hit.score for hit in expected}
        assert [hit.parts.span for hit in hits] == pytest.approx(
            [scores[hit.location] for hit in hits], rel=1e-6
        )
        assert {hit.location for hit in hits} <= scores.keys()


def test_languages_and_paths_narrow_the_answer(project: Path) -> None:
    repository = Repository.open(project)
    query = "connection rows upgrades token"
    everything = repository.search(query)
    assert {hit.language for hit in everything} == {"go", "python", "markdown"}
    for language in ("go", "python", ["go", "markdown"]):
        wanted = {language} if isinstance(language, str) else set(language)
        hits = repository.search(query, language=language)
        assert [hit.location for hit in hits] == [
            hit.location for hit in everything if hit.language in wanted
        ]
    for glob, paths in (
        ("src", {"src/upgrade.go", "src/auth.go"}),
        ("*.py", {"tools/report.py"}),
        ("src/a*.go", {"src/auth.go"}),
        (["*.md", "tools/**"], {"README.md", "tools/report.py"}),
    ):
        assert {hit.path for hit in repository.search(query, path=glob)} == paths
    assert repository.search(query, path="nowhere/**") == []


def test_context_lines_are_added_around_a_span(project: Path) -> None:
    hit = Repository.open(project).search("closeSocket", 1, context=2)[0]
    assert (hit.start_line, hit.end_line) == (8, 10)
    assert [line.number for line in hit.lines] == list(range(6, 11))
    assert hit.lines[2].text == "func closeSocket(conn Conn) {"


def test_explain_finds_the_span_of_a_line(project: Path) -> None:
    repository = Repository.open(project)
    found = repository.explain("authenticate token", "src/auth.go:5")
    assert found.id == "src/auth.go:1-6"
    assert found.rank == 1
    assert [term.token for term in found.terms] == ["authenticate", "token"]
    # A line between spans belongs to the one after it.
    assert repository.explain("conn", "src/upgrade.go:7").id == "src/upgrade.go:8-10"
    with pytest.raises(InputError, match="not among the indexed files"):
        repository.explain("x", "src/nothing.go:1")


def test_the_package_offers_it_under_one_name(project: Path) -> None:
    assert qidf.Repository is Repository
    repository = qidf.Repository.open(project / "src")
    assert repository.root == (project / "src").resolve()


def test_what_cannot_be_opened_is_an_error(project: Path) -> None:
    with pytest.raises(InputError, match="nothing at"):
        Repository.open(project / "none")
    with pytest.raises(InvalidArgumentError, match="choose one of"):
        Repository.open(project, analyzer="magic")
    with pytest.raises(InvalidArgumentError, match="max_bytes"):
        Repository.open(project, max_bytes=0)


def test_an_empty_folder_has_no_hits(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    repository = Repository.open(tmp_path / "empty")
    assert repository.search("anything") == []
    assert repository.status().num_files == 0


def test_analyzer_and_file_limit_are_kept_once_chosen(project: Path) -> None:
    chosen = Repository.open(project, analyzer="generic", max_bytes=150)
    assert chosen.search("websocket") == []
    again = Repository.open(project)
    assert again.search("websocket") == []
    status = again.status()
    assert (status.analyzer, status.max_bytes) == ("generic", 150)
    assert status.analyzer_reason == "it was asked for"
    assert again.cut_short == (2, 0)
    assert status.q == 1.0
    assert "too few to choose by" in status.q_reason
    back = Repository.open(project, analyzer="identifier", max_bytes=10_000)
    assert back.search("websocket", 1) == [] or back.search("web socket", 1)
    assert back.status().q == 1.0


def test_status_says_what_is_indexed_and_what_is_pending(project: Path) -> None:
    repository = Repository.open(project)
    before = repository.status()
    assert (before.num_files, before.pending) == (0, 4)
    repository.refresh()
    (project / "src" / "new.go").write_text("package ws\n")
    (project / "README.md").unlink()
    status = repository.status()
    assert (status.num_files, status.removed) == (4, 1)
    assert status.languages == {"go": 2, "python": 1, "markdown": 1}
    assert status.analyzer == "identifier(plurals=fold)"
    assert "camelCase" in status.analyzer_reason
    assert status.num_chunks == len(repository)
    assert status.to_dict()["languages"]["go"] == 2


def test_a_literal_text_narrows_the_ranking_to_spans_that_have_it(project: Path) -> None:
    repository = Repository.open(project)
    asked, text = "upgrade connection token", "return authenticate(conn)"
    assert len(repository.search(asked)) > 1
    (hit,) = repository.search(asked, literal=text)
    assert hit.symbol == "handleWebSocketUpgrade"
    assert [each.location for each in repository.hits_in_order(asked, literal=text)] == [
        hit.location
    ]
    assert [each.path for each in repository.context(asked, literal=text).spans] == [hit.path]
    assert not repository.search(asked, literal=text.upper())
