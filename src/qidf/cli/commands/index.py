"""qidf index: a repository into the cache, or documents into a folder."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

import click

from qidf.cli.options import analyzer_option, given, max_bytes_option
from qidf.cli.reading import report_skipped, skipped_sentence, tracked
from qidf.cli.terminal import bold, megabytes, printable


@click.command("index")
@click.argument("path", type=click.Path(path_type=Path), default=".")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Folder for the index; an index already there is replaced.",
)
@analyzer_option
@max_bytes_option
def command(path: Path, output: Path | None, analyzer: str | None, max_bytes: int | None) -> None:
    """Index the repository at PATH for `qidf search QUERY`, or documents into a folder of your own.

    Without -o the index goes to your cache and holds functions, classes and windows of text; the
    analyzer is then chosen by language, files over 4 MB are left out, and every search brings it up
    to date.

    With -o, PATH is a folder of files or a JSONL of documents, whose lines have a text and
    optionally an _id and a title, plain or gzipped; a BEIR folder or a bm25s folder with its corpus
    will do too. Each file of any other folder is one document.
    """
    if output is None:
        _index_repository(path, analyzer, max_bytes)
    else:
        _index_documents(path, output, analyzer, max_bytes)


def _index_repository(path: Path, analyzer: str | None, max_bytes: int | None) -> None:
    from qidf.cli.code_output import opened, summary
    from qidf.errors import InputError

    if path.exists() and not path.is_dir():
        raise InputError(f"{path} is a file; name a folder for its index with -o")
    with opened(path, agreed=True, analyzer=analyzer, max_bytes=max_bytes) as repository:
        done = repository.refresh()
        status = repository.status()
        where = "memory" if repository.directory is None else repository.directory
        click.echo(
            f"{bold(summary(repository))}, analyzer {status.analyzer}, q {status.q:.3f},"
            f" {done.indexed:,} files read in {done.seconds:.1f} s: {printable(where)}"
        )
        if status.skipped:
            reasons = ", ".join(f"{n:,} {reason}" for reason, n in status.skipped.most_common())
            click.echo(f"left out: {reasons}", err=True)


def _index_documents(path: Path, output: Path, analyzer: str | None, max_bytes: int | None) -> None:
    from qidf.corpora import open_corpus
    from qidf.errors import InputError
    from qidf.index import Index
    from qidf.index.directory import prepare

    started = perf_counter()
    corpus = open_corpus(path, **given(max_bytes=max_bytes))
    existed = output.exists()
    prepare(output)
    try:
        index = Index.build(tracked(corpus, "Indexing"), **given(analyzer=analyzer))
        if not len(index):
            reason = skipped_sentence(corpus) or "it is empty"
            raise InputError(f"there are no documents to index in {path} ({reason})")
        index.save(output)
    except BaseException:
        if not existed and not any(output.iterdir()):
            output.rmdir()
        raise
    stats = index.stats
    size = sum(file.stat().st_size for file in output.iterdir())
    click.echo(
        f"{bold(f'{stats.num_docs:,} documents')}, {stats.num_tokens:,} tokens,"
        f" htok {stats.htok:.4f}, {index.decide().weighting}, {megabytes(size)}"
        f" in {perf_counter() - started:.1f} s: {printable(output)}"
    )
    report_skipped(corpus)
