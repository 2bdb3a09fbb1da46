"""qidf search, index, explain, status and clean on a repository, as people and scripts use them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from shell import Run

import qidf
from qidf.repository.roots import cache_home

SOURCE = '''"""Sockets."""


def handle_upgrade(conn):
    """Check the caller's token and upgrade the connection."""
    return authenticate(conn)


def close_socket(conn):
    conn.close()
'''


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    root = tmp_path / "project"
    (root / "pkg").mkdir(parents=True)
    # Enough to be a work tree to us; git itself refuses it, so that the walk is our own.
    (root / ".git").mkdir()
    (root / "pkg" / "sockets.py").write_text(SOURCE)
    (root / "notes.md").write_text("# Notes\n\nUpgrades need a token.\n")
    (root / "blob.bin").write_bytes(b"\0\1")
    monkeypatch.chdir(root)
    return root


def test_a_query_alone_searches_where_the_user_is(project: Path, run: Run) -> None:
    result = run("search", "handle upgrade", "-k", 1)
    assert result.exit_code == 0
    lines = result.stdout.split("\n")
    assert lines[0].split()[2:] == ["pkg/sockets.py:1-6", "handle_upgrade"]
    assert "upgrade " in lines[1]
    assert "4  def handle_upgrade(conn):" in result.stdout
    assert "1 of 3 spans in 2 files" in result.stderr
    assert result.stderr.strip().endswith("BM25")
    assert not [entry for entry in project.iterdir() if "qidf" in entry.name]


def test_json_is_what_the_package_returns(project: Path, run: Run) -> None:
    found = json.loads(run("search", "upgrade token", ".", "--json", "-k", 2).stdout)
    repository = qidf.Repository.open(project)
    hits = repository.search("upgrade token", 2)
    assert found == {
        "query": "upgrade token",
        "root": str(project.resolve()),
        **repository.index.decide("upgrade token").to_dict(),
        "k": 2,
        "num_files": 3,
        "num_chunks": 3,
        "searched_in_part": 0,
        "too_large": 0,
        "notices": [],
        "hits": [hit.to_dict() for hit in hits],
    }
    assert set(found["hits"][0]) == {
        "rank",
        "path",
        "start_line",
        "end_line",
        "symbol",
        "kind",
        "language",
        "role",
        "score",
        "parts",
        "copies",
        "matched",
        "first_line",
        "text",
    }


def test_languages_globs_paths_and_context_narrow_and_widen(project: Path, run: Run) -> None:
    def paths(*arguments: object) -> set[str]:
        output = run("search", "upgrades connection", *arguments, "--json").stdout
        return {hit["path"] for hit in json.loads(output)["hits"]}

    assert paths() == {"pkg/sockets.py", "notes.md"}
    assert paths("--lang", "markdown") == {"notes.md"}
    assert paths("--path", "pkg/**") == {"pkg/sockets.py"}
    assert paths("pkg") == {"pkg/sockets.py"}
    assert paths("pkg/sockets.py") == {"pkg/sockets.py"}
    assert paths("pkg", "--path", "*.md") == set()
    shown = run("search", "close socket", "-k", 1, "--context", 1).stdout
    assert "def close_socket(conn):" in shown
    assert "conn.close()" in shown


def test_paths_are_shown_from_where_the_user_is(
    project: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project / "pkg")
    assert " sockets.py:1-6" in run("search", "handle_upgrade").stdout
    found = json.loads(run("search", "handle_upgrade", "--json").stdout)
    assert found["hits"][0]["path"] == "pkg/sockets.py"


def test_all_of_the_repository_is_searched_from_any_folder_in_it(
    project: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project / "pkg")
    assert "../notes.md:" in run("search", "upgrades need token").stdout
    assert "notes.md" not in run("search", "upgrades need token", ".").stdout


def test_a_query_can_come_from_stdin_or_a_file(project: Path, run: Run) -> None:
    typed = json.loads(run("search", "close socket", "--json").stdout)
    piped = json.loads(run("search", "-", "--json", stdin="close socket").stdout)
    assert piped == typed
    (project / "issue.txt").write_text("close socket")
    read = json.loads(run("search", "--file", "issue.txt", "--json").stdout)
    assert read["query"] == "close socket"
    assert read["hits"][0]["path"] in {"issue.txt", "pkg/sockets.py"}
    again = json.loads(run("search", "--file", "issue.txt", "pkg", "--json").stdout)
    assert {hit["path"] for hit in again["hits"]} == {"pkg/sockets.py"}


def test_a_budget_gives_a_prompt_and_says_what_it_left_out(project: Path, run: Run) -> None:
    result = run("search", "upgrade token socket", "--budget", 70)
    assert result.stdout.startswith("### ")
    assert "of 70 tokens (cl100k_base)" in result.stderr
    assert "left out: " in result.stderr
    found = json.loads(run("search", "upgrade token socket", "--budget", 70, "--json").stdout)
    assert found["tokens"] <= 70
    assert found["left_out"]
    assert found["spans"][0]["rank"] == 1


def test_what_changed_since_is_in_the_answer(project: Path, run: Run) -> None:
    run("search", "anything")
    (project / "pkg" / "fresh.py").write_text("def brand_new_function():\n    pass\n")
    assert "pkg/fresh.py:1-2" in run("search", "brand new function").stdout
    (project / "pkg" / "fresh.py").unlink()
    assert "fresh" not in run("search", "brand new function").stdout


def test_explain_takes_a_line(project: Path, run: Run) -> None:
    result = run("explain", "close socket", "pkg/sockets.py:9")
    assert result.exit_code == 0
    assert result.stdout.startswith("pkg/sockets.py:9-10\n  rank 1 ")
    found = json.loads(run("explain", "close socket", "pkg/sockets.py:10", "--json").stdout)
    assert found["id"] == "pkg/sockets.py:9-10"
    missing = run("explain", "close", "pkg/none.py:1")
    assert (missing.exit_code, missing.stderr.count("\n")) == (1, 1)
    assert run("explain", "one").exit_code == 2


def test_explain_refuses_places_that_nobody_asked_to_index(
    project: Path, run: Run, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "notes.txt").write_text("close the socket\n")
    place = str(elsewhere / "notes.txt")
    refused = run("explain", "close", f"{place}:1")
    assert refused.exit_code == 1
    assert "is in no repository that is known here" in refused.stderr
    assert not list(cache_home().glob("elsewhere-*"))
    # Once it has been searched it is known.
    assert run("search", "close", str(elsewhere)).exit_code == 0
    assert run("explain", "close", f"{place}:1").exit_code == 0
    for line in ("2", "0", "9" * 5000):
        past = run("explain", "close", f"{place}:{line}")
        assert past.exit_code == 1
        assert "check the number" in past.stderr


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
def test_the_cache_is_its_owners_alone(project: Path, run: Run) -> None:
    cache_home().mkdir(parents=True)
    cache_home().chmod(0o755)
    for _ in range(2):
        assert run("search", "close socket").exit_code == 0
        (project / "pkg" / "more.py").write_text("def close_more():\n    pass\n")
    stored = [cache_home(), *cache_home().rglob("*")]
    assert len(stored) > 4
    for path in stored:
        assert path.stat().st_mode & 0o077 == 0, path


def test_index_status_and_clean(project: Path, run: Run) -> None:
    before = json.loads(run("status", "--json").stdout)
    assert (before["num_files"], before["pending"], before["directory"]) == (0, 3, None)
    made = run("index")
    assert made.exit_code == 0
    assert made.stdout.startswith(
        "3 spans in 2 files, analyzer identifier(plurals=fold), q 1.000, "
    )
    assert "left out: 1 binary" in made.stderr
    shown = run("status").stdout
    for text in ("identifier(plurals=fold): ", "1.000: ", "no change", "1 binary", "python 1"):
        assert text in shown
    other = run("index", ".", "--analyzer", "generic")
    assert "analyzer generic" in other.stdout
    assert json.loads(run("status", "--json").stdout)["analyzer"] == "generic"
    assert run("clean").stdout.startswith("deleted ")
    assert "no index to delete" in run("clean").stdout
    run("index")
    assert run("clean", "--all").stdout.count("deleted ") == 1
    assert (project / "notes.md").exists()


def test_commands_that_make_no_sense_say_so(project: Path, run: Run) -> None:
    assert run("search").exit_code == 2
    assert run("search", "a", "b", "c").exit_code == 2
    nothing = run("search", "some words", "nowhere")
    assert nothing.exit_code == 1
    assert "there is nothing at 'nowhere'" in nothing.stderr
    run("index", project, "-o", "own.qidf")
    mixed = run("search", "own.qidf", "upgrade", "--lang", "python")
    assert mixed.exit_code == 2
    assert "are for repositories" in mixed.stderr
    a_file = run("index", "notes.md")
    assert a_file.exit_code == 1
    assert "with -o" in a_file.stderr


def test_an_index_of_documents_inside_is_not_part_of_the_repository(
    project: Path, run: Run
) -> None:
    run("index", project, "-o", "own.qidf")
    own = run("search", "own.qidf", "upgrade", "--q", 1, "--json")
    assert {hit["id"] for hit in json.loads(own.stdout)["hits"]} == {"pkg/sockets.py"}
    found = json.loads(run("search", "segment manifest generation", "--json").stdout)
    assert not [hit for hit in found["hits"] if hit["path"].startswith("own.qidf")]


def test_names_of_files_cannot_steer_the_terminal(project: Path, run: Run) -> None:
    (project / "evil\x1b[2J.py").write_text("def evil_thing():\n    '\x1b[2J'\n")
    result = run("search", "evil thing")
    assert "evil_thing" in result.stdout
    assert "\x1b" not in result.stdout


def test_why_nothing_was_found_is_said(project: Path, run: Run) -> None:
    empty = run("search", "  ")
    assert (empty.exit_code, empty.stdout) == (1, "")
    assert "the query is empty" in empty.stderr
    assert "no words to search for" in run("search", "the of and").stderr
    assert "No indexed file has such a path" in run("search", "upgrade", "--path", "*.go").stderr
    unknown = run("search", "upgrade", "--lang", "pyton")
    assert unknown.exit_code == 1
    assert "did you mean 'python'?" in unknown.stderr
    assert "note:" not in run("search", "quuxly").stderr


def test_an_empty_repository_is_said_to_be_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "nothing").mkdir()
    monkeypatch.chdir(tmp_path / "nothing")
    result = run("search", "upgrade")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "There are no files of text" in result.stderr


def test_a_budget_too_small_for_any_span_says_so(project: Path, run: Run) -> None:
    result = run("search", "upgrade", "--budget", 3)
    assert result.stdout == ""
    assert "fits in 3 tokens; raise --budget" in result.stderr


def test_a_budget_is_ranked_with_the_parameters_that_are_given(project: Path, run: Run) -> None:
    options = ("--budget", 4000, "--json", "--k1", 0.0, "--b", 0.0)
    found = json.loads(run("search", "upgrade token", *options).stdout)
    repository = qidf.Repository.open(project)
    expected = repository.context("upgrade token", 4000, k1=0.0, b=0.0)
    assert found["spans"] == [span.to_dict() for span in expected.spans]
    assert run("search", "upgrade", "--budget", 400, "--context", 2).exit_code == 2


def test_a_long_line_is_shown_where_it_matches(project: Path, run: Run) -> None:
    (project / "wide.txt").write_text("filler " * 100 + "needleword " + "filler " * 100 + "\n")
    shown = run("search", "needleword").stdout.split("\n")[2]
    assert "needleword" in shown
    assert shown.split()[1].startswith("…")
    assert shown.endswith("…")
    assert len(shown) <= 120


def test_a_home_folder_is_not_indexed_unless_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    home = tmp_path / "home"
    (home / "work").mkdir(parents=True)
    (home / "work" / "notes.txt").write_text("Upgrades need a token.\n")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(home))
    for folder in (home, tmp_path):
        monkeypatch.chdir(folder)
        for command in (("search", "token"), ("mcp",), ("serve", "--port", 0)):
            result = run(*command)
            assert result.exit_code == 1
            assert "home folder" in result.stderr
        assert run("status").exit_code == 0
    assert not (tmp_path / "cache").exists()
    monkeypatch.chdir(home / "work")
    assert "notes.txt" in run("search", "token").stdout
    monkeypatch.chdir(home)
    assert run("index", ".").exit_code == 0
    assert "work/notes.txt" in run("search", "token").stdout


def test_a_folder_with_very_many_files_and_no_git_is_named_before_it_is_indexed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("qidf.cli.consent.MANY_FILES", 150)
    root = tmp_path / "many"
    root.mkdir()
    for number in range(200):
        (root / f"f{number}.txt").write_text(f"word{number}\n")
    monkeypatch.chdir(root)
    result = run("search", "word7")
    assert "f7.txt" in result.stdout
    assert "no git repository and has 200 files" in result.stderr
    assert "indexing 200 files" in result.stderr
    assert "no git repository" not in run("search", "word7").stderr


def test_a_link_is_a_file_of_the_repository_and_where_it_leads_is_not_indexed(
    project: Path, tmp_path: Path, run: Run
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "secret.txt").write_text("upgrade outside\n")
    (project / "link.txt").symlink_to(tmp_path / "elsewhere" / "secret.txt")
    for _ in range(2):
        result = run("explain", "upgrade", "link.txt:1")
        assert result.exit_code == 1
        assert "link.txt is not among the indexed files" in result.stderr
    (folder,) = (tmp_path / "cache" / "qidf" / "repositories").iterdir()
    assert folder.name.startswith("project-")


def test_a_query_without_quotes_is_told_about_them(project: Path, run: Run) -> None:
    assert "several words in quotes" in run("search", "handle", "upgrade").stderr
    assert "in quotes if it has several words" in run("search", "how", "to", "upgrade").stderr


def test_paths_are_taken_as_hits_print_them_and_can_be_excluded(
    project: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "notes.txt").write_text("One socket more.\n")
    everything = run("search", "socket", "-l", "-k", 50).stdout.split()
    assert "pkg/sockets.py" in everything
    assert len(set(everything)) == len(everything) > 1
    without = run("search", "socket", "-l", "-k", 50, "--path", "!pkg/**").stdout.split()
    assert without == [path for path in everything if not path.startswith("pkg/")]
    monkeypatch.chdir(project / "pkg")
    assert run("search", "socket", "-l").stdout.split()
    for glob in ("./sockets.py", "sockets.py", "pkg/sockets.py"):
        found = run("search", "socket", "-l", "--path", glob).stdout.split()
        assert found == ["sockets.py"]


def test_a_language_that_is_not_there_is_said(project: Path, run: Run) -> None:
    result = run("search", "socket", "--lang", "haskell")
    assert "No indexed file is in haskell" in result.stderr


def test_words_are_shown_as_the_question_spells_them(project: Path, run: Run) -> None:
    (project / "pkg" / "names.py").write_text(
        "def find_aliases(names):\n    return names.aliases\n"
    )
    shown = run("search", "aliases of classes").stdout
    assert "aliases " in shown
    assert "alia " not in shown.replace("aliases", "")
    place = next(word for word in shown.split() if ".py:" in word)
    rows = run("explain", "aliases of classes", place).stdout.splitlines()
    assert any(row.startswith("aliases ") for row in rows)


def test_a_text_that_spans_must_have_narrows_the_answer(project: Path, run: Run) -> None:
    shown = run("search", "upgrade connection token", "--literal", "authenticate(conn)", "-l")
    assert shown.stdout.split() == ["pkg/sockets.py"]
    nothing = run("search", "upgrade connection", "--literal", "authenticate [conn]")
    assert "has that text" in nothing.stderr
