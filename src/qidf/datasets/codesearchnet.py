"""CoIR's CodeSearchNet on the Hugging Face hub: functions as queries, their docstrings to find.

Layout after the dataset cards: CoIR-Retrieval/CodeSearchNet-<language>-queries-corpus holds
data/queries-*.parquet and data/corpus-*.parquet with _id, title, text and more; ...-qrels holds
data/<split>-*.parquet with query_id, corpus_id and score. Queries of all splits lie in one file.
"""

from __future__ import annotations

from pathlib import Path

from qidf.datasets.assembly import assemble
from qidf.datasets.beir import DEFAULT_SPLIT
from qidf.datasets.dataset import Dataset, Texts
from qidf.datasets.docstrings import strip_docstring
from qidf.datasets.hub import read_parquet, read_texts, take_snapshot
from qidf.datasets.judgements import from_columns
from qidf.errors import InvalidArgumentError

LANGUAGES = ("go", "java", "javascript", "php", "python", "ruby")
STRIPPED = "-stripped"
_OWNER = "CoIR-Retrieval"


def read_codesearchnet(
    language: str,
    *,
    split: str = DEFAULT_SPLIT,
    stripped: bool = False,
    hub_folder: str | Path | None = None,
    allow_unknown: bool = False,
) -> Dataset:
    """Read one of the six languages.

    Python's functions contain the very docstring that is to be found; `stripped` takes it out of
    them. The other languages document a function outside of it, so that both forms are one.
    """
    if language not in LANGUAGES:
        raise InvalidArgumentError(
            f"CodeSearchNet has no language {language!r}; choose from {', '.join(LANGUAGES)}"
        )
    if stripped and language != "python":
        raise InvalidArgumentError(
            f"functions of CodeSearchNet's {language} hold no docstrings to strip; use coir:"
            f"{language}"
        )
    task = f"{_OWNER}/CodeSearchNet-{language}"
    texts = take_snapshot(
        f"{task}-queries-corpus",
        ["data/corpus-*.parquet", "data/queries-*.parquet"],
        folder=hub_folder,
    )
    judged = take_snapshot(f"{task}-qrels", [f"data/{split}-*.parquet"], folder=hub_folder)
    files = judged.files(f"data/{split}-*.parquet")
    grades = read_parquet(files, ["query_id", "corpus_id", "score"])
    queries = read_texts(texts.files("data/queries-*.parquet"), "query")
    return assemble(
        f"coir:{language}{STRIPPED if stripped else ''}"
        + (f"/{split}" if split != DEFAULT_SPLIT else ""),
        f"{texts} and {judged}" + (", docstrings stripped from queries" if stripped else ""),
        read_texts(texts.files("data/corpus-*.parquet"), "document", titled=True),
        Texts(queries.ids, [*map(strip_docstring, queries.texts)]) if stripped else queries,
        from_columns(grades["query_id"], grades["corpus_id"], grades["score"], file=str(files[0])),
        allow_unknown=allow_unknown,
    )
