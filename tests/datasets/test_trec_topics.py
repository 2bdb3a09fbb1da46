"""TREC's topics in the forms they come in, and a dataset made of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from qidf.datasets import read_topics, read_trec
from qidf.errors import DuplicateIdError, InputError

OLD = """
<top>
<num> Number: 301
<title> International Organized Crime

<desc> Description:
Identify organizations that participate in
international criminal activity.

<narr> Narrative:
A relevant document names one.
</top>

<top>
<num> Number: 302
<title> Topic: R&amp;D
<desc> Description: Is it?
</top>
"""
WEB = """<webtrack2009>
<topic number="1" type="faceted">
  <query>obama family tree</query>
  <description>Find information.</description>
</topic>
</webtrack2009>
"""


def read(path: Path, text: str, **options: tuple[str, ...]) -> list[tuple[str, str]]:
    path.write_text(text, encoding="utf-8")
    return list(read_topics(path, **options))


def test_old_topics_have_tags_that_nobody_closes(tmp_path: Path) -> None:
    assert read(tmp_path / "topics", OLD) == [
        ("301", "International Organized Crime"),
        ("302", "R&D"),
    ]


def test_fields_are_joined_in_the_order_asked_for(tmp_path: Path) -> None:
    found = read(tmp_path / "topics", OLD, fields=("title", "description", "narrative"))
    assert found[0][1] == (
        "International Organized Crime Identify organizations that participate in international"
        " criminal activity. A relevant document names one."
    )


def test_web_topics_are_numbered_in_an_attribute(tmp_path: Path) -> None:
    assert read(tmp_path / "topics.xml", WEB) == [("1", "obama family tree")]


def test_lines_of_an_id_a_tab_and_a_text_will_do(tmp_path: Path) -> None:
    assert read(tmp_path / "t", "7\twhat is qidf\r\n\n8\ta\tb\n") == [
        ("7", "what is qidf"),
        ("8", "a\tb"),
    ]


def test_beirs_queries_will_do(tmp_path: Path) -> None:
    assert read(tmp_path / "q.jsonl", '{"_id": "7", "text": "x"}\n') == [("7", "x")]


def test_latin_1_topics_are_read_as_such(tmp_path: Path) -> None:
    path = tmp_path / "topics"
    path.write_bytes("<top><num> 1 <title> Caf\xe9 </top>".encode("latin-1"))
    assert list(read_topics(path)) == [("1", "Caf\xe9")]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("<top><title> x </top>", "line 1: the topic has no number"),
        ("<top><num> 1 <desc> x </top>", "line 1: topic 1 has no title"),
        ("<topics></topics>", "there are no topics"),
        ("", "there are no topics"),
        ("1\tx\nno tab here", "line 2: there is no tab"),
    ],
)
def test_topics_that_say_nothing_are_an_error(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        read(tmp_path / "topics", text)


def test_a_number_used_twice_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DuplicateIdError, match="line 2: the topic id '1' has occurred before"):
        read(tmp_path / "t", "<top><num> 1 <title> x </top>\n<top><num> 1 <title> y </top>")


def test_an_unknown_field_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="topics have no field 'abstract'"):
        read(tmp_path / "topics", OLD, fields=("abstract",))


def test_documents_of_any_kind_topics_and_qrels_make_a_dataset(tmp_path: Path) -> None:
    sources = tmp_path / "src"
    (sources / "pkg").mkdir(parents=True)
    (sources / "pkg" / "crime.py").write_text("organized crime")
    (sources / "other.py").write_text("something else")
    (sources / ".hidden").write_text("x")
    (tmp_path / "topics").write_text(OLD)
    (tmp_path / "qrels").write_text("301 0 pkg/crime.py 1\n")
    dataset = read_trec(sources, tmp_path / "topics", tmp_path / "qrels")
    assert dataset.name == "src"
    assert list(dataset.documents.ids) == ["other.py", "pkg/crime.py"]
    assert dataset.judgements["301"] == {"pkg/crime.py": 1}
    assert dataset.notes == (
        "Files of the folder left out: 1 hidden.",
        "1 query has no judgements and is left out.",
    )


def test_documents_without_ids_are_known_by_their_position(tmp_path: Path) -> None:
    (tmp_path / "docs.jsonl").write_text('{"text": "a"}\n{"text": "b"}\n')
    (tmp_path / "topics").write_text("1\tb\n")
    (tmp_path / "qrels").write_text("1 0 1 1\n")
    dataset = read_trec(tmp_path / "docs.jsonl", tmp_path / "topics", tmp_path / "qrels")
    assert list(dataset.documents) == [("0", "a"), ("1", "b")]
