"""Sharing work out among threads."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from qidf.errors import InvalidArgumentError
from qidf.index import Index
from qidf.native.threads import num_threads, run


@pytest.mark.parametrize("threads", [1, 2, 3, 16])
@pytest.mark.parametrize("size", [0, 1, 9, 10, 1000, 1001])
def test_everything_is_done_once(size: int, threads: int) -> None:
    done = np.zeros(size, int)
    parts = []

    def work(first: int, last: int) -> None:
        done[first:last] += 1
        parts.append(last - first)

    run(work, size, 10, threads)
    assert (done == 1).all()
    assert len(parts) == 1 or min(parts[:-1]) >= 10 or threads > 1


def test_a_failure_on_any_thread_is_the_callers() -> None:
    here = threading.current_thread()

    def work(first: int, last: int) -> None:
        if threading.current_thread() is not here or first > 500:
            raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        run(work, 1000, 10, 4)


def test_the_number_is_the_callers_or_the_environments_or_that_of_processors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("QIDF_THREADS", raising=False)
    assert num_threads() >= 1
    monkeypatch.setenv("QIDF_THREADS", "3")
    assert num_threads() == 3
    assert num_threads(2) == 2
    monkeypatch.setenv("QIDF_THREADS", "many")
    with pytest.raises(InvalidArgumentError, match="QIDF_THREADS must be a number of at least 1"):
        num_threads()
    for wrong in (0, -1, 1.5, "two"):
        with pytest.raises(InvalidArgumentError, match="threads must be a number"):
            num_threads(wrong)  # type: ignore[arg-type]


def test_results_are_the_same_whatever_the_number_of_threads() -> None:
    dice = np.random.default_rng(5)
    documents = [" ".join(f"w{word}" for word in dice.zipf(1.3, 12) % 500) for _ in range(3000)]
    index = Index.build(documents, analyzer="whitespace")
    index.add(documents[:900])
    queries = [document.split() for document in documents[:500]]
    first = index.rank(queries, 10, threads=1)
    for threads in (2, 5):
        again = Index.build(documents, analyzer="whitespace")
        again.add(documents[:900])
        found = again.rank(queries, 10, threads=threads)
        assert found.positions.tobytes() == first.positions.tobytes()
        assert found.scores.tobytes() == first.scores.tobytes()


def test_many_threads_search_one_index_at_once() -> None:
    documents = [f"alpha beta{number % 7} gamma{number}" for number in range(4000)]
    index = Index.build(documents)
    expected = [index.search(f"beta{number % 7} gamma{number}") for number in range(40)]
    fresh, wrong = Index.build(documents), []

    def ask() -> None:
        for number in range(40):
            if fresh.search(f"beta{number % 7} gamma{number}") != expected[number]:
                wrong.append(number)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
