"""qidf index: documents in, a searchable folder out."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

import click

from qidf.cli.options import analyzer_option, given, max_bytes_option
from qidf.cli.reading import report_skipped, skipped_sentence, tracked
from qidf.cli.terminal import bold, megabytes


@click.command("index")
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path),
    help="Folder for the index; an index already there is replaced.",
)
@analyzer_option
@max_bytes_option
def command(path: Path, output: Path, analyzer: str | None, max_bytes: int | None) -> None:
    """Index a folder of files or a JSONL of documents.

    JSONL lines have a text and optionally an _id and a title, plain or gzipped; a BEIR folder or a
    bm25s folder with its corpus will do too. Each file of any other folder is one document.
    """
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
        f" htok {stats.htok:.4f}, q {index.q:.3f}, {megabytes(size)}"
        f" in {perf_counter() - started:.1f} s: {output}"
    )
    report_skipped(corpus)
