"""Reading queries and documents, with a progress bar, and saying what was left out."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from qidf.corpora import Corpus
    from qidf.index import Document


def query_text(typed: str) -> str:
    """The query as typed, or all of stdin for a dash."""
    if typed != "-":
        return typed
    return sys.stdin.buffer.read().decode("utf-8", errors="replace")


def tracked(corpus: Corpus, label: str) -> Iterator[Document]:
    """The corpus's documents, with a bar on stderr if that is a terminal."""
    if not sys.stderr.isatty():
        yield from corpus
        return
    with click.progressbar(length=1, label=label, file=sys.stderr) as bar:
        for document in corpus:
            yield document
            bar.length = max(corpus.total, 1)
            if corpus.done > bar.pos:
                bar.update(corpus.done - bar.pos)
        bar.update(max(corpus.total, 1) - bar.pos)


def skipped_sentence(corpus: Corpus) -> str | None:
    """What was left out and why; None when nothing was."""
    if not corpus.skipped:
        return None
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in corpus.skipped.most_common())
    return f"skipped {corpus.skipped.total():,}: {reasons}"


def report_skipped(corpus: Corpus) -> None:
    """Print on stderr what was left out."""
    sentence = skipped_sentence(corpus)
    if sentence is not None:
        click.echo(sentence, err=True)
