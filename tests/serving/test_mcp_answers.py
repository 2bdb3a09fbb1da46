"""What the tools answer keeps to its budget and to the folders that are served."""

from __future__ import annotations

from pathlib import Path

import pytest
from agent_repository import SECRET, make_repository
from hypothesis import given, settings
from hypothesis import strategies as st

from qidf.errors import QidfError
from qidf.serving.mcp.answers import MIN_BUDGET, Desk
from qidf.token_counts import token_counter
from qidf.weighting import parse_weighting


@pytest.fixture(scope="module")
def top(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("agents")


@pytest.fixture(scope="module")
def desk(top: Path) -> Desk:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(top / "cache"))
        found = Desk.open([make_repository(top)])
        found.search("upgrade")
        return found


def test_the_best_span_comes_first_with_its_place(desk: Desk) -> None:
    answer = desk.search("handle_web_socket_upgrade")
    assert answer.startswith("### upgrade.py:1-3 handle_web_socket_upgrade")
    assert "return connection.upgrade()" in answer


def test_a_weighting_that_is_asked_for_ranks(desk: Desk) -> None:
    query = "check token check token check"
    folder = desk.folders[0]
    for name in ("bm25", "paper", "qlog1p(q=0.3, k3=1)"):
        weighting = parse_weighting(name)
        expected = folder.repository.search(query, 3, weighting=weighting)
        found = list(folder.hits(query, None, None, weighting=weighting))[:3]
        assert [hit.score for hit in found] == [hit.score for hit in expected]
        assert expected[0].location in desk.search(query, weighting=weighting)


@pytest.mark.parametrize("budget", [MIN_BUDGET, 300, 500, 2000])
def test_an_answer_keeps_to_its_budget_and_says_what_it_left_out(desk: Desk, budget: int) -> None:
    counter = token_counter(exact=False)
    answer = desk.search("check token", budget)
    assert counter.count(answer) <= budget
    assert "check_token_" in answer
    if budget < 1000:
        assert "no room for" in answer
    span = desk.read_span("pkg/auth.py", budget=budget)
    assert counter.count(span) <= budget
    assert "go on with start_line=" in span or span.count("\n") > 230


def test_a_file_can_be_read_to_its_end_piece_by_piece(desk: Desk, top: Path) -> None:
    line, read = 1, ""
    while True:
        answer = desk.read_span("pkg/auth.py", line, None, 300)
        head, _, rest = answer.partition("\n")
        body, cut, note = rest.partition("[cut at")
        read += body
        assert head.startswith(f"pkg/auth.py:{line}-")
        if not cut:
            break
        line = int(note.partition("start_line=")[2].partition("]")[0])
    text = (top / "repository" / "pkg" / "auth.py").read_text(encoding="utf-8")
    assert read.rstrip("\n") == text.rstrip("\n")


def test_a_place_can_be_handed_back_as_it_came(desk: Desk) -> None:
    assert desk.read_span("upgrade.py:1-1").startswith(
        "upgrade.py:1-1\ndef handle_web_socket_upgrade"
    )
    assert desk.read_span("upgrade.py:3").startswith("upgrade.py:3-3\n    return")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("missing.py",), "no file"),
        (("../secret.py",), "leads out"),
        (("link.py",), "can't be read"),
        (("out/secret.py",), "can't be read|no file"),
        (("pkg",), "not a regular file"),
        (("upgrade.py", 9), "has 3 lines"),
        (("upgrade.py", 3, 2), "comes before"),
        (("pkg/wide.txt", 1, 1, 200), "needs more than"),
    ],
)
def test_what_cannot_be_read_is_said(desk: Desk, arguments: tuple[str, int], sentence: str) -> None:
    with pytest.raises(QidfError, match=sentence):
        desk.read_span(*arguments)


def test_nothing_outside_is_ever_found(desk: Desk) -> None:
    assert desk.search(SECRET).startswith("Nothing matches")


def test_changes_are_in_the_next_answer(desk: Desk, top: Path) -> None:
    path = top / "repository" / "fresh.py"
    path.write_text("def quite_new_name():\n    pass\n", encoding="utf-8")
    assert "fresh.py:1-2" in desk.search("quite_new_name")
    path.unlink()
    assert desk.search("quite_new_name").startswith("Nothing matches")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("the of and",), "no words to search for"),
        (("check token", 500, "nowhere/**"), "No file has a path like 'nowhere/**'"),
        (("zzzyx",), "Nothing matches; try other names or words"),
    ],
)
def test_why_nothing_was_found_is_said(
    desk: Desk, arguments: tuple[str, int, str], sentence: str
) -> None:
    assert sentence in desk.search(*arguments)


def test_languages_may_be_spelled_in_any_way_and_unknown_ones_are_named(desk: Desk) -> None:
    expected = desk.search("check_token_7", language="python")
    assert "check_token_7" in expected
    for spelling in ("Python", "py", ".py"):
        assert desk.search("check_token_7", language=spelling) == expected
    assert desk.search("check_token_7", language="C++").startswith("Nothing matches")
    with pytest.raises(QidfError, match="did you mean 'python'"):
        desk.search("check_token_7", language="pyton")


def test_most_of_a_small_budget_goes_to_code(desk: Desk) -> None:
    answer = desk.search("check token", MIN_BUDGET)
    assert token_counter(exact=False).count(answer) > MIN_BUDGET * 0.6
    assert "[no room for: " in answer


def test_status_counts_what_is_served(desk: Desk) -> None:
    assert "3 files indexed" in desk.status()
    assert "python 2" in desk.status()


def test_several_folders_have_names_and_a_part_of_a_repository_stays_apart(
    top: Path, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(top / "cache"))
    root = top / "repository"
    (root / ".git").mkdir(exist_ok=True)
    several = Desk.open([root / "pkg", top / "repository", root / "pkg"])
    assert [folder.prefix for folder in several.folders] == ["pkg/", "repository/"]
    answer = several.search("handle_web_socket_upgrade")
    assert "### repository/upgrade.py:1-3" in answer
    assert "### pkg/" not in answer
    assert several.read_span("pkg/auth.py", 1, 1).startswith("pkg/auth.py:1-1\ndef check_token_0")
    assert "pkg/auth.py" in several.search("check_token_7", path="pkg/*.py")
    with pytest.raises(QidfError):
        several.read_span("pkg/../upgrade.py")
    with pytest.raises(QidfError, match="none of the folders"):
        several.read_span("upgrade.py")


PIECES = ["..", ".", "pkg", "upgrade.py", "out", "link.py", "secret.py", "/", "\\", "", "\0", "~"]


@settings(max_examples=150)
@given(
    st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=6).map("/".join),
    st.integers(1, 2**31 - 1) | st.integers(1, 3),
    st.none() | st.integers(1, 2**31 - 1),
    st.integers(MIN_BUDGET, 1000),
)
def test_no_arguments_read_anything_outside_or_break_it(
    desk: Desk, path: str, start: int, end: int | None, budget: int
) -> None:
    try:
        answer = desk.read_span(path, start, end, budget)
    except QidfError as error:
        answer = str(error)
    assert SECRET not in answer


@settings(max_examples=60)
@given(
    st.text(max_size=40) | st.sampled_from([SECRET, "check token", "../secret.py"]),
    st.none() | st.text(max_size=10) | st.sampled_from(["**", "../*", "/**", "[", "out/*", "pkg/"]),
    st.none() | st.text(max_size=5) | st.sampled_from(["python", "Python"]),
    st.integers(MIN_BUDGET, 1000),
)
def test_no_search_finds_anything_outside_or_breaks_it(
    desk: Desk, query: str, path: str | None, language: str | None, budget: int
) -> None:
    try:
        answer = desk.search(query, budget, path, language)
    except QidfError as error:
        answer = str(error)
    assert token_counter(exact=False).count(answer) <= budget
    assert f"{SECRET} = 1" not in answer


def test_several_folders_are_ranked_as_one(tmp_path: Path) -> None:
    # "worker" and "steal" are in every file of one folder and rare in the other.
    for n in range(30):
        write_file(tmp_path / "web" / f"m{n}.py", f"def steal_{n}(worker):\n    return worker\n")
    for n in range(30):
        write_file(tmp_path / "pool" / f"m{n}.py", f"def other_{n}(item):\n    return item\n")
    body = "def schedule(deque):\n    return deque.steal(worker)\n"
    write_file(tmp_path / "pool" / "scheduler.py", body)
    answer = Desk.open([tmp_path / "web", tmp_path / "pool"]).search("worker steal schedule", 400)
    assert answer.startswith("### pool/scheduler.py:1-2")
    assert "### web/" in answer


def write_file(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_what_is_too_large_to_search_is_said(tmp_path: Path) -> None:
    root = tmp_path / "code"
    root.mkdir()
    (root / "a.py").write_text("def upgrade():\n    pass\n" + "x = 1\n" * 800_000)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        answer = Desk.open([root]).search("upgrade")
    assert answer.endswith("[too large: 1 files searched in part, 0 not at all]\n")
