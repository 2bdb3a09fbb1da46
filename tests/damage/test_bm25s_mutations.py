"""A bm25s folder that was damaged, or altered with care, is refused or is another index."""

from __future__ import annotations

import json
import os
import random
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from mutations import mutated_array, mutated_json
from trials import Tally, Wrong, needs_fork, number_of_trials, tried

import qidf
import qidf.cli.commands.audit
import qidf.cli.commands.rescale
from qidf.engines.bm25s_index import audit, corpus_stats, current_q, load, rescale, restore
from qidf.errors import QidfError, UnsupportedError

bm25s = pytest.importorskip("bm25s", reason="the bm25s extra is not installed")
pytestmark = needs_fork
TEXTS = [
    " ".join([f"func handler{number}", f"route{number % 7} " * (1 + number % 3), "auth"])
    for number in range(40)
]
QUERIES = [["handler3", "auth"], ["route1", "route2", "route1"], ["func"], ["unheard", "auth"]]


def folder_of(folder: Path, method: str, rescaled: bool) -> Path:
    retriever = bm25s.BM25(method=method, idf_method="lucene")
    retriever.index(bm25s.tokenize(TEXTS, show_progress=False), show_progress=False)
    if rescaled:
        rescale(retriever, 0.5)
    retriever.save(folder, corpus=TEXTS, show_progress=False)
    return folder


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    root = tmp_path_factory.mktemp("bm25s")
    made = [
        folder_of(root / f"{method}-{rescaled}", method, rescaled)
        for method in ("lucene", "bm25+")
        for rescaled in (False, True)
    ]
    for number, folder in enumerate(made):
        assert "sound" in judge(Path(shutil.copytree(folder, root / f"judged-{number}")))
    return made


def naive(folder: Path, query: list[str]) -> list[float]:
    """The scores that a folder's files hold for a query, by their definition."""
    vocabulary = json.loads((folder / "vocab.index.json").read_text())
    params = json.loads((folder / "params.index.json").read_text())
    data, indices, indptr = (
        np.load(folder / f"{name}.csc.index.npy") for name in ("data", "indices", "indptr")
    )
    absent = None
    if params["method"] in ("bm25l", "bm25+"):
        absent = np.load(folder / "nonoccurrence_array.index.npy")
    total = np.zeros(params["num_docs"], np.float64)
    for token in query:
        column = vocabulary.get(token)
        if column is None or column >= len(indptr) - 1:
            continue
        for at in range(indptr[column], indptr[column + 1]):
            total[indices[at]] += float(data[at])
        if absent is not None:
            total += float(absent[column])
    return total.tolist()


def judge(folder: Path) -> str:
    """Ask everything of a folder; say what it turned out to be, or raise Wrong."""
    for mmap in (False, True):
        retriever = load(folder, mmap=mmap)
        for query in QUERIES:
            known = [token for token in query if token in retriever.vocab_dict]
            if (
                known
                and max(retriever.vocab_dict[t] for t in known)
                < len(retriever.scores["indptr"]) - 1
            ):
                found = retriever.get_scores(known).tolist()
                if not np.allclose(found, naive(folder, known), rtol=1e-3, atol=1e-5):
                    raise Wrong(f"bm25s scores {query} otherwise")
    said = []
    for use in (
        lambda: str(corpus_stats(load(folder))),
        lambda: str(audit(load(folder), QUERIES)),
        lambda: searched(folder),
    ):
        try:
            use()
        except QidfError as error:
            said.append(type(error).__name__)
    before = current_q(load(folder))
    for options in (["--q", "0.7"], ["--q", "auto"], ["--restore"]):
        run = CliRunner().invoke(qidf.cli.commands.rescale.command, [str(folder), *options])
        if isinstance(run.exception, QidfError):
            said.append(type(run.exception).__name__)
        elif run.exception is not None and not isinstance(run.exception, SystemExit):
            raise run.exception
    if not said and current_q(load(folder)) != 1.0:
        raise Wrong(f"restored from {before}, it is not plain")
    bm25s.BM25.load(folder)
    return "partly refused" if said else "sound in every respect"


def searched(folder: Path) -> str:
    engine = qidf.connect(f"bm25s:{folder}")
    plain = engine.search("handler3 auth", 5, q=1.0)
    return str([engine.search("handler3 auth", 5, q=0.5), plain, engine.explain("auth", 3, q=0.5)])


def mutate(folder: Path, dice: random.Random) -> str:
    """Alter one file of a folder, or two, keeping it a file of its kind; say which."""
    names = sorted(path.name for path in folder.iterdir() if not path.name.startswith("corpus"))
    chosen = dice.sample(names, dice.choice([1, 1, 1, 1, 2]))
    for name in chosen:
        path = folder / name
        if name.endswith(".npy"):
            array: Any = mutated_array(np.load(path), dice)
            shape = dice.random()
            if shape < 0.03:
                array = array.reshape(1, -1)
            elif shape < 0.05:
                array = np.array([{"an": "object"}, None])
            elif shape < 0.08:
                array = array.astype(array.dtype.newbyteorder())
            np.save(path, array, allow_pickle=True)
        else:
            path.write_text(json.dumps(mutated_json(json.loads(path.read_text()), dice)))
    return " and ".join(chosen)


def test_mutations_of_a_folder_are_refused_or_make_another(
    originals: list[Path], tmp_path: Path
) -> None:
    tally = Tally()
    for seed in range(number_of_trials(30, 0.2)):
        dice = random.Random(seed)
        folder = Path(shutil.copytree(dice.choice(originals), tmp_path / "mutated"))
        what = mutate(folder, dice)
        outcome = tried(lambda folder=folder: judge(folder))
        tally.add(f"seed {seed}, {what}", outcome)
        shutil.rmtree(folder)
    tally.check("bm25s folder")


def test_a_flipped_or_missing_byte_gets_a_sentence(originals: list[Path], tmp_path: Path) -> None:
    tally = Tally()
    for seed in range(number_of_trials(30, 0.1)):
        dice = random.Random(seed)
        folder = Path(shutil.copytree(dice.choice(originals), tmp_path / "flipped"))
        names = sorted(path.name for path in folder.iterdir() if "corpus" not in path.name)
        path = folder / dice.choice(names)
        data = bytearray(path.read_bytes())
        # Headers and small files are where most goes wrong.
        at = dice.randrange(min(len(data), dice.choice([128, 400, len(data)])))
        if dice.random() < 0.2:
            del data[at:]
        else:
            data[at] ^= 1 << dice.randrange(8)
        path.write_bytes(data)
        outcome = tried(lambda folder=folder: flipped(folder))
        tally.add(f"seed {seed}, {path.name} at {at}", outcome)
        shutil.rmtree(folder)
    tally.check("flips in a bm25s folder")


def flipped(folder: Path) -> str:
    """Use a folder; a flip that leaves it an index may leave it one that can't be rescaled."""
    retriever = load(folder)
    for use in (
        lambda: rescale(retriever, 0.7),
        lambda: restore(retriever),
        lambda: corpus_stats(retriever),
        lambda: audit(retriever, QUERIES),
        lambda: searched(folder),
    ):
        with suppress(UnsupportedError):
            use()
    return "used"


@pytest.mark.parametrize("name", ["params.index.json", "vocab.index.json", "data.csc.index.npy"])
@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "nothing"])
def test_nothing_but_a_regular_file_is_read(
    name: str, kind: str, originals: list[Path], tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(originals[0], tmp_path / "odd"))
    (folder / name).unlink()
    if kind == "pipe":
        os.mkfifo(folder / name)
    elif kind == "device":
        (folder / name).symlink_to("/dev/zero")
    elif kind == "folder":
        (folder / name).mkdir()
    outcome = tried(lambda: judge(folder))
    assert outcome.kind == "refused", outcome


def test_a_folder_of_links_as_a_hub_leaves_it_is_read_and_rescaled(
    originals: list[Path], tmp_path: Path
) -> None:
    folder = tmp_path / "snapshot"
    folder.mkdir()
    for path in originals[0].iterdir():
        (folder / path.name).symlink_to(path)
    before = {path.name: path.read_bytes() for path in originals[0].iterdir()}
    assert tried(lambda: judge(folder)).message == "sound in every respect"
    assert {path.name: path.read_bytes() for path in originals[0].iterdir()} == before


def test_pickles_are_never_read(originals: list[Path], tmp_path: Path) -> None:
    folder = Path(shutil.copytree(originals[0], tmp_path / "pickled"))

    class Evil:
        def __reduce__(self) -> Any:
            return os.mkdir, (str(tmp_path / "ran"),)

    np.save(folder / "data.csc.index.npy", np.array([Evil()], dtype=object), allow_pickle=True)
    for options in ({}, {"allow_pickle": True}):
        with pytest.raises(QidfError):
            load(folder, **options)
    assert not (tmp_path / "ran").exists()
