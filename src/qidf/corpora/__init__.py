"""Where documents come from: readers that give `qidf.index.Document`s one at a time.

A reader is a `Corpus`: iterate over it, and it says how far it is and what it left out. To add one,
subclass `Corpus` in a file of its own and let `detect` recognise what it reads.
"""

from qidf.corpora.corpus import Corpus
from qidf.corpora.detection import BEIR, BM25S, FILES, INDEX, JSONL, detect, open_corpus
from qidf.corpora.folder import DEFAULT_MAX_BYTES, FileFolder
from qidf.corpora.jsonl import Bm25sCorpus, JsonLines
from qidf.corpora.standard_library import StandardLibrary

__all__ = [
    "BEIR",
    "BM25S",
    "DEFAULT_MAX_BYTES",
    "FILES",
    "INDEX",
    "JSONL",
    "Bm25sCorpus",
    "Corpus",
    "FileFolder",
    "JsonLines",
    "StandardLibrary",
    "detect",
    "open_corpus",
]
