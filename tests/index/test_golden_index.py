"""Indexes stored by every format version so far are still read, and answer as they did."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from search_paths import all_paths, searching

from golden import GOLDEN, UPDATING, check_golden
from qidf.index import Document, Index
from qidf.index.container import Container
from qidf.index.directory import FORMAT
from qidf.statistics import predict_q

CURRENT = GOLDEN / f"index-v{FORMAT}"
QUERIES = ["tide tables", "harbour lights", "naïve café", "read_header", "the", "lighthouse keeper"]


def make(folder: Path) -> None:
    """Store an index that uses all that the format has to offer."""
    index = Index.build(
        [
            Document(
                "Tide tables for the harbour", "tides", {"year": 1911, "tags": ["sea", "moon"]}
            ),
            Document("The lighthouse keeper's log: lights lit at dusk", "log", {"year": 1908}),
            Document("A naïve traveller's café guide", "café", {"author": "Zoë", "price": None}),
            Document("def read_header(file): return file.read(20)", "header.py", {"lines": 1}),
            Document("To be withdrawn", "withdrawn", {"year": 1900}),
            Document("Harbour lights, tide by tide by tide", "poem"),
            Document("", "blank page"),
        ]
    )
    index.save(folder)
    index.delete("withdrawn")
    index.add([Document("The tide turned at the lighthouse", "novel", {"year": 1927})])
    (folder / "write.lock").unlink()


if UPDATING and not CURRENT.exists():
    make(CURRENT)

FOLDERS = sorted(path for path in GOLDEN.glob("index-v*") if path.is_dir())
stored = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)


def rendered(index: Index) -> str:
    stats = index.stats
    lines = [
        f"analyzer {index.analyzer}, {stats.num_docs} documents, {stats.num_tokens} tokens, "
        f"{stats.vocab_size} terms, htok {stats.htok:.4f}, q {predict_q(stats):.4f}",
    ]
    for query in QUERIES:
        for q in (1.0, 0.5):
            lines.append(f"\n{query!r} at q = {q:g}")
            for hit in index.search(query, 5, q, weighting="paper"):
                metadata = json.dumps(dict(hit.metadata), ensure_ascii=False)
                lines.append(f"  {hit.rank}  {hit.score:.5f}  {hit.id}  {metadata}")
    return "\n".join(lines) + "\n"


def test_there_is_a_golden_index_of_the_format_written_now() -> None:
    assert CURRENT.is_dir()


@stored
@all_paths
def test_a_golden_index_answers_as_it_did(folder: Path, path: str) -> None:
    before = {entry.name: entry.read_bytes() for entry in folder.iterdir()}
    for file in folder.glob("*.qidf"):
        Container(file).verify_all()
    with searching(path):
        check_golden(f"{folder.name}.txt", rendered(Index.open(folder)))
    assert {entry.name: entry.read_bytes() for entry in folder.iterdir()} == before


@stored
def test_a_golden_index_has_segments_and_deletions(folder: Path) -> None:
    segments = Index.open(folder)._ranker.segments
    assert len(segments) > 1
    assert any(segment.deletions is not None for segment in segments)


@stored
def test_a_golden_index_can_be_changed(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "index"
    shutil.copytree(folder, copy)
    index = Index.open(copy)
    golden = rendered(index)
    index.add([Document("harbour lights out", "late")])
    index.delete("late")
    index.compact()
    assert rendered(index) == rendered(Index.open(copy)) == golden


def test_the_index_written_now_answers_like_the_golden_one(tmp_path: Path) -> None:
    make(tmp_path / "index")
    assert rendered(Index.open(tmp_path / "index")) == rendered(Index.open(CURRENT))
