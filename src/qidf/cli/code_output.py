"""What commands about repositories show: spans, snippets, progress, status."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from qidf.cli.terminal import (
    bold,
    clip,
    dim,
    fields,
    megabytes,
    printable,
    printable_lines,
    warn,
    width,
)

if TYPE_CHECKING:
    from qidf.analysis import Analyzer
    from qidf.repository import CodeHit, Context, Refresh, Repository, RepositoryStatus

# Lines shown of a span: enough to recognise it, few enough that ten spans fit on a screen.
SNIPPET_LINES = 4
# A tab as wide as in most editors' settings for code.
_TAB = "    "
_WORD = re.compile(r"\w+")


@contextmanager
def opened(path: str | Path, *, agreed: bool = False, **options: Any) -> Iterator[Repository]:
    """A repository whose progress and notices go to stderr.

    A first index that nobody may have meant isn't begun before someone has `agreed`; Ctrl-C while
    files are read keeps those that were.
    """
    from qidf.cli.consent import ask_about_home
    from qidf.cli.indexing_progress import IndexingProgress
    from qidf.repository import Repository
    from qidf.repository.roots import find_root

    root = find_root(path)
    if not agreed:
        ask_about_home(root)
    with IndexingProgress(root, agreed=agreed) as progress:
        yield Repository.open(path, progress=progress.report, notify=_notify, **options)


def _notify(sentence: str) -> None:
    warn([sentence])


def narrowed(repository: Repository, path: str | Path) -> str | None:
    """The part of a repository that a path means, from its root; None for all of it."""
    relative = os.path.relpath(os.path.realpath(path), repository.root)
    return None if relative == "." else relative.replace(os.sep, "/")


def shown_path(repository: Repository, path: str) -> str:
    """A file's path from where the user is, if that is inside the repository."""
    here = os.path.realpath(".")
    if here == str(repository.root) or not here.startswith(f"{repository.root}{os.sep}"):
        return path
    return os.path.relpath(repository.root / path, here)


def from_here(repository: Repository, globs: Sequence[str]) -> list[str]:
    """Globs from the root, and the same from where the user is, as hits print their paths."""
    here = os.path.relpath(os.path.realpath("."), repository.root).replace(os.sep, "/")
    found = list(globs)
    if here == "." or here.startswith(".."):
        return found
    for glob in globs:
        mark, bare = ("!", glob[1:]) if glob.startswith("!") else ("", glob)
        if "/" in bare.rstrip("/") or os.path.exists(bare):
            whole = os.path.normpath(f"{here}/{bare}").replace(os.sep, "/")
            if not whole.startswith(".."):
                found.append(mark + (whole if "/" in whole else f"./{whole}"))
    return found


def print_hit(hit: CodeHit, repository: Repository, query: str, *, whole: bool) -> None:
    """Where a hit is, what matched, and the lines that say why."""
    location = f"{shown_path(repository, hit.path)}:{hit.start_line}-{hit.end_line}"
    symbol = f"  {printable(hit.symbol)}" if hit.symbol else ""
    copies = dim(f"  and {len(hit.copies)} more with the same text") if hit.copies else ""
    click.echo(f"{hit.rank:>3}  {hit.score:>8.3f}  {bold(printable(location))}{symbol}{copies}")
    indent = " " * 15
    from qidf.repository.question import read_question

    words = read_question(query).spelled(repository.index.analyzer)
    matched = ", ".join(
        f"{printable(words.get(token, token))} {worth:.2f}" for token, worth in hit.matched.items()
    )
    click.echo(indent + dim(clip(matched, width() - len(indent))))
    digits = len(str(hit.lines[-1].number)) if hit.lines else 1
    for number, text in snippet(hit, repository.index.analyzer, whole=whole):
        line = printable(text.replace("\t", _TAB))
        line = around_match(line, width() - digits - 7, hit.matched, repository.index.analyzer)
        found = highlighted(line, hit.matched, repository.index.analyzer)
        click.echo(f"     {dim(str(number).rjust(digits))}  {found}")


def snippet(hit: CodeHit, analyzer: Analyzer, *, whole: bool) -> list[tuple[int, str]]:
    """All lines of a hit, or the few that hold most of what matched, in order."""
    lines = [(line.number, line.text) for line in hit.lines]
    if whole or len(lines) <= SNIPPET_LINES:
        return lines
    seen: set[str] = set()
    worths = []
    for number, text in lines:
        tokens = set(analyzer.tokens(text)) & hit.matched.keys()
        # A token counts once: four lines should show four things.
        worths.append((-sum(hit.matched[each] for each in tokens - seen), number, text))
        seen |= tokens
    best = sorted(worths)[:SNIPPET_LINES]
    return sorted((number, text) for worth, number, text in best if worth < 0) or lines[:1]


def highlighted(line: str, matched: Mapping[str, float], analyzer: Analyzer) -> str:
    """A line with the words that matched set off."""

    def mark(word: re.Match[str]) -> str:
        text = word.group()
        found = not matched.keys().isdisjoint(analyzer.tokens(text))
        return click.style(text, fg="yellow", bold=True) if found else text

    return _WORD.sub(mark, line)


def around_match(line: str, columns: int, matched: Mapping[str, float], analyzer: Analyzer) -> str:
    """As much of a line as there is room for, with the first word that matched in it."""
    if len(line) <= columns:
        return line
    for word in _WORD.finditer(line):
        if not matched.keys().isdisjoint(analyzer.tokens(word.group())):
            # Half of the room before it, unless the line's beginning shows it anyway.
            if word.end() >= columns:
                return "…" + clip(line[max(word.end() - columns // 2, 0) :], columns - 1)
            break
    return clip(line, columns)


def summary(repository: Repository, done: Refresh | None = None) -> str:
    """How much was searched, and what was read for it."""
    files = sum(map(bool, repository.files.span_counts()))
    text = f"{len(repository):,} spans in {files:,} files"
    if done:
        text += f" ({done.indexed:,} read, {done.removed:,} gone, {done.seconds:.1f} s)"
    in_part, left_out = repository.cut_short
    if in_part:
        text += f", {in_part:,} large ones in part"
    if left_out:
        text += f", {left_out:,} large ones left out"
    return text


def explain_nothing(
    repository: Repository,
    query: str,
    language: Sequence[str] | None,
    path: Sequence[str] | None,
    within: str | None,
    literal: str | None,
) -> None:
    """Say on stderr why nothing was found, where that isn't the words themselves."""
    from qidf.repository.matching import language_names, path_matcher

    if not len(repository):
        warn([f"There are no files of text in {printable(repository.root)}; see: qidf status"])
    elif not repository.index.analyzer.tokens(query):
        warn(["The query has no words to search for, only common ones; ask for names."])
    else:
        matches, languages = path_matcher(path, within), language_names(language)
        indexed = {name: record for name, record in repository.files.items() if record.spans}
        if languages and languages.isdisjoint(each.language for each in indexed.values()):
            named = ", ".join(map(printable, language or ()))
            warn([f"No indexed file is in {named}; see the languages with: qidf status"])
        elif matches is not None and not any(map(matches, indexed)):
            warn(["No indexed file has such a path; see: qidf search --help, or qidf status"])
        elif literal is not None:
            warn(["No span that shares a word with the query has that text; check its spelling."])


def print_context(context: Context) -> None:
    """The block on stdout, and on stderr what it holds and lacks."""
    click.echo(printable_lines(context.text), nl=False)
    left = len(context.left_out)
    if left and not context.spans:
        best = printable(context.left_out[0].location)
        warn(
            [f"Not even the best span, {best}, fits in {context.budget:,} tokens; raise --budget."]
        )
        return
    lacking = "; nothing else matches" if context.complete else "; more spans had no room"
    click.echo(
        dim(
            f"{context.tokens:,} of {context.budget:,} tokens ({context.counter})"
            f" in {len(context.spans):,} spans{lacking}"
        ),
        err=True,
    )
    if left:
        first = ", ".join(printable(hit.location) for hit in context.left_out[:5])
        click.echo(dim(f"left out: {first}{', ...' if left > 5 else ''}"), err=True)


def status_fields(status: RepositoryStatus) -> str:
    """A status for a person."""
    languages = ", ".join(f"{name} {count:,}" for name, count in status.languages.most_common(8))
    if len(status.languages) > 8:
        languages += f" and {len(status.languages) - 8} more"
    if status.directory is None and not status.num_chunks:
        pending = f"{status.pending:,} files to read"
        return fields(
            [
                ("repository", printable(status.root)),
                ("index", f"none yet; the first search makes it ({pending})"),
                ("analyzer", f"{status.analyzer}: {status.analyzer_reason}"),
                ("file limit", megabytes(status.max_bytes)),
            ]
        )
    rows = [
        ("repository", printable(status.root)),
        ("index", "none yet" if status.directory is None else printable(status.directory)),
        ("files", f"{status.num_files:,} ({languages})" if languages else "0"),
        ("spans", f"{status.num_chunks:,}"),
        ("analyzer", f"{status.analyzer}: {status.analyzer_reason}"),
        ("q", f"{status.q:.3f}: {status.q_reason}"),
        ("size", megabytes(status.size_bytes)),
    ]
    if status.refreshed_ns:
        when = datetime.fromtimestamp(status.refreshed_ns / 1e9)
        rows.append(("refreshed", f"{when:%Y-%m-%d %H:%M:%S}"))
    pending = f"{status.pending:,} files to read, {status.removed:,} gone"
    rows.append(("since then", pending if status.pending or status.removed else "no change"))
    for name, counts in (("left out", status.skipped), ("not parsed", status.notices)):
        if counts:
            told = ", ".join(f"{count:,} {reason}" for reason, count in counts.most_common())
            rows.append((name, told))
    rows.append(("file limit", megabytes(status.max_bytes)))
    return fields(rows)
