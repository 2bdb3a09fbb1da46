"""Lucene through a JVM of its own: a small Java program that answers over a pipe.

Lucene scores with k1 = 1.2, b = 0.75 and without the factor (k1 + 1), in float32, and keeps a
document's length in one byte. A deleted document counts until its segment is merged.
"""

from qidf.engines.lucene_index.engine import CAPABILITIES, LuceneEngine, open_target, wrap

__all__ = ["CAPABILITIES", "LuceneEngine", "open_target", "wrap"]
