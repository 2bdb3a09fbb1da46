"""A damaged file is named in an error, or does not matter; it never gives a wrong answer."""

from __future__ import annotations

import json
import os
import random
import shutil
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from search_paths import POSTINGS, searching

from qidf.errors import (
    CorruptIndexError,
    IndexFormatError,
    IndexNotFoundError,
    QidfError,
    StoredIndexError,
)
from qidf.index import Document, Index, container
from qidf.index.container import Container
from qidf.index.directory import MANIFEST

QUERIES = ["alpha beta", "beta beta gamma delta", "ünïcode wörd", "epsilon alpha", "unheard"]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny index that has one of everything: segments, deletions, string ids, metadata."""
    folder = tmp_path_factory.mktemp("corruption") / "index"
    index = Index.build(
        [
            Document("alpha beta gamma", "first", {"path": "src/first.py", "stars": 5}),
            Document("beta beta delta", "sécond"),
            Document("ünïcode wörd alpha", "third", {"tags": ["ä", "b"]}),
            Document("deleted alpha", "gone"),
            Document("epsilon " * 9, "long"),
        ]
    )
    index.save(folder)
    index.delete("gone")
    index.add([Document("alpha epsilon zeta", "late", {"path": "late.txt"})])
    assert len(list(folder.glob("segment-*"))) == 2
    assert len(list(folder.glob("deletions-*"))) == 1
    return folder


def answers(folder: Path) -> list[object]:
    """Everything one can read from an index."""
    index = Index.open(folder)
    found: list[object] = [len(index), index.decide(), index.stats, repr(index.analyzer)]
    for q in ("auto", 1.0):
        for hits in index.search_batch(QUERIES, 10, q, contributions=True):
            found.append([(hit.id, hit.score, hit.rank, dict(hit.metadata)) for hit in hits])
    for name in ("first", "sécond", "third", "long", "late"):
        found.append((index.position(name), index.metadata(name)))
        found.append(str(index.explain("alpha beta epsilon", name)))
    found.append("gone" in index)
    found.append(index.search("alpha", filter={"path": "src/first.py"}))
    return found


class Damage:
    """A copy of the index in which one file at a time is other than it was."""

    def __init__(self, original: Path, folder: Path) -> None:
        shutil.copytree(original, folder)
        self.folder = folder
        self.altered: set[str] = set()
        self.right = answers(original)
        self.intact = {path.name: path.read_bytes() for path in original.iterdir()}

    @property
    def names(self) -> list[str]:
        return sorted(name for name in self.intact if name != "write.lock")

    def put(self, name: str, data: bytes) -> None:
        # A new file each time: earlier readers may still have the last one mapped.
        (self.folder / "new").write_bytes(data)
        os.replace(self.folder / "new", self.folder / name)

    def outcome(self, name: str, data: bytes) -> str:
        """Read the index with other bytes in one file: an error naming it, or right answers."""
        for other in self.altered - {name}:
            self.put(other, self.intact[other])
        self.put(name, data)
        self.altered = {name}
        try:
            found = answers(self.folder)
        except (CorruptIndexError, IndexFormatError) as error:
            message = str(error)
            assert name in message or (name == MANIFEST and str(self.folder) in message)
            assert "\n" not in message
            return "reported"
        assert found == self.right
        return "harmless"


@pytest.fixture
def damage(original: Path, tmp_path: Path) -> Iterator[Damage]:
    with searching(POSTINGS):
        yield Damage(original, tmp_path / "index")


def meaningful(name: str, data: bytes) -> set[int]:
    """Positions of a file that hold something: neither padding nor, in JSON, white space."""
    if name == MANIFEST:
        return {place for place, byte in enumerate(data) if byte not in b" \n"}
    length = int.from_bytes(data[8:16], "little")
    start = -(-(20 + length) // container.ALIGNMENT) * container.ALIGNMENT
    found = set(range(20 + length))
    for field in json.loads(data[20 : 20 + length])["arrays"].values():
        first = start + field["offset"]
        size = field["length"] * int(field["dtype"][2:])
        found.update(range(first, first + size))
    return found


@pytest.mark.parametrize("mask", [0xFF, 0x01])
def test_a_flipped_byte_is_reported_unless_it_is_padding(mask: int, damage: Damage) -> None:
    for name in damage.names:
        data = damage.intact[name]
        matters = meaningful(name, data)
        for place in range(len(data)):
            # Every byte of headers' prefixes, every third of the manifest, every eleventh of the
            # rest, and less of the padding, where all answers have to be compared.
            stride = 1 if place < 24 else 3 if name == MANIFEST else 11
            if place % (stride if place in matters else 61):
                continue
            flipped = bytearray(data)
            flipped[place] ^= mask
            outcome = damage.outcome(name, bytes(flipped))
            assert outcome == "reported" or place not in matters, (name, place)


def test_a_truncated_file_is_reported(damage: Damage) -> None:
    for name in damage.names:
        data = damage.intact[name]
        for size in {0, 1, 7, 8, 15, 19, 20, 21, *range(0, len(data), 97), len(data) - 1}:
            assert damage.outcome(name, data[:size]) == "reported", (name, size)


def test_a_file_with_more_than_it_should_have_is_reported(damage: Damage) -> None:
    for name in damage.names:
        for more in (b"\0", b"x" * 64, damage.intact[name]):
            assert damage.outcome(name, damage.intact[name] + more) == "reported"


def test_garbage_in_the_place_of_a_file_is_reported(damage: Damage) -> None:
    dice = random.Random(3)
    for name in damage.names:
        data = damage.intact[name]
        for garbage in (
            dice.randbytes(len(data)),
            dice.randbytes(3),
            b"\0" * len(data),
            b"\xff" * len(data),
            container.MAGIC + dice.randbytes(len(data)),
            data[:20] + dice.randbytes(len(data) - 20),
            data[: len(data) // 2] + dice.randbytes(len(data) - len(data) // 2),
            b"{}", b"[]", b"null", b"7", b'"text"', b"[" * 100_000,
        ):  # fmt: skip
            assert damage.outcome(name, garbage) == "reported"


def test_a_file_swapped_for_another_is_reported(damage: Damage) -> None:
    for name in damage.names:
        for other in damage.names:
            if name != other:
                assert damage.outcome(name, damage.intact[other]) == "reported"


def test_a_missing_file_is_reported(damage: Damage) -> None:
    for name in damage.names:
        (damage.folder / name).unlink()
        expected = IndexNotFoundError if name == MANIFEST else CorruptIndexError
        with pytest.raises(expected, match=r"index again|make one") as error:
            Index.open(damage.folder)
        assert name in str(error.value) or name == MANIFEST
        damage.put(name, damage.intact[name])


def test_a_folder_in_the_place_of_a_file_is_reported(damage: Damage) -> None:
    for name in damage.names:
        (damage.folder / name).unlink()
        (damage.folder / name).mkdir()
        with pytest.raises(CorruptIndexError, match=name):
            Index.open(damage.folder)
        (damage.folder / name).rmdir()
        damage.put(name, damage.intact[name])
    assert answers(damage.folder) == damage.right


def with_checksum(body: dict[str, object]) -> bytes:
    canonical = json.dumps(body, sort_keys=True, separators=(",", ":")).encode()
    return json.dumps({**body, "checksum": zlib.crc32(canonical)}).encode()


def test_an_index_of_another_format_says_so(damage: Damage) -> None:
    body = json.loads(damage.intact[MANIFEST])
    del body["checksum"]
    damage.put(MANIFEST, with_checksum(body))
    assert answers(damage.folder) == damage.right
    for version in (0, 2, 99):
        damage.put(MANIFEST, with_checksum({**body, "format": version}))
        with pytest.raises(
            IndexFormatError, match=f"format {version} and this qidf reads format 1"
        ):
            Index.open(damage.folder)
    # What a later format holds beyond the version is not ours to judge.
    damage.put(MANIFEST, with_checksum({"format": 2}))
    with pytest.raises(IndexFormatError):
        Index.open(damage.folder)


def test_a_damaged_index_can_be_built_again_in_its_place(damage: Damage) -> None:
    for name in damage.names:
        damage.put(name, b"damaged")
        Index.build(["built again", "something else", "and more"]).save(damage.folder)
        assert [hit.id for hit in Index.open(damage.folder).search("built", q=1)] == [0]


def test_damage_that_postings_show_late_stops_changes_too(damage: Damage) -> None:
    """Opening reads no postings; whatever copies them must check them before new checksums do."""
    for name in damage.names:
        if not name.startswith("segment"):
            continue
        data = damage.intact[name]
        header = json.loads(data[20 : 20 + int.from_bytes(data[8:16], "little")])
        start = len(data) - header["size"]
        for array in ("docs", "tfs", "metadata_blob"):
            flipped = bytearray(data)
            flipped[start + header["arrays"][array]["offset"]] ^= 1
            damage.put(name, bytes(flipped))
            index = Index.open(damage.folder)
            with pytest.raises(CorruptIndexError, match=name):
                index.save(damage.folder.with_name("elsewhere"))
            with pytest.raises(CorruptIndexError, match=name):
                Index.open(damage.folder).compact()
            damage.put(name, data)
    assert answers(damage.folder) == damage.right


def test_only_the_blocks_a_query_touches_are_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With blocks of 64 bytes, damage in one term's postings leaves the others searchable."""
    monkeypatch.setattr(container, "BLOCK_BYTES", 64)
    texts = [f"word{number % 40} other{number % 3}" for number in range(400)]
    index = Index.build(texts)
    right = {query: index.search(query, q=1) for query in ("word1", "word20", "word39 other1")}
    folder = tmp_path / "index"
    index.save(folder)
    (segment,) = folder.glob("segment-*")
    Container(segment).verify_all()
    with searching(POSTINGS):
        assert {query: Index.open(folder).search(query, q=1) for query in right} == right

    data = segment.read_bytes()
    header = json.loads(data[20 : 20 + int.from_bytes(data[8:16], "little")])
    at = len(data) - header["size"] + header["arrays"]["docs"]["offset"]
    terms = index._ranker.segments[0].terms
    starts = index._ranker.segments[0].starts
    flipped = bytearray(data)
    flipped[at + 4 * int(starts[terms.lookup(["word20"])[0]])] ^= 1
    segment.unlink()
    segment.write_bytes(flipped)
    with searching(POSTINGS):
        damaged = Index.open(folder)
        assert damaged.search("word1", q=1) == right["word1"]
        for _ in range(2):
            with pytest.raises(CorruptIndexError, match=segment.name):
                damaged.search("word20", q=1)
        assert damaged.search("word1", q=1) == right["word1"]
        with pytest.raises(CorruptIndexError, match=segment.name):
            _ = damaged.stats
    with pytest.raises(CorruptIndexError, match=segment.name):
        Container(segment).verify_all()


def test_every_error_about_a_stored_index_is_of_one_family() -> None:
    for error in (CorruptIndexError, IndexFormatError, IndexNotFoundError):
        assert issubclass(error, StoredIndexError)
        assert issubclass(error, QidfError)
