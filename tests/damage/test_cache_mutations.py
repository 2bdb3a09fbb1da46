"""A repository's cache that was altered with care gives the right answers, or says what is wrong.

The files of the repository are the truth. Where only the state or the settings were altered,
answers are those of an index made anew, before and after files change; where the index itself was,
they are at least answers, of an index that `test_index_mutations` judges.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from containers import encoded, mutate_container, read_arrays, with_checksum
from mutations import mutated_json
from trials import Tally, Wrong, needs_fork, number_of_trials, tried

from qidf.repository import Repository
from qidf.repository.reading import CLOCK_TICK_NS

pytestmark = needs_fork
QUERIES = ["load the tokens", "handler three", "delete route", "words of prose"]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small project, and the cache of an earlier run beside it."""
    root = tmp_path_factory.mktemp("cache")
    project = root / "project"
    for number in range(6):
        file = project / f"src{number % 2}" / f"part{number}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(
            "".join(
                f"def handler_{number}_{each}(tokens):\n    return load(tokens, 'route {each}')\n\n"
                for each in range(3)
            )
        )
    (project / "README.md").write_text("# Words\n\nSome words of prose about tokens.\n")
    # What changed within a clock tick is read again, whatever the state says of it.
    time.sleep(CLOCK_TICK_NS / 1e9)
    Repository.open(project, directory=root / "cache").refresh()
    (project / "src0" / "part0.py").write_text("def delete_route(tokens):\n    pass\n")
    time.sleep(CLOCK_TICK_NS / 1e9)
    Repository.open(project, directory=root / "cache").refresh()
    shutil.copytree(project, root / "changed")
    alter_project(root / "changed")
    return root


def answers(project: Path, cache: Path) -> list[Any]:
    repository = Repository.open(project, directory=cache)
    found: list[Any] = [
        [(hit.path, hit.start_line, hit.end_line, round(hit.score, 4)) for hit in hits]
        for hits in (repository.search(query, 5, q=0.5) for query in QUERIES)
    ]
    repository.status()
    repository.explain("load tokens", "src1/part1.py:1")
    repository.context("load the tokens", 500)
    return [*found, len(repository)]


@pytest.fixture(scope="module")
def right(original: Path) -> dict[str, list[Any]]:
    """What new indexes answer, before files change and after."""
    return {
        name: answers(original / name, original / f"fresh-{name}")
        for name in ("project", "changed")
    }


def judge(original: Path, cache: Path, right: dict[str, list[Any]], whole: bool) -> str:
    """Search with a cache; then once files have changed."""
    for name, expected in right.items():
        if answers(original / name, cache) != expected and whole:
            raise Wrong(f"answers of the {name} aren't those of a new index")
    return "as a new index answers" if whole else "answers"


def alter_project(project: Path) -> None:
    (project / "src1" / "part1.py").write_text("def quite_different(handler):\n    three = 3\n")
    (project / "src0" / "part2.py").unlink()
    (project / "src1" / "new.py").write_text("def load_the_tokens():\n    pass\n")


def mutate(folder: Path, dice: random.Random) -> tuple[str, bool]:
    """Alter a file of the cache; say which, and whether the index is as it was."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    paths = [path for path in paths if path.name != "write.lock"]
    states = [path for path in paths if path.name.endswith(".state")]
    path = dice.choice([*paths, *states * 3])
    if path.name == "manifest.json":
        body = json.loads(path.read_bytes())
        del body["checksum"]
        path.write_bytes(with_checksum(mutated_json(body, dice)))
    elif path.name == "settings.json":
        former = json.loads(path.read_text())
        settings = mutated_json(former, dice)
        path.write_text(json.dumps(settings))
        # Another limit or no parsing is a choice that somebody may have made.
        chosen = {"max_bytes": int, "parsed": bool}
        if isinstance(settings, dict) and any(
            type(settings.get(name)) is kind and settings[name] != former[name]
            for name, kind in chosen.items()
        ):
            return f"{path.name}, another choice", False
    elif path in states and dice.random() < 0.3:
        arrays = read_arrays(path)
        head = mutated_json(json.loads(arrays["head"].tobytes()), dice)
        arrays["head"] = np.frombuffer(json.dumps(head).encode(), np.uint8)
        path.write_bytes(encoded(path.name, arrays))
    else:
        mutate_container(path, dice)
    return path.name, path.parent.name != "index"


def test_mutations_of_a_cache_give_right_answers_or_a_sentence(
    original: Path, right: dict[str, list[Any]], tmp_path: Path
) -> None:
    tally = Tally()
    for seed in range(number_of_trials(40, 0.2)):
        cache = Path(shutil.copytree(original / "cache", tmp_path / "mutated"))
        what, whole = mutate(cache, random.Random(seed))
        outcome = tried(lambda cache=cache, whole=whole: judge(original, cache, right, whole))
        tally.add(f"seed {seed}, {what}", outcome)
        shutil.rmtree(cache)
    tally.check("cache")


@pytest.mark.parametrize("name", ["settings.json", "files-", "index/manifest.json"])
@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_a_cache_of_other_things_than_files_is_made_anew(
    name: str, kind: str, original: Path, right: dict[str, list[Any]], tmp_path: Path
) -> None:
    cache = Path(shutil.copytree(original / "cache", tmp_path / "odd"))
    path = next(each for each in cache.rglob("*") if str(each.relative_to(cache)).startswith(name))
    path.unlink()
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        path.mkdir()
    outcome = tried(lambda: judge(original, cache, right, True))
    assert outcome.kind == "answered", outcome
