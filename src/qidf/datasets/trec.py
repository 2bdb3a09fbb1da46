"""TREC's form of a test collection: topics and qrels, over documents from anywhere."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable
from pathlib import Path

from qidf.corpora import Corpus, open_corpus
from qidf.datasets.assembly import assemble
from qidf.datasets.dataset import Dataset, Texts
from qidf.datasets.judgements import read_judgements
from qidf.datasets.records import Columns, read_bytes, read_jsonl
from qidf.errors import InputError
from qidf.index import Document

FIELDS = ("title", "description", "narrative")
DEFAULT_FIELDS = ("title",)

# Topics are SGML whose tags often aren't closed: a field ends where the next tag begins.
_TOPIC = re.compile(r"<top(?:ic)?\b([^>]*)>(.*?)</top(?:ic)?>", re.DOTALL | re.IGNORECASE)
_NUMBER = re.compile(r"<num>\s*(?:Number\s*:)?\s*([^\s<]+)", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"number\s*=\s*[\"']?([^\"'\s>]+)", re.IGNORECASE)
# The word that old topics repeat after the tag.
_LABELS = {"title": "Topic", "description": "Description", "narrative": "Narrative"}
_TAGS = {"title": "title|query", "description": "desc(?:ription)?", "narrative": "narr(?:ative)?"}


def read_trec(
    documents: str | Path,
    topics: str | Path,
    qrels: str | Path,
    *,
    fields: Iterable[str] = DEFAULT_FIELDS,
    name: str | None = None,
    allow_unknown: bool = False,
    track: Callable[[Corpus, str], Iterable[Document]] = lambda corpus, label: corpus,
) -> Dataset:
    """Read documents as `qidf index` does, topics in any of `read_topics`' forms, and qrels."""
    corpus = open_corpus(documents)
    columns = Columns("document")
    for number, document in enumerate(track(corpus, "Reading documents"), 1):
        identifier = number - 1 if document.id is None else document.id
        columns.add(identifier, None, document.text, documents, number)
    skipped = ", ".join(f"{count:,} {reason}" for reason, count in corpus.skipped.most_common())
    return assemble(
        Path(documents).resolve().name if name is None else name,
        f"documents of {documents}, topics of {topics}, judgements of {qrels}",
        columns.done(),
        read_topics(topics, fields=fields),
        read_judgements(Path(qrels)),
        allow_unknown=allow_unknown,
        notes=(f"Files of the folder left out: {skipped}.",) if skipped else (),
    )


def read_topics(path: str | Path, *, fields: Iterable[str] = DEFAULT_FIELDS) -> Texts:
    """Read topics: TREC's tagged form, JSON Lines as BEIR's, or lines of an id, a tab and a text.

    `fields` says which parts of a tagged topic make up the query: title, description, narrative.
    """
    wanted = tuple(fields)
    if unknown := [each for each in wanted if each not in FIELDS]:
        raise InputError(f"topics have no field {unknown[0]!r}; choose from {', '.join(FIELDS)}")
    source = Path(path)
    data = read_bytes(source)
    start = data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if start == b"{":
        return read_jsonl(source, "query")
    # Topics from the nineties are in Latin-1; every UTF-8 file is read as what it is.
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    found = _tagged(text, source, wanted) if start == b"<" else _tabbed(text, source)
    if not len(found):
        raise InputError(f"there are no topics in {source}; write <top> ... </top> for each")
    return found


def _tagged(text: str, path: Path, fields: tuple[str, ...]) -> Texts:
    columns = Columns("topic")
    for match in _TOPIC.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        number = _NUMBER.search(match[2]) or _ATTRIBUTE.search(match[1])
        if number is None:
            raise InputError(f"{path}, line {line}: the topic has no number; add a <num>")
        parts = [part for field in fields if (part := _field(match[2], field))]
        if not parts:
            raise InputError(
                f"{path}, line {line}: topic {number[1]} has no {' or '.join(fields)}; ask for"
                " another field"
            )
        columns.add(number[1], None, " ".join(parts), path, line)
    return columns.done()


def _field(topic: str, field: str) -> str:
    match = re.search(rf"<(?:{_TAGS[field]})\b[^>]*>([^<]*)", topic, re.IGNORECASE)
    if match is None:
        return ""
    text = re.sub(rf"^\s*{_LABELS[field]}\s*:", "", match[1], flags=re.IGNORECASE)
    return " ".join(html.unescape(text).split())


def _tabbed(text: str, path: Path) -> Texts:
    columns = Columns("query")
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        identifier, tab, query = line.rstrip("\r").partition("\t")
        if not tab:
            raise InputError(f"{path}, line {number}: there is no tab between the id and the text")
        columns.add(identifier, None, query, path, number)
    return columns.done()
