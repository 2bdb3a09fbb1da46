"""An index is the same to the byte however many threads make it."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from qidf import Index
from qidf.analysis import parse_analyzer
from qidf.errors import InvalidArgumentError
from qidf.index import build, documents, inversion
from qidf.native import threads as settings


def texts_of(seed: int, size: int = 300) -> list[str]:
    random_words = random.Random(seed)
    words = [f"word{number}" for number in range(400)] + ["été", "getUsers", "the", "İs"]
    return [
        " ".join(random_words.choices(words, k=random_words.randrange(12))) for _ in range(size)
    ]


@pytest.fixture(autouse=True)
def _small_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "BATCH_CHARACTERS", 500)
    monkeypatch.setattr(inversion, "WORTH_THREADS_TOKENS", 50)


@pytest.mark.parametrize("analyzer", ["generic", "identifier(plurals=fold)"])
@pytest.mark.parametrize("threads", [2, 3, 8])
def test_segments_are_the_same_whatever_the_number_of_threads(threads: int, analyzer: str) -> None:
    for seed in range(3):
        texts = texts_of(seed)
        one, several = (
            build.build_segment(texts, parse_analyzer(analyzer), 0, count) for count in (1, threads)
        )
        assert several.terms.tokens() == one.terms.tokens()
        for name in ("starts", "docs", "tfs", "lengths"):
            assert np.array_equal(getattr(several, name), getattr(one, name)), name
            assert getattr(several, name).dtype == getattr(one, name).dtype


def test_stored_files_are_the_same_whatever_the_number_of_threads(tmp_path: Path) -> None:
    rows = [{"id": f"doc {at}", "text": text} for at, text in enumerate(texts_of(7))]
    stored = []
    for threads in (1, 4):
        Index.build(rows, threads=threads).save(tmp_path / str(threads))
        (segment,) = (tmp_path / str(threads)).glob("segment-*")
        # The header has the file's own name in it, and before it comes the header's checksum.
        stored.append(segment.read_bytes()[20:].replace(segment.name.encode(), b""))
    assert stored[0] == stored[1]


def test_an_error_in_the_middle_of_documents_comes_through() -> None:
    def broken() -> object:
        yield from texts_of(1)
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        Index.build(broken(), threads=3)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match="document 300 is a float"):
        Index.build([*texts_of(1), 1.5], threads=3)  # type: ignore[list-item]


def test_the_number_of_threads_is_asked_for_or_named_or_that_of_processors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(settings.VARIABLE, raising=False)
    assert settings.num_threads() == settings.available_processors() >= 1
    monkeypatch.setenv(settings.VARIABLE, " 3 ")
    assert settings.num_threads() == 3
    assert settings.num_threads(5) == 5
    for wrong in ("0", "-1", "many"):
        monkeypatch.setenv(settings.VARIABLE, wrong)
        with pytest.raises(InvalidArgumentError, match="QIDF_THREADS must be a number"):
            settings.num_threads()
    for number in (0, -2, True, 1.5, "2"):
        with pytest.raises(InvalidArgumentError, match="threads must be a number"):
            settings.num_threads(number)  # type: ignore[arg-type]
