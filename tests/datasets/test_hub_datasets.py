"""Datasets of the Hugging Face hub, from tiny files in the layout of the dataset cards."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from beir_files import DOCUMENTS, JUDGEMENTS, QUERIES, BeirFolder

from qidf.datasets import Choices, open_dataset, read_beir_hub, read_codesearchnet
from qidf.datasets.hub import read_parquet, take_snapshot
from qidf.errors import InputError, InvalidArgumentError, MissingExtraError

pyarrow = pytest.importorskip("pyarrow", reason="the hub extra reads parquet")
pytest.importorskip("pyarrow.parquet")

DOCSTRING = "Return the sum of a list."
FUNCTION = f'def total(values):\n    """{DOCSTRING}"""\n    return sum(values)\n'


def write_table(path: Path, **columns: Sequence[object]) -> None:
    import pyarrow.parquet

    path.parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(pyarrow.table(columns), path)


def write_codesearchnet(hub: Path, language: str = "python") -> None:
    """Two repositories as on the hub: texts in several files, extra columns, three splits."""
    texts = hub / f"CoIR-Retrieval/CodeSearchNet-{language}-queries-corpus/data"
    extra = {"language": [language], "meta_information": [{"resource": ""}]}
    for number, text in enumerate([DOCSTRING, "Open a file."]):
        write_table(
            texts / f"corpus-0000{number}-of-00002-abc.parquet",
            _id=[f"c{number}"],
            title=[""],
            partition=["test"],
            text=[text],
            **extra,
        )
    write_table(
        texts / "queries-00000-of-00001-abc.parquet",
        _id=["q0", "q1"],
        title=["", ""],
        partition=["test", "train"],
        text=[FUNCTION, "def other(): pass"],
        language=[language] * 2,
        meta_information=[{"resource": ""}] * 2,
    )
    judged = hub / f"CoIR-Retrieval/CodeSearchNet-{language}-qrels/data"
    for split, query in (("test", "q0"), ("train", "q1")):
        write_table(
            judged / f"{split}-00000-of-00001-abc.parquet",
            query_id=[query],
            corpus_id=["c0"],
            score=[1],
        )


def test_codesearchnet_is_two_repositories_of_parquet_files(tmp_path: Path) -> None:
    write_codesearchnet(tmp_path)
    dataset = read_codesearchnet("python", hub_folder=tmp_path)
    assert dataset.name == "coir:python"
    assert list(dataset.documents) == [("c0", DOCSTRING), ("c1", "Open a file.")]
    assert list(dataset.queries) == [("q0", FUNCTION)]
    assert dict(dataset.judgements) == {"q0": {"c0": 1}}
    assert dataset.notes == ("1 query has no judgements and is left out.",)
    assert "CoIR-Retrieval/CodeSearchNet-python-qrels" in dataset.provenance


def test_codesearchnets_python_can_be_had_without_the_answer_in_the_question(
    tmp_path: Path,
) -> None:
    write_codesearchnet(tmp_path)
    dataset = open_dataset("coir:python-stripped", Choices(hub_folder=tmp_path))
    assert dataset.name == "coir:python-stripped"
    assert list(dataset.queries.texts) == ["def total(values):\n    \n    return sum(values)\n"]


def test_other_languages_have_nothing_to_strip() -> None:
    with pytest.raises(InvalidArgumentError, match="hold no docstrings"):
        read_codesearchnet("go", stripped=True)


def test_codesearchnet_has_six_languages() -> None:
    with pytest.raises(InvalidArgumentError, match="no language 'perl'; choose from go, java"):
        open_dataset("coir:perl")


def test_columns_may_have_dashes_instead(tmp_path: Path) -> None:
    write_table(tmp_path / "a.parquet", **{"query-id": ["q"], "score": [1]})
    assert read_parquet([tmp_path / "a.parquet"], ["query_id"]) == {"query_id": ["q"]}


def test_a_missing_column_is_named_with_those_there_are(tmp_path: Path) -> None:
    write_table(tmp_path / "a.parquet", body=["x"])
    with pytest.raises(InputError, match=r"a\.parquet has no column 'text', only body"):
        read_parquet([tmp_path / "a.parquet"], ["text"])


def test_a_file_that_is_not_parquet_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(b"version https://git-lfs.github.com/spec/v1\n")
    with pytest.raises(InputError, match=r"a\.parquet is not a readable parquet file"):
        read_parquet([tmp_path / "a.parquet"], ["text"])


@pytest.mark.parametrize("form", ["jsonl", "parquet", "both"])
def test_beir_on_the_hub_has_two_forms(tmp_path: Path, form: str) -> None:
    texts = BeirFolder(tmp_path / "BeIR/tiny")
    for what, records in (("corpus", DOCUMENTS), ("queries", QUERIES)):
        if form != "parquet":
            texts.write_records(f"{what}.jsonl.gz", records)
        if form != "jsonl":
            write_table(
                texts.path / what / f"{what}-00000-of-00001.parquet",
                **{
                    name: [record.get(name, "") for record in records]
                    for name in ("_id", "title", "text")
                },
            )
    BeirFolder(tmp_path / "BeIR/tiny-qrels").write_lines(
        "test.tsv",
        ["query-id\tcorpus-id\tscore", *("\t".join(map(str, row)) for row in JUDGEMENTS)],
    )
    dataset = read_beir_hub("tiny", hub_folder=tmp_path)
    assert dataset.name == "beir:tiny"
    assert dataset.documents.texts[0] == "Upgrade handleWebSocketUpgrade checks auth"
    assert list(dataset.queries.ids) == ["q1", "q2"]
    assert dict(dataset.judgements) == {"q1": {"d1": 1}, "q2": {"d3": 2, "d2": 0}}


def test_a_missing_copy_says_what_to_put_where(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_codesearchnet("go", hub_folder=tmp_path)
    sentence = str(caught.value)
    assert f"there is no folder {tmp_path}/CoIR-Retrieval/CodeSearchNet-go-qu" in sentence
    assert "data/corpus-*.parquet" in sentence
    assert "https://huggingface.co/datasets/CoIR-Retrieval/CodeSearchNet-go-q" in sentence


def test_an_incomplete_copy_says_which_file_is_missing(tmp_path: Path) -> None:
    (tmp_path / "BeIR/tiny").mkdir(parents=True)
    (tmp_path / "BeIR/tiny-qrels").mkdir()
    with pytest.raises(InputError, match=r"there is no corpus\.jsonl\.gz or .* in .*tiny"):
        read_beir_hub("tiny", hub_folder=tmp_path)


def test_without_the_hubs_client_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'qidf\[hub\]'"):
        open_dataset("beir:nfcorpus")


def test_without_pyarrow_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write_codesearchnet(tmp_path)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"pyarrow .* pip install 'qidf\[hub\]'"):
        read_codesearchnet("python", hub_folder=tmp_path)


def test_a_download_asks_the_hub_for_the_files_needed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    client = pytest.importorskip("huggingface_hub", reason="the hub extra brings it")
    write_codesearchnet(tmp_path)
    signature = inspect.signature(client.snapshot_download)
    asked: list[dict[str, Any]] = []

    def download(*arguments: Any, **options: Any) -> str:
        # Arguments that the real client wouldn't take fail here as they would there.
        bound = signature.bind(*arguments, **options).arguments
        asked.append(bound)
        return str(tmp_path / bound["repo_id"])

    monkeypatch.setattr(client, "snapshot_download", download)
    dataset = open_dataset("coir:python")
    assert dataset.num_docs == 2
    assert [(each["repo_id"], each["repo_type"]) for each in asked] == [
        ("CoIR-Retrieval/CodeSearchNet-python-queries-corpus", "dataset"),
        ("CoIR-Retrieval/CodeSearchNet-python-qrels", "dataset"),
    ]
    assert asked[1]["allow_patterns"] == ["data/test-*.parquet"]


def test_a_download_that_fails_says_why_and_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    client = pytest.importorskip("huggingface_hub", reason="the hub extra brings it")

    def refuse(*arguments: Any, **options: Any) -> str:
        raise OSError("no route\nto host")

    monkeypatch.setattr(client, "snapshot_download", refuse)
    with pytest.raises(InputError, match=r"\(no route to host\); check the network, or put a\.b"):
        take_snapshot("owner/name", ["a.b"])
