"""A container gives back the arrays it was given."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qidf.errors import CorruptIndexError
from qidf.index import container
from qidf.index.container import Container, write_container

DTYPES = ["u1", "<u2", "<i4", "<u4", "<i8", "<f4"]
ARRAYS = st.dictionaries(
    st.text(min_size=1, max_size=8),
    st.tuples(st.sampled_from(DTYPES), st.integers(0, 300), st.integers(0, 2**32 - 1)),
    max_size=5,
)


def made(dtype: str, size: int, seed: int) -> np.ndarray:
    return np.frombuffer(np.random.default_rng(seed).bytes(size * np.dtype(dtype).itemsize), dtype)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(drawn=ARRAYS, block=st.sampled_from([64, 256, container.BLOCK_BYTES]))
def test_arrays_come_back_bit_for_bit(
    tmp_path_factory: pytest.TempPathFactory, drawn: dict[str, tuple[str, int, int]], block: int
) -> None:
    path = tmp_path_factory.mktemp("container") / "file"
    arrays = {name: made(*description) for name, description in drawn.items()}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(container, "BLOCK_BYTES", block)
        write_container(path, arrays)
        stored = Container(path)
        stored.verify_all()
        for name, array in arrays.items():
            found = stored.array(name)
            assert found.dtype == array.dtype
            assert found.tobytes() == array.tobytes()
            assert name in stored
            # Loops in C read them in place, and nobody changes what is stored.
            assert not found.flags.writeable
            assert found.flags.aligned or found.size == 0
            assert stored.blocks(name)[0].all()


def test_a_mapped_array_can_not_be_written_to(tmp_path: Path) -> None:
    write_container(tmp_path / "file", {"numbers": np.arange(10, dtype=np.int32)})
    with pytest.raises(ValueError, match="read-only"):
        Container(tmp_path / "file").array("numbers")[:] = 7


def test_a_file_is_never_overwritten(tmp_path: Path) -> None:
    write_container(tmp_path / "file", {})
    with pytest.raises(FileExistsError):
        write_container(tmp_path / "file", {})


def test_equal_arrays_make_equal_files(tmp_path: Path) -> None:
    files = [tmp_path / folder / "file" for folder in ("one", "two")]
    for file in files:
        file.parent.mkdir()
        write_container(file, {"a": np.arange(99), "b": np.zeros(0, np.uint8)})
    assert files[0].read_bytes() == files[1].read_bytes()


def test_a_file_in_the_place_of_another_is_refused(tmp_path: Path) -> None:
    write_container(tmp_path / "file", {"a": np.arange(9)})
    (tmp_path / "file").rename(tmp_path / "other")
    with pytest.raises(CorruptIndexError, match=r"other is corrupt .it was written as file"):
        Container(tmp_path / "other")


def test_only_damaged_blocks_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container, "BLOCK_BYTES", 64)
    file = tmp_path / "damaged"
    write_container(file, {"numbers": np.arange(100, dtype=np.int64)})
    data = bytearray(file.read_bytes())
    # Number 42 is in the sixth block of eight numbers each.
    data[data.index((42).to_bytes(8, "little"))] ^= 1
    file.write_bytes(data)
    # What a block is, the file says itself.
    monkeypatch.setattr(container, "BLOCK_BYTES", 1 << 20)
    damaged = Container(file)
    damaged.verify("numbers", 0, 40)
    damaged.verify("numbers", 48, 100)
    damaged.verify("numbers", 45, 45)
    for first, last in ((40, 41), (47, 48), (39, 49), (0, 100)):
        with pytest.raises(CorruptIndexError, match=r"damaged is corrupt .*'numbers'"):
            damaged.verify("numbers", first, last)
    verified, per_block = damaged.blocks("numbers")
    assert per_block == 8
    assert np.nonzero(~verified)[0].tolist() == [5]


def test_an_array_that_is_not_there_is_corruption(tmp_path: Path) -> None:
    write_container(tmp_path / "file", {"numbers": np.arange(3)})
    assert "letters" not in Container(tmp_path / "file")
    with pytest.raises(CorruptIndexError, match=r"file is corrupt .*no 'letters' array"):
        Container(tmp_path / "file").array("letters")
