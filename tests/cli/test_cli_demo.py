"""qidf demo: what it shows is computed, on whatever library it is given."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from shell import Run

import qidf
from qidf.cli.comparison import Comparison, compare, compare_all
from qidf.corpora import StandardLibrary
from qidf.weighting import BM25, wanted

LIBRARY = '''
def unquote_plus(string, encoding="utf-8"):
    """Like unquote, but also replace plus signs."""
    return unquote(string.replace("+", " "), encoding)

def replace_string(string, encoding):
    """Replace one string with another encoding."""
    return string

def encoding_string(string):
    """Return the encoding string of a string."""
    return string.encoding
'''


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "urllib").mkdir()
    (tmp_path / "urllib" / "parse.py").write_text(LIBRARY)
    monkeypatch.setattr("qidf.corpora.StandardLibrary", lambda: StandardLibrary(tmp_path))
    return tmp_path


def test_it_shows_both_rankings_the_table_and_the_tally(library: Path, run: Run) -> None:
    result = run("demo")
    assert result.exit_code == 0
    for part in ("3 docstrings", "htok", "unquote_plus", "BM25, since 3 documents", "ratio"):
        assert part in result.stdout
    assert "All 3 functions" in result.stdout


def test_any_text_can_be_asked(library: Path, run: Run) -> None:
    result = run("demo", "replace plus", "--q", 0.2)
    assert result.exit_code == 0
    assert "Query: replace plus" in result.stdout
    assert "q = 0.200" in result.stdout
    assert "No docstring has a word of it" in run("demo", "zzzz").stdout


def test_a_library_without_the_usual_function_still_works(library: Path, run: Run) -> None:
    (library / "urllib" / "parse.py").write_text(LIBRARY.replace("unquote_plus", "other"))
    assert "the code of other" in run("demo").stdout


def test_moves_are_told_from_rank_to_rank() -> None:
    def hits(*ids: int) -> list[qidf.Hit]:
        return [qidf.Hit(each, 1.0, rank, {}) for rank, each in enumerate(ids, 1)]

    comparison = Comparison(BM25, hits(10, 20, 30), hits(30, 20, 10, 40))
    moves = [comparison.move(hit) for hit in comparison.weighed]
    assert moves == ["▲ from 3", "=", "▼ from 1", "▲ from beyond 100"]


def test_both_rankings_are_those_of_the_index() -> None:
    index = qidf.Index.build([f"common words and name{number}" for number in range(150)])
    comparison = compare(index, "common words name140", wanted(q=0.2))
    assert comparison.bm25 == index.search("common words name140", 100, 1.0)
    assert comparison.weighed == index.search("common words name140", 100, 0.2)


def test_the_tally_is_that_of_a_plain_count() -> None:
    texts = [f"alpha beta name{number} word{number % 3}" for number in range(40)]
    queries = [f"alpha beta word{number % 3} name{number // 2}" for number in range(40)]
    index = qidf.Index.build(texts)
    tally = compare_all(index, queries, wanted(q=0.3))

    def ranks(q: float) -> np.ndarray:
        found = []
        for number, query in enumerate(queries):
            ids = [hit.id for hit in index.search(query, 100, q)]
            found.append(ids.index(number) + 1 if number in ids else 101)
        return np.array(found)

    before, after = ranks(1.0), ranks(0.3)
    assert tally.first == ((before == 1).sum(), (after == 1).sum())
    assert tally.top_10 == ((before <= 10).sum(), (after <= 10).sum())
    assert (tally.moved_up, tally.moved_down) == ((after < before).sum(), (after > before).sum())
