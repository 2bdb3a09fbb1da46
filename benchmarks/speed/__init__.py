"""How fast and how large: qidf against bm25s and tantivy on one corpus, all in one run.

`python -m benchmarks.speed` measures, `python -m benchmarks.speed.report` turns a run into tables.
A section of the run is one file in `sections`, registered there; it returns raw samples only.
What the samples mean, and what they have to reach, is in `goals.py`: ratios are always computed
from the raw numbers, never stored beside them by the one who measured.
"""
