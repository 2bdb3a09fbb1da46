"""Datasets by name."""

from __future__ import annotations

from pathlib import Path

import pytest
from beir_files import BeirFolder

from qidf.datasets import Choices, open_dataset
from qidf.errors import InputError, InvalidArgumentError


def test_a_path_is_a_beir_folder(folder: BeirFolder) -> None:
    assert open_dataset(folder.path).name == "tiny"
    assert open_dataset(str(folder.path)).num_queries == 2


def test_a_name_that_is_no_path_says_what_would_be(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no dataset .*; give a BEIR folder, beir:"):
        open_dataset(tmp_path / "nothing")
    with pytest.raises(InputError, match="there is no dataset trec:covid; give"):
        open_dataset("trec:covid")


def test_a_path_with_a_colon_is_still_a_path(folder: BeirFolder) -> None:
    moved = folder.path.rename(folder.path.with_name("odd:name"))
    assert open_dataset(moved).name == "odd:name"


def test_hub_datasets_have_one_form_of_queries() -> None:
    with pytest.raises(InvalidArgumentError, match="beir:nfcorpus has one form of queries"):
        open_dataset("beir:nfcorpus", Choices(queries="queries.published"))
