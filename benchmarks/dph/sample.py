"""The first documents of a BEIR folder with the queries they answer, as numbered tokens."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from qidf.analysis import parse_analyzer
from qidf.datasets import Dataset, Texts, read_beir
from qidf.errors import InputError

ANALYZER = "generic"


@dataclass(frozen=True, slots=True)
class Sample:
    """Documents and queries as tokens `t0`, `t1`, ..., and the one right document of each query."""

    documents: list[list[str]]
    queries: list[list[str]]
    golds: list[int]

    def dataset(self) -> Dataset:
        """The same tokens as a dataset for the whitespace analyzer, in the same order."""
        width = len(str(len(self.documents)))
        doc_ids = [f"d{number:0{width}d}" for number in range(len(self.documents))]
        query_ids = [f"q{number:0{width}d}" for number in range(len(self.queries))]
        return Dataset(
            "dph-sample",
            "a sample of numbered tokens",
            Texts(doc_ids, [" ".join(tokens) for tokens in self.documents]),
            Texts(query_ids, [" ".join(tokens) for tokens in self.queries]),
            {
                query_id: {doc_ids[gold]: 1}
                for query_id, gold in zip(query_ids, self.golds, strict=True)
            },
        )


def take(dataset: Dataset, num_docs: int) -> Sample:
    """The first documents, which the corpora's shuffle makes a random sample."""
    if num_docs > len(dataset.documents):
        raise InputError(
            f"{dataset.name} has {len(dataset.documents)} documents, {num_docs} were asked for; "
            "ask for fewer"
        )
    analyzer = parse_analyzer(ANALYZER)
    numbers: dict[str, int] = {}

    def tokens(text: str) -> list[str]:
        return [f"t{numbers.setdefault(token, len(numbers))}" for token in analyzer.tokens(text)]

    documents = [tokens(text) for text in dataset.documents.texts[:num_docs]]
    positions = {doc_id: at for at, doc_id in enumerate(dataset.documents.ids[:num_docs])}
    queries, golds = [], []
    for query_id, text in dataset.queries:
        found = [positions[doc] for doc in dataset.judgements[query_id] if doc in positions]
        if len(found) == 1:
            queries.append(tokens(text))
            golds.append(found[0])
    if not queries:
        raise InputError(f"no query of {dataset.name} is answered by these documents; take more")
    return Sample(documents, queries, golds)


def from_folder(folder: Path, num_docs: int) -> Sample:
    """A sample of a BEIR folder."""
    return take(read_beir(folder), num_docs)
