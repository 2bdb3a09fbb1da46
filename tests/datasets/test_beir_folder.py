"""BEIR folders: what is read, what is left out and said, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from beir_files import DOCUMENTS, JUDGEMENTS, QUERIES, BeirFolder

from qidf.datasets import Dataset, read_beir
from qidf.errors import DuplicateIdError, InputError


def test_a_folder_becomes_a_dataset(folder: BeirFolder) -> None:
    dataset = read_beir(folder.path)
    assert dataset.name == "tiny"
    assert str(folder.path) in dataset.provenance
    assert list(dataset.documents) == [
        ("d1", "Upgrade handleWebSocketUpgrade checks auth"),
        ("d2", "auth middleware checks the token"),
        ("d3", "log middleware writes a line"),
    ]
    assert list(dataset.queries) == [
        ("q1", "handleWebSocketUpgrade"),
        ("q2", "middleware that writes"),
    ]
    assert dict(dataset.judgements) == {"q1": {"d1": 1}, "q2": {"d3": 2, "d2": 0}}
    assert repr(dataset) == "<Dataset tiny: 3 documents, 2 queries>"


def test_queries_without_judgements_are_left_out_and_counted(folder: BeirFolder) -> None:
    assert read_beir(folder.path).notes == ("1 query has no judgements and is left out.",)


def test_gzipped_files_are_read_too(folder: BeirFolder) -> None:
    plain = read_beir(folder.path)
    for name, records in (("corpus.jsonl", DOCUMENTS), ("queries.jsonl", QUERIES)):
        (folder.path / name).unlink()
        folder.write_records(f"{name}.gz", records)
    packed = read_beir(folder.path)
    assert list(packed.documents) == list(plain.documents)
    assert list(packed.queries) == list(plain.queries)


def test_another_split_and_another_form_of_the_queries_can_be_chosen(folder: BeirFolder) -> None:
    folder.write_judgements([("q3", "d2", 1)], split="dev")
    folder.write_records("queries.stripped.jsonl", [{"_id": "q3", "text": "token"}])
    dataset = read_beir(folder.path, split="dev", queries="queries.stripped")
    assert list(dataset.queries) == [("q3", "token")]
    assert dataset.name == "tiny/dev (stripped queries)"


def test_an_unknown_document_is_an_error_that_names_the_line(folder: BeirFolder) -> None:
    folder.write_judgements([*JUDGEMENTS, ("q1", "d9", 1)])
    with pytest.raises(InputError, match=r"test\.tsv, line 5: the document 'd9' is not among"):
        read_beir(folder.path)


def test_an_unknown_query_is_an_error_that_names_the_line(folder: BeirFolder) -> None:
    folder.write_judgements([("q9", "d1", 1), *JUDGEMENTS])
    with pytest.raises(InputError, match=r"test\.tsv, line 2: the query 'q9' is not among"):
        read_beir(folder.path)


def test_unknown_ids_can_be_allowed_and_are_then_counted(folder: BeirFolder) -> None:
    folder.write_judgements([*JUDGEMENTS, ("q1", "d9", 1), ("q9", "d1", 1)])
    dataset = read_beir(folder.path, allow_unknown=True)
    assert dataset.judgements["q1"] == {"d1": 1, "d9": 1}
    assert "1 judgement names an unknown document." in dataset.notes
    assert "1 judgement names an unknown query." in dataset.notes


def test_a_repeated_judgement_is_noted_and_a_contradiction_refused(folder: BeirFolder) -> None:
    folder.write_judgements([*JUDGEMENTS, ("q1", "d1", 1)])
    assert "1 judgement is repeated." in read_beir(folder.path).notes
    folder.write_judgements([*JUDGEMENTS, ("q1", "d1", 0)])
    with pytest.raises(InputError, match="line 5: the document 'd1' has the grade 0 here and 1"):
        read_beir(folder.path)


def test_queries_that_nothing_is_relevant_to_are_noted(folder: BeirFolder) -> None:
    folder.write_judgements([("q1", "d1", 0), ("q2", "d3", 1)])
    notes = read_beir(folder.path).notes
    assert "1 query has no relevant document and can't score above 0." in notes


def test_an_empty_corpus_is_an_error(folder: BeirFolder) -> None:
    folder.write_lines("corpus.jsonl", [""])
    with pytest.raises(InputError, match="tiny has no documents"):
        read_beir(folder.path)


def test_a_folder_without_judged_queries_is_an_error(folder: BeirFolder) -> None:
    folder.write_judgements([])
    with pytest.raises(InputError, match="no query with judgements"):
        read_beir(folder.path)


@pytest.mark.parametrize("name", ["corpus.jsonl", "queries.jsonl"])
def test_repeated_ids_are_an_error(folder: BeirFolder, name: str) -> None:
    records = DOCUMENTS if name.startswith("corpus") else QUERIES
    folder.write_records(name, [*records, records[0]])
    with pytest.raises(DuplicateIdError, match=rf"{name}, line 4: the \w+ id '.1' has occurred"):
        read_beir(folder.path)


def test_a_missing_file_is_named_with_what_is_there_instead(folder: BeirFolder) -> None:
    with pytest.raises(InputError, match=r"no dev\.tsv or dev\.tsv\.gz in .*qrels; there is test;"):
        read_beir(folder.path, split="dev")
    (folder.path / "queries.jsonl").unlink()
    with pytest.raises(InputError, match=r"there is no queries\.jsonl or queries\.jsonl\.gz"):
        read_beir(folder.path)


def test_a_folder_that_is_none_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no folder"):
        read_beir(tmp_path / "nowhere")


def test_a_dataset_can_not_be_changed(folder: BeirFolder) -> None:
    dataset = read_beir(folder.path)
    with pytest.raises(AttributeError):
        dataset.name = "other"  # type: ignore[misc]
    with pytest.raises(TypeError):
        dataset.judgements["q1"] = {}  # type: ignore[index]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"documents": (["a", "a"], ["x", "y"])}, "document id 'a' occurs twice"),
        ({"queries": (["q", "q"], ["x", "y"])}, "query id 'q' occurs twice"),
        ({"documents": ([], [])}, "has no documents"),
        ({"queries": ([], [])}, "no query with judgements"),
        ({"queries": (["q", "r"], ["x", "y"])}, "query 'r' of hand-made has no judgements"),
    ],
)
def test_a_dataset_made_by_hand_is_checked_too(
    change: dict[str, tuple[list[str], list[str]]], sentence: str
) -> None:
    from qidf.datasets import Texts
    from qidf.errors import QidfError

    columns = {"documents": (["a"], ["x"]), "queries": (["q"], ["x"]), **change}
    texts = {name: Texts(*pair) for name, pair in columns.items()}
    with pytest.raises(QidfError, match=sentence):
        Dataset("hand-made", "a test", texts["documents"], texts["queries"], {"q": {"a": 1}})


def test_columns_must_be_of_one_length() -> None:
    from qidf.datasets import Texts

    with pytest.raises(ValueError, match="2 ids for 1 texts"):
        Texts(["a", "b"], ["x"])
