from __future__ import annotations

from pathlib import Path

import pytest
from study_data import code_like, write_folder

from qidf.datasets import Dataset
from qidf.errors import InputError, InvalidArgumentError
from qidf.studies import Source, Workbench
from qidf.studies.sources import subjects


@pytest.mark.parametrize(
    ("name", "topic"),
    [
        ("go", "go"),
        ("go-182440", "go"),
        ("Java", "java"),
        ("javascript_npm", "javascript"),
        ("gopher", None),
        ("mine", None),
        ("scifact", "scifact"),
    ],
)
def test_a_name_says_which_of_the_papers_rows_it_is(tmp_path: Path, name: str, topic: str) -> None:
    assert Source.parse(f"{name}={tmp_path}").topic == topic


def test_a_folder_is_named_after_itself_unless_it_is_given_a_name(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "ruby", code_like())
    assert Source.parse(str(folder)).name == "ruby"
    assert Source.parse(f"mine={folder}").name == "mine"
    assert Source.parse("coir:go").name == "go"


def test_a_path_with_an_equals_sign_is_still_a_path(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "a=b", code_like())
    assert Source.parse(str(folder)).name == "a=b"


def test_nothing_at_all_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="names no dataset; write a place or NAME=PLACE"):
        Source.parse("go=")


def test_published_queries_are_a_form_of_their_own(tmp_path: Path) -> None:
    source = Source.parse(str(write_folder(tmp_path / "python", code_like(), published=True)))
    assert source.forms == ("stripped", "published")
    stripped, published = source.open("stripped"), source.open("published")
    assert isinstance(stripped, Dataset)
    assert isinstance(published, Dataset)
    assert stripped.queries.ids == published.queries.ids
    assert stripped.queries.texts != published.queries.texts
    assert Source.parse("coir:python").forms == ("stripped", "published")
    assert Source.parse("coir:go").forms == ("",)


def test_python_always_comes_in_both_forms_and_others_when_asked(tmp_path: Path) -> None:
    sources = [
        Source.parse(str(write_folder(tmp_path / name, code_like(), published=True)))
        for name in ("python", "go")
    ]
    names = [subject.name for subject in subjects(sources)]
    assert names == ["go (stripped)", "python (stripped)", "python (published)"]
    assert len(subjects(sources, all_forms=True)) == 4


def test_tasks_of_many_collections_are_no_subjects() -> None:
    assert subjects([Source.parse("repobench-r:python/cff/easy"), Source.parse("lca:java")]) == []


def test_the_digest_is_of_the_content_and_not_of_the_place(tmp_path: Path) -> None:
    first = Source.parse(str(write_folder(tmp_path / "one", code_like())))
    second = Source.parse(str(write_folder(tmp_path / "two", code_like())))
    assert first.digest() == second.digest()
    (tmp_path / "two" / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq0\td1\t1\n")
    assert first.digest() != second.digest()


def test_two_datasets_of_one_name_are_refused(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "go", code_like())
    with pytest.raises(InvalidArgumentError, match="two datasets are called 'go'"):
        Workbench([Source.parse(str(folder)), Source.parse(f"go={folder}")])


def test_no_dataset_at_all_is_refused() -> None:
    with pytest.raises(InputError, match="there is no dataset to study"):
        Workbench([])
