"""Test collections: documents, queries and who is relevant to what, read from any usual form.

A reader is a function in a file of its own that ends in `assembly.assemble`, which checks what it
read; `naming.open_dataset` finds it by name. Where every query has documents of its own, the reader
is a `Task` that makes a dataset for each. A reader never drops anything silently: what is left out
becomes one of the dataset's notes.
"""

from qidf.datasets.assembly import assemble
from qidf.datasets.beir import read_beir
from qidf.datasets.beir_hub import read_beir_hub
from qidf.datasets.codesearchnet import LANGUAGES, read_codesearchnet
from qidf.datasets.dataset import Dataset, Judgements, Texts
from qidf.datasets.docstrings import strip_docstring
from qidf.datasets.judgements import Judgement, read_judgements
from qidf.datasets.long_code_arena import LongCodeArena
from qidf.datasets.naming import FORMS, Choices, open_dataset
from qidf.datasets.repobench import RepoBench
from qidf.datasets.repository_docstrings import read_docstrings
from qidf.datasets.task import Task
from qidf.datasets.trec import read_topics, read_trec

__all__ = [
    "FORMS",
    "LANGUAGES",
    "Choices",
    "Dataset",
    "Judgement",
    "Judgements",
    "LongCodeArena",
    "RepoBench",
    "Task",
    "Texts",
    "assemble",
    "open_dataset",
    "read_beir",
    "read_beir_hub",
    "read_codesearchnet",
    "read_docstrings",
    "read_judgements",
    "read_topics",
    "read_trec",
    "strip_docstring",
]
