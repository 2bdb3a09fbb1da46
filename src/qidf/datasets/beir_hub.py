"""BEIR's sets on the Hugging Face hub: texts in BeIR/<name>, judgements in BeIR/<name>-qrels.

Texts are corpus.jsonl.gz and queries.jsonl.gz in older revisions and parquet files in newer ones;
judgements are <split>.tsv (https://huggingface.co/datasets/BeIR/nfcorpus and .../nfcorpus-qrels).
"""

from __future__ import annotations

from pathlib import Path

from qidf.datasets.assembly import assemble
from qidf.datasets.beir import DEFAULT_SPLIT
from qidf.datasets.dataset import Dataset
from qidf.datasets.hub import read_texts, take_snapshot
from qidf.datasets.judgements import read_judgements

_OWNER = "BeIR"


def read_beir_hub(
    name: str,
    *,
    split: str = DEFAULT_SPLIT,
    hub_folder: str | Path | None = None,
    allow_unknown: bool = False,
) -> Dataset:
    """Read one of BEIR's sets, such as nfcorpus or scifact."""
    forms = {
        what: (f"{what}.jsonl.gz", f"{what}/*.parquet", f"*{what}-*.parquet")
        for what in ("corpus", "queries")
    }
    texts = take_snapshot(
        f"{_OWNER}/{name}", [*forms["corpus"], *forms["queries"]], folder=hub_folder
    )
    judged = take_snapshot(f"{_OWNER}/{name}-qrels", [f"{split}.tsv"], folder=hub_folder)
    found = {what: texts.files(*patterns) for what, patterns in forms.items()}
    for what, files in found.items():
        # A revision that has both forms says everything twice.
        if any(path.suffix == ".parquet" for path in files):
            found[what] = [path for path in files if path.suffix == ".parquet"]
    return assemble(
        f"beir:{name}" + (f"/{split}" if split != DEFAULT_SPLIT else ""),
        f"{texts} and {judged}",
        read_texts(found["corpus"], "document", titled=True),
        read_texts(found["queries"], "query"),
        read_judgements(judged.files(f"{split}.tsv")[0]),
        allow_unknown=allow_unknown,
    )
