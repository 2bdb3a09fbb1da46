"""Nothing that a file, a path or an argument says reaches the terminal as a command to it."""

from __future__ import annotations

from pathlib import Path

import pytest
from shell import Run

ESCAPES = "\x1b]0;owned\x07\x1b[31m\x9b2J\u202e\r"


def assert_plain(text: str) -> None:
    assert all(character.isprintable() or character in "\n\t" for character in text), repr(text)


@pytest.mark.parametrize(
    "arguments",
    [
        (f"nothing{ESCAPES}",),
        ("search", f"--no{ESCAPES}"),
        ("search", "words", f"{ESCAPES}"),
        ("search", "words", "--lang", ESCAPES),
        ("search", "words", "--path", f"[{ESCAPES}"),
        ("search", "words", "--q", f"x{ESCAPES}"),
        ("search", "--file", f"gone{ESCAPES}"),
        ("search", f"opensearch://{ESCAPES}/x", "words"),
        ("explain", "words", f"gone{ESCAPES}:1"),
        ("explain", ESCAPES, "words", "id"),
        ("status", ESCAPES),
        ("clean", ESCAPES),
        ("index", ESCAPES),
        ("index", ESCAPES, "-o", f"x{ESCAPES}"),
        ("add", ESCAPES, ESCAPES),
        ("verify", ESCAPES),
        ("compact", ESCAPES),
        ("stats", ESCAPES),
        ("advise", ESCAPES),
        ("rescale", ESCAPES, "--q", "0.5"),
        ("eval", ESCAPES),
        ("tune", ESCAPES),
        ("serve", ESCAPES),
        ("mcp", ESCAPES),
        ("proxy", "--upstream", f"http://{ESCAPES}"),
        ("similarity", f"x{ESCAPES}"),
        ("study", ESCAPES, "--dataset", ESCAPES, "-o", ESCAPES),
    ],
    ids=lambda arguments: arguments[0] if arguments[0].isprintable() else "unknown",
)
def test_arguments_are_repeated_without_what_steers_a_terminal(
    arguments: tuple[str, ...], run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(*arguments)
    assert result.exit_code != 0
    assert_plain(result.output)


def test_files_and_their_names_are_shown_without_what_steers_a_terminal(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "r"
    root.mkdir()
    (root / f"a{ESCAPES}.py").write_text(f"def upgrade():\n\treturn '{ESCAPES}'\n")
    (root / "b.md").write_text(f"# upgrade {ESCAPES}\n\n{ESCAPES}\n")
    monkeypatch.chdir(root)
    for arguments in (
        ("search", "upgrade"),
        ("search", "upgrade", "--context", "3"),
        ("search", "upgrade", "--budget", "2000"),
        ("search", "upgrade", "--json"),
        ("explain", "upgrade", f"a{ESCAPES}.py:1"),
        ("status",),
        ("index", ".", "-o", f"../own{ESCAPES}"),
        ("search", f"../own{ESCAPES}", "upgrade", "--explain"),
    ):
        result = run(*arguments)
        assert result.exit_code == 0, result.output
        assert_plain(result.output)
    packed = run("search", "upgrade", "--budget", "2000").stdout
    assert "\treturn '" in packed
