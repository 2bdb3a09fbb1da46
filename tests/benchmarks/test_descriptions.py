from __future__ import annotations

import lzma
from pathlib import Path

import pytest
from click.testing import CliRunner

pytest.importorskip("click")

from benchmarks.descriptions import main, read

from qidf.datasets import open_dataset

LONG = "word " * 50


def _block(package: str, line: str, paragraphs: str) -> str:
    body = "".join(f" {each or '.'}\n" for each in paragraphs.splitlines())
    return f"Package: {package}\nDescription-md5: 0\nDescription-en: {line}\n{body}"


TEXT = "\n".join(
    [
        _block("first", "a tool that does one thing", f"First {LONG}\n\nMore of it."),
        _block("twin", "A tool that does one thing", f"Twin {LONG}"),
        _block("short", "too little is said here", "Hardly anything."),
        _block("second", "a library of many things", f"Second {LONG}"),
    ]
)


def test_descriptions_that_say_too_little_or_what_was_said_are_left_out() -> None:
    found = list(read(TEXT))
    assert [each.package for each in found] == ["first", "second"]
    assert found[0].paragraphs == f"First {LONG.strip()} \n\nMore of it."


def test_both_ways_of_asking_are_folders_that_can_be_read(tmp_path: Path) -> None:
    file = tmp_path / "Translation-en.xz"
    file.write_bytes(lzma.compress(TEXT.encode()))
    result = CliRunner().invoke(main, [str(file), "-o", str(tmp_path / "out"), "--queries", "1"])
    assert result.exit_code == 0, result.output
    long = open_dataset(str(tmp_path / "out" / "asking-at-length"))
    short = open_dataset(str(tmp_path / "out" / "asking-in-a-line"))
    assert long.num_docs == short.num_docs == 2
    assert len(long.queries) == len(short.queries) == 1
    [(query_id, grades)] = long.judgements.items()
    assert grades == {f"d{query_id[1:]}": 1}
