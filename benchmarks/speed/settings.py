"""What a run is asked to do."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

# One thread everywhere, for numba, BLAS and whatever else reads these when it is first imported.
ONE_THREAD = {
    "NUMBA_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "QIDF_THREADS": "1",
}


def limit_threads() -> None:
    """Hold this process and its children to one thread; call before numpy is imported."""
    os.environ.update(ONE_THREAD)


@dataclass(frozen=True, slots=True)
class Settings:
    """How often, how much, and where scratch files go."""

    scratch: Path
    repeats: int = 5
    # For what takes long or serves no ratio against a peer: tantivy's searches, latencies, sizes.
    few_repeats: int = 3
    # Enough single calls for a p95 that means something.
    latency_queries: int = 1000
    # Twenty alternating process starts at least, as the goal asks.
    cold_starts: int = 25
    # Documents of the large build.
    large_docs: int = 1_000_000
    # bm25s's numba backend is the contender; a smoke test does without the compiler.
    bm25s_backend: str = "numba"
    quick: bool = False

    @classmethod
    def for_smoke_test(cls, scratch: Path, bm25s_backend: str, num_docs: int) -> Settings:
        """As little work as still passes through every section."""
        return cls(
            scratch,
            repeats=2,
            few_repeats=2,
            latency_queries=20,
            cold_starts=2,
            large_docs=5 * num_docs,
            bm25s_backend=bm25s_backend,
            quick=True,
        )
