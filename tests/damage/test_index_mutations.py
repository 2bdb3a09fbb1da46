"""An index that somebody altered with care, checksums and all, is refused or is another index."""

from __future__ import annotations

import json
import os
import random
import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from containers import encoded, mutate_container, read_arrays, with_checksum
from index_answers import QUERIES, judge, stored
from mutations import mutated_json
from search_paths import POSTINGS, ROWS, searching
from trials import Tally, needs_fork, number_of_trials, tried

from qidf.errors import CorruptIndexError
from qidf.index import Index

pytestmark = needs_fork


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mutations") / "index"
    index = stored(folder)
    # Whatever is compiled or loaded on first use is shared by all forked trials.
    with searching(ROWS):
        index.rank(QUERIES, 5, 0.5)
    judge_copy = folder.with_name("judged")
    shutil.copytree(folder, judge_copy)
    assert judge(judge_copy) == "another index, sound in every respect"
    return folder


def mutate(folder: Path, dice: random.Random) -> str:
    """Alter one file of an index, or two; say which."""
    names = sorted(path.name for path in folder.iterdir() if path.name != "write.lock")
    chosen = dice.sample(names, dice.choice([1, 1, 1, 1, 2]))
    for name in chosen:
        path = folder / name
        if name == "manifest.json":
            body = json.loads(path.read_bytes())
            del body["checksum"]
            path.write_bytes(with_checksum(mutated_json(body, dice)))
        else:
            mutate_container(path, dice)
    return " and ".join(chosen)


def test_mutations_of_an_index_are_refused_or_make_another(original: Path, tmp_path: Path) -> None:
    tally = Tally()
    for seed in range(number_of_trials(150, 0.6)):
        folder = tmp_path / "mutated"
        shutil.copytree(original, folder)
        what = mutate(folder, random.Random(seed))
        outcome = tried(lambda folder=folder: judge(folder))
        tally.add(f"seed {seed}, {what}", outcome)
        shutil.rmtree(folder)
    tally.check("index")


def refused(folder: Path) -> str:
    """How every use of an index is refused: searching by all paths, verifying."""
    outcome = tried(lambda: judge(folder))
    assert outcome.kind == "refused", outcome
    return outcome.message


def alter(folder: Path, name: str, change: Callable[[np.ndarray], np.ndarray]) -> Path:
    """Change one array of the first segment; checksums are right."""
    (path, *_) = sorted(folder.glob("segment-*"), key=lambda each: -each.stat().st_size)
    arrays = read_arrays(path)
    arrays[name] = change(arrays[name].copy())
    path.unlink()
    path.write_bytes(encoded(path.name, arrays))
    return path


@pytest.fixture
def folder(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(original, tmp_path / "index"))


def with_last(value: int) -> Callable[[np.ndarray], np.ndarray]:
    def changed(array: np.ndarray) -> np.ndarray:
        array[-1] = value
        return array

    return changed


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("docs", with_last(2**31), "names a document that doesn't exist"),
        ("docs", with_last(40), "names a document that doesn't exist"),
        ("docs", lambda array: array[::-1], "out of order"),
        ("docs", lambda array: array[:-1], "don't fit together"),
        ("tfs", lambda array: array[:3], "don't fit together"),
        ("tfs", with_last(0), "impossible number of times"),
        ("tfs", with_last(999), "impossible number of times"),
        ("starts", with_last(10**6), "don't span its postings"),
        ("starts", lambda array: array[[0, *range(len(array) - 2), -1]], "impossible"),
        ("starts", lambda array: array[:1], "don't fit together"),
        ("lengths", lambda array: array[:2], "impossible number"),
        ("lengths", with_last(-1), "negative length"),
        ("term_slots", lambda array: np.full_like(array, 7), "slots don't lead"),
        ("term_slots", np.zeros_like, "slots don't lead"),
        ("term_offsets", lambda array: array[::-1], "don't span"),
        ("metadata_offsets", lambda array: array + 10**9, "metadata"),
        ("id_offsets", lambda array: np.append(array, array[-1]), "slots don't lead"),
        ("docs", lambda array: array.astype(np.int64), "of another type"),
    ],
)  # fmt: skip
def test_what_a_segment_cannot_be_is_refused_before_loops_run_over_it(
    name: str, change: Callable[[np.ndarray], np.ndarray], said: str, folder: Path
) -> None:
    path = alter(folder, name, change)
    message = refused(folder)
    assert str(path) in message
    assert said in message


@pytest.mark.parametrize(
    "name",
    ["../elsewhere/{}", "{}/../{}", "/{}", "", ".", "..", "manifest.json", "a\0b", None, 5, ["{}"]],
    ids=repr,
)  # fmt: skip
@pytest.mark.parametrize("field", ["file", "deletions"])
def test_a_manifest_names_files_in_its_own_folder(field: str, name: Any, folder: Path) -> None:
    shutil.copytree(folder, folder.with_name("elsewhere"))
    path = folder / "manifest.json"
    body = json.loads(path.read_bytes())
    del body["checksum"]
    entry = body["segments"][0]
    if field == "deletions" and name is None:
        return
    entry[field] = name.replace("{}", entry[field]) if isinstance(name, str) else name
    path.write_bytes(with_checksum(body))
    assert "manifest.json is corrupt (it doesn't describe an index)" in refused(folder)


@pytest.mark.parametrize("kind", ["pipe", "link", "link to a device", "folder", "socket"])
@pytest.mark.parametrize("prefix", ["manifest", "segment", "deletions", "write.lock"])
def test_nothing_but_a_regular_file_is_opened(kind: str, prefix: str, folder: Path) -> None:
    path = next(each for each in folder.iterdir() if each.name.startswith(prefix))
    path.rename(folder.with_name("moved"))
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "link":
        path.symlink_to(folder.with_name("moved"))
    elif kind == "link to a device":
        path.symlink_to("/dev/zero")
    elif kind == "folder":
        path.mkdir()
    else:
        os.mknod(path, stat.S_IFSOCK | 0o600)
    use = (lambda: str(Index.open(folder).delete("dôc1"))) if prefix == "write.lock" else None
    outcome = tried(use or (lambda: judge(folder)))
    assert outcome.kind == "refused", outcome
    assert f"{path} is not a regular file" in outcome.message


def test_a_draft_that_leads_elsewhere_is_not_followed(folder: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("keep")
    (folder / "manifest.json.tmp").symlink_to(precious)
    Index.open(folder).delete("dôc1")
    assert precious.read_text() == "keep"
    assert "dôc1" not in Index.open(folder)


def test_lengths_that_lie_cost_no_hits(tmp_path: Path) -> None:
    """Pruning bounds a document by its length, so that it waits until lengths are known."""
    dice, folder = random.Random(4), tmp_path / "index"
    words = [f"word{number}" for number in range(40)]
    texts = [" ".join(dice.sample(words, k=dice.choice([2, 3, 39]))) for _ in range(300)]
    Index.build(texts).save(folder)
    # Long documents say that they are short, which by itself can't be told from the truth.
    alter(folder, "lengths", lambda array: np.sort(array)[np.argsort(np.argsort(-array))])
    queries = [dice.sample(words, 12) for _ in range(40)]
    index = Index.open(folder)
    with searching(POSTINGS):
        ranking = index.rank(queries, 5, 0.7)
    for query, positions in zip(queries, ranking.positions.tolist(), strict=True):
        scores = index.scores(query, 0.7)
        assert positions == np.argsort(-scores, kind="stable")[:5].tolist()
    with searching(ROWS), pytest.raises(CorruptIndexError, match="another length than it says"):
        Index.open(folder).rank(queries, 5, 0.7)
