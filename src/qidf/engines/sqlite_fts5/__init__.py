"""SQLite FTS5 through the standard library: a weighted sum of bm25() over single terms.

FTS5 scores with ln((N - n + 0.5) / (n + 0.5)), and 1e-6 where that isn't positive; k1 = 1.2,
b = 0.75, the factor (k1 + 1), exact lengths and double precision.
"""

from qidf.engines.sqlite_fts5.engine import Fts5Engine, open_target, wrap

__all__ = ["Fts5Engine", "open_target", "wrap"]
