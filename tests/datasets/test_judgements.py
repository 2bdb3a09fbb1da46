"""Qrels in BEIR's and TREC's form."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from qidf.datasets import read_judgements
from qidf.errors import InputError


def read(path: Path, text: str) -> list[tuple[str, str, int]]:
    path.write_text(text, encoding="utf-8")
    return [judgement[:3] for judgement in read_judgements(path)]


def test_beir_has_a_heading_and_three_columns(tmp_path: Path) -> None:
    text = "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td 2\t0\n"
    assert read(tmp_path / "test.tsv", text) == [("q1", "d1", 1), ("q1", "d 2", 0)]


def test_trec_has_four_columns_and_no_heading(tmp_path: Path) -> None:
    text = "301 0 FBIS3-10082 1\n301  0\tFBIS3-10169   0\r\n\n"
    assert read(tmp_path / "qrels.txt", text) == [
        ("301", "FBIS3-10082", 1),
        ("301", "FBIS3-10169", 0),
    ]


def test_the_heading_may_be_missing_or_have_underscores(tmp_path: Path) -> None:
    assert read(tmp_path / "a", "q1\td1\t1\n") == [("q1", "d1", 1)]
    assert read(tmp_path / "b", "query_id\tcorpus_id\tscore\nq1\td1\t1\n") == [("q1", "d1", 1)]


def test_a_query_called_like_the_heading_is_a_query_further_down(tmp_path: Path) -> None:
    assert read(tmp_path / "a", "q1\td1\t1\nquery-id\td1\t1\n")[1][0] == "query-id"


def test_grades_may_be_negative_or_written_as_floats(tmp_path: Path) -> None:
    assert [grade for *_, grade in read(tmp_path / "a", "q\ta\t-1\nq\tb\t2.0\n")] == [-1, 2]


def test_a_gzipped_file_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "test.tsv.gz"
    path.write_bytes(gzip.compress(b"q1\td1\t1\n"))
    assert read_judgements(path)[0].doc_id == "d1"


def test_every_judgement_knows_its_place(tmp_path: Path) -> None:
    path = tmp_path / "test.tsv"
    path.write_text("query-id\tcorpus-id\tscore\n\nq1\td1\t1\n")
    assert read_judgements(path)[0].place == f"{path}, line 3"


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("q1 d1", "2 columns"),
        ("q1 0 d1 1 more", "5 columns"),
        ("q1\td1\thigh", "grade 'high' is not a whole number"),
        ("q1\td1\t0.5", "grade '0.5' is not a whole number"),
        ("q1\td1\tnan", "grade 'nan' is not a whole number"),
        ("q1\td1\tinf", "grade 'inf' is not a whole number"),
    ],
)
def test_a_line_that_says_no_grade_is_named(tmp_path: Path, line: str, sentence: str) -> None:
    path = tmp_path / "test.tsv"
    path.write_text(f"q0\td0\t1\n{line}\n")
    with pytest.raises(InputError, match=sentence) as caught:
        read_judgements(path)
    assert str(caught.value).startswith(f"{path}, line 2: ")


def test_a_line_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    path = tmp_path / "test.tsv"
    path.write_bytes(b"q\td\t1\nq\t\xff\t1\n")
    with pytest.raises(InputError, match="line 2: the line is not UTF-8"):
        read_judgements(path)


def test_a_gzip_file_that_breaks_off_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "test.tsv.gz"
    path.write_bytes(gzip.compress(b"q1\td1\t1\n" * 100)[:-10])
    with pytest.raises(InputError, match=r"test\.tsv\.gz breaks off or is damaged"):
        read_judgements(path)
