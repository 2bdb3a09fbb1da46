"""Datasets as studies name them: a label, the language it stands for, and forms of its queries."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from qidf.datasets import Choices, Dataset, Task, open_dataset
from qidf.errors import InputError, InvalidArgumentError

# In the order of the paper's main table.
LANGUAGES = ("go", "java", "ruby", "python", "php", "javascript")
TEXTS = ("nfcorpus", "scifact", "arguana")
STRIPPED, PUBLISHED = "stripped", "published"
_PUBLISHED_FILE = "queries.published"
_COIR = "coir:"
_TASKS = ("repobench-r:", "lca:")


@dataclass(frozen=True, slots=True)
class Source:
    """A dataset to study: NAME=PLACE, or a place that its name is taken from.

    `topic` is the language or text set that the name begins with, which says what the paper has on
    it; None for data of one's own. `forms` are the forms its queries come in: stripped and
    published where code may hold its own docstring, one nameless form elsewhere.
    """

    name: str
    place: str
    topic: str | None
    forms: tuple[str, ...]
    choices: Choices

    @classmethod
    def parse(cls, text: str, choices: Choices | None = None) -> Source:
        """Read what a person typed."""
        given = Choices() if choices is None else choices
        name, equals, place = text.partition("=")
        if not equals or Path(text).exists():
            name, place = "", text
        name = name.strip() or _own_name(place)
        if not place or not name.strip("."):
            raise InvalidArgumentError(f"{text!r} names no dataset; write a place or NAME=PLACE")
        return cls(name, place, _topic(name), _forms(place), given)

    @property
    def is_text(self) -> bool:
        """Whether it is one of the text sets that serve as negative control."""
        return self.topic in TEXTS

    @property
    def is_task(self) -> bool:
        """Whether it is many small collections, which only some studies have a use for."""
        return self.place.startswith(_TASKS)

    def open(self, form: str = "") -> Dataset | Task:
        """Read it, with queries in a form."""
        chosen = self.choices
        place = self.place
        if form == PUBLISHED and not place.startswith(_COIR):
            chosen = replace(chosen, queries=_PUBLISHED_FILE)
        if form == STRIPPED and place.startswith(_COIR):
            place += "-stripped"
        return open_dataset(place, chosen)

    def digest(self) -> str:
        """A digest of its content: of the files where it is a folder, of the texts elsewhere."""
        digest = hashlib.sha256()
        if Path(self.place).is_dir():
            root = Path(self.place)
            for path in sorted([*root.glob("*.jsonl*"), *root.glob("qrels/*.tsv*")]):
                digest.update(f"{path.relative_to(root).as_posix()}\0".encode())
                with path.open("rb") as file:
                    while block := file.read(1 << 20):
                        digest.update(block)
        else:
            for form in self.forms:
                _update(digest.update, self.open(form))
        return digest.hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Subject:
    """A source with its queries in one form: what a measurement is made on."""

    source: Source
    form: str

    @property
    def name(self) -> str:
        """The source's name, and the form where it matters which."""
        return f"{self.source.name} ({self.form})" if self.form else self.source.name

    @property
    def topic(self) -> str | None:
        """The language or text set."""
        return self.source.topic

    def open(self) -> Dataset:
        """Read it; a study of one collection can't take a task of many."""
        data = self.source.open(self.form)
        if not isinstance(data, Dataset):
            raise InputError(
                f"{self.source.name} is a task of many small collections, which this study has no"
                " use for; give it a BEIR folder or a CoIR language"
            )
        return data


def subjects(sources: Iterable[Source], *, all_forms: bool = False) -> list[Subject]:
    """The sources in the paper's order, tasks left out, each in the forms that are to be reported.

    Python's published code contains the docstring that is to be found, so that Python always comes
    in both forms; for other languages the forms differ only by comments inside functions, and the
    stripped one is enough unless `all_forms` are asked for.
    """
    found = []
    for source in sorted((each for each in sources if not each.is_task), key=_order):
        both = all_forms or source.topic == "python"
        found += [Subject(source, form) for form in (source.forms if both else source.forms[:1])]
    return found


def check_names(sources: Iterable[Source]) -> None:
    """Refuse two datasets of one name: their rows couldn't be told apart."""
    seen: set[str] = set()
    for source in sources:
        if source.name in seen:
            raise InvalidArgumentError(
                f"two datasets are called {source.name!r}; tell them apart with NAME=PLACE"
            )
        seen.add(source.name)


def _order(source: Source) -> tuple[int, str]:
    known = (*LANGUAGES, *TEXTS)
    return (known.index(source.topic) if source.topic else len(known), source.name)


def _own_name(place: str) -> str:
    return Path(place).resolve().name if Path(place).exists() else place.rpartition(":")[2]


def _topic(name: str) -> str | None:
    lowered = name.lower()
    for topic in sorted((*LANGUAGES, *TEXTS), key=len, reverse=True):
        if lowered == topic or (
            lowered.startswith(topic) and not lowered[len(topic) : len(topic) + 1].isalpha()
        ):
            return topic
    return None


def _forms(place: str) -> tuple[str, ...]:
    if place == f"{_COIR}python" or any(
        (Path(place) / f"{_PUBLISHED_FILE}.jsonl{ending}").is_file() for ending in ("", ".gz")
    ):
        return STRIPPED, PUBLISHED
    return ("",)


def _update(update: Callable[[bytes], None], data: Dataset | Task) -> None:
    for dataset in [data] if isinstance(data, Dataset) else data:
        for texts in (dataset.documents, dataset.queries):
            for identifier, text in texts:
                update(f"{identifier}\0{text}\0".encode("utf-8", "surrogatepass"))
        update(repr({key: dict(value) for key, value in dataset.judgements.items()}).encode())
