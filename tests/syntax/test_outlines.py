"""Every language's fixture against its outline; UPDATE_OUTLINES=1 writes the outlines anew."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from qidf.syntax import LANGUAGES, Definition, detect_language, outline

FIXTURES = sorted((Path(__file__).parent / "fixtures").iterdir())
OUTLINES = Path(__file__).parent / "outlines"


def described(definition: Definition) -> str:
    text = "" if definition.documentation is None else definition.documentation.text
    lines = f"{definition.start_line}-{definition.end_line}"
    parts = (lines, str(definition.line), definition.kind, definition.symbol, text)
    return "  ".join(parts).replace("\n", " / ").rstrip()


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda path: path.stem)
def test_a_file_has_the_definitions_that_its_outline_lists(fixture: Path) -> None:
    source = fixture.read_bytes()
    language = detect_language(fixture.name, source)
    assert language is not None
    assert language.name == fixture.stem
    found = outline(source, language)
    assert found.notice is None
    listing = "\n".join(map(described, found.definitions)) + "\n"
    expected = OUTLINES / f"{fixture.stem}.txt"
    if os.environ.get("UPDATE_OUTLINES"):
        expected.write_text(listing, encoding="utf-8")
    assert listing == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda path: path.stem)
def test_spans_hold_the_name_and_the_documentation_they_claim(fixture: Path) -> None:
    source = fixture.read_bytes()
    lines = source.split(b"\n")
    for definition in outline(source, LANGUAGES[fixture.stem]).definitions:
        text = source[definition.start_byte : definition.end_byte]
        name = definition.name.encode()
        assert name in text
        assert name in lines[definition.line - 1]
        assert source.count(b"\n", 0, definition.start_byte) + 1 == definition.start_line
        ends = source.rstrip(b"\n").count(b"\n", 0, definition.end_byte) + 1
        assert definition.end_line in (ends, ends - 1)
        documentation = definition.documentation
        if documentation is not None:
            assert definition.start_byte <= documentation.start_byte
            assert documentation.end_byte <= definition.end_byte
            first_words = documentation.text.split("\n")[0].encode()
            assert first_words in source[documentation.start_byte : documentation.end_byte]


def test_every_language_with_a_grammar_has_a_fixture() -> None:
    tested = {fixture.stem for fixture in FIXTURES}
    # CUDA is C++ with a few words more and shares its query.
    parsed = {language.name for language in LANGUAGES.values() if language.grammar} - {"cuda"}
    assert parsed == tested
    assert len(tested) >= 20


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda path: path.stem)
def test_windows_line_ends_change_no_line(fixture: Path) -> None:
    source = fixture.read_bytes()
    language = LANGUAGES[fixture.stem]
    unix = [described(each) for each in outline(source, language).definitions]
    windows = outline(source.replace(b"\n", b"\r\n"), language).definitions
    assert [described(each) for each in windows] == unix
