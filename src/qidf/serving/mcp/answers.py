"""What the tools answer, as text within a budget of tokens."""

from __future__ import annotations

import heapq
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from qidf.errors import InputError
from qidf.repository import CodeHit, Context
from qidf.repository.context import pack
from qidf.repository.ranking import idf_ratios
from qidf.serving.mcp.first_index import PATIENCE_SECONDS
from qidf.serving.mcp.served import ServedFolder, open_folders
from qidf.token_counts import TokenCounter, token_counter
from qidf.weighting import AUTO, Weighting

DEFAULT_BUDGET = 4_000
MIN_BUDGET, MAX_BUDGET = 200, 100_000
# Of what found no room, the best few are named.
NAMED = 8
# What was read is committed when the client goes; hosts kill a server that takes longer.
STOP_SECONDS = 5.0
# Kept back for the lines that say what was left out.
RESERVE = 120


class Desk:
    """Answers about some folders; one object may serve many requests at once."""

    def __init__(self, folders: Sequence[ServedFolder]) -> None:
        """Answer about these."""
        if not folders:
            raise InputError("there is no folder to serve; name one")
        self.folders = tuple(folders)

    @classmethod
    def open(cls, paths: Sequence[str | Path]) -> Desk:
        """Answer about the folders at these paths."""
        return cls(open_folders(paths))

    @contextmanager
    def indexing(self) -> Iterator[None]:
        """Index in the background while this block runs, so that the first answer comes sooner."""
        for folder in self.folders:
            folder.indexing.begin()
        thread = threading.Thread(target=self._index_all, name="indexing", daemon=True)
        thread.start()
        try:
            yield
        finally:
            for folder in self.folders:
                folder.indexing.stop()
            thread.join(STOP_SECONDS)

    def _index_all(self) -> None:
        for folder in self.folders:
            folder.indexing.run(folder.repository.refresh)

    @property
    def progress(self) -> tuple[int, int, int]:
        """Files read for indexes, files to be read, and how often that was reported."""
        watched = [folder.indexing for folder in self.folders]
        return (
            sum(each.done for each in watched),
            sum(each.total for each in watched),
            sum(each.reports for each in watched),
        )

    def search(
        self,
        query: str,
        budget: int = DEFAULT_BUDGET,
        path: str | None = None,
        language: str | None = None,
        *,
        weighting: Weighting = AUTO,
        refresh: bool = True,
    ) -> str:
        """The best spans for a query that fit in a budget, and what was left out.

        Without `refresh` the last state is searched, and a first index isn't waited for.
        """
        if not query.strip():
            raise InputError("the query is empty; ask for names or words")
        asked = self._asked(path)
        deadline = time.monotonic() + (PATIENCE_SECONDS if refresh else 0)
        for folder in asked:
            if not folder.indexing.wait(max(deadline - time.monotonic(), 0)):
                raise InputError(
                    f"the first index is still being built ({folder.indexing}); ask again in a"
                    " minute, or read files meanwhile"
                )
        if refresh:
            self.refresh()
        counter = token_counter(exact=False)
        found = pack(
            self._ranked(asked, query, path, language, weighting),
            budget - min(RESERVE, budget // 4),
            counter,
            lambda name, first, last: self._folder_of(name).lines_of_hit(name, first, last),
        )
        if found.spans or found.left_out:
            text = _with_rest(found, budget, counter)
        else:
            text = "\n".join(folder.why_nothing(query, folder.glob(path)) for folder in asked)
        return _within(budget, _with_sizes(text, asked, budget, counter), counter)

    def refresh(self) -> None:
        """Bring what is indexed up to date, once a first index is there."""
        for folder in self.folders:
            if not folder.indexing.is_running:
                folder.repository.refresh()

    def is_indexing(self, path: str | None = None) -> bool:
        """Whether a first index that a search would need is being built."""
        return any(folder.indexing.is_running for folder in self._asked(path))

    def read_span(
        self,
        path: str,
        start_line: int = 1,
        end_line: int | None = None,
        budget: int = DEFAULT_BUDGET,
    ) -> str:
        """Lines of a file, as many as fit in a budget."""
        # Where one found it, `path:start-end` may be handed back as it is.
        path, start_line, end_line = _located(path, start_line, end_line)
        lines = self._folder_of(path).lines(path)
        if lines and lines[-1] == "":
            lines.pop()
        last = len(lines) if end_line is None else min(end_line, len(lines))
        if start_line > len(lines):
            raise InputError(f"{path} has {len(lines)} lines; ask for one of them")
        if last < start_line:
            raise InputError(f"line {end_line} comes before line {start_line}; turn them round")
        counter = token_counter(exact=False)
        wanted = [line.removesuffix("\r") for line in lines[start_line - 1 : last]]
        fits = _fitting(wanted, budget - RESERVE, counter)
        if fits == 0:
            raise InputError(
                f"line {start_line} of {path} alone needs more than {budget} tokens;"
                " raise the budget"
            )
        stop = start_line + fits - 1
        text = f"{path}:{start_line}-{stop}\n" + "\n".join(wanted[:fits]) + "\n"
        if stop < last:
            text += f"[cut at {budget} tokens; go on with start_line={stop + 1}]\n"
        elif stop < len(lines):
            text += f"[the file has {len(lines)} lines]\n"
        return _within(budget, text, counter)

    def status(self) -> str:
        """What is served and indexed, one paragraph for each folder."""
        parts = []
        for folder in self.folders:
            name = folder.prefix.rstrip("/") or folder.root.path.name
            if folder.indexing.is_running:
                parts.append(f"{name}: being indexed ({folder.indexing})")
                continue
            found = folder.repository.status()
            languages = folder.languages()
            shares = ", ".join(f"{name} {count:,}" for name, count in languages.most_common(6))
            state = (
                f"{languages.total():,} files indexed"
                if found.num_chunks
                else "not indexed yet; the first search does it"
            )
            lines = [
                f"{name}: {state}",
                f"languages: {shares}" if shares else "",
                f"analyzer {found.analyzer}, q {found.q:.3f}",
                f"changed since: {found.pending}, removed: {found.removed}"
                if found.num_chunks and (found.pending or found.removed)
                else "",
                *(f"left out: {count} {reason}" for reason, count in found.skipped.most_common(4)),
                *folder.repository.notices[-2:],
            ]
            parts.append("\n".join(line for line in lines if line))
        return _within(MIN_BUDGET * 4, "\n\n".join(parts) + "\n", token_counter(exact=False))

    def _ranked(
        self,
        asked: Sequence[ServedFolder],
        query: str,
        path: str | None,
        language: str | None,
        weighting: Weighting,
    ) -> Iterator[CodeHit]:
        """The spans of all folders in one order, as if they were one repository."""
        if len(asked) == 1:
            return asked[0].hits(query, language, path, weighting=weighting)
        ratios = idf_ratios([folder.repository.index for folder in asked], query)
        each = (
            folder.hits(query, language, path, ratio, weighting)
            for folder, ratio in zip(asked, ratios, strict=True)
        )
        merged = heapq.merge(*each, key=lambda hit: -hit.score)
        return (replace(hit, rank=rank) for rank, hit in enumerate(merged, 1))

    def _asked(self, path: str | None) -> Sequence[ServedFolder]:
        """The folders a path glob may lie in."""
        if path is None or len(self.folders) == 1:
            return self.folders
        named = [folder for folder in self.folders if path.startswith(folder.prefix)]
        return named or self.folders

    def _folder_of(self, path: str) -> ServedFolder:
        for folder in self.folders:
            if path.startswith(folder.prefix):
                return folder
        names = ", ".join(folder.prefix for folder in self.folders)
        raise InputError(f"{path[:200]!r} is in none of the folders served: {names}")


def _with_rest(found: Context, budget: int, counter: TokenCounter) -> str:
    """The spans, and as much of what found no room as there is room to say."""
    if not found.left_out:
        return found.text
    if not found.spans:
        best = found.left_out[0]
        return (
            f"The best match, {best.location}, doesn't fit in {budget} tokens; raise the budget or"
            " read_span a part of it.\n"
        )
    for shown in range(min(NAMED, len(found.left_out)), -1, -1):
        names = ", ".join(map(_named, found.left_out[:shown]))
        more = len(found.left_out) - shown
        others = f"{', and ' if shown else ''}{more} more" if more else ""
        text = f"{found.text}\n[no room for: {names}{others}]\n"
        if counter.count(text) <= budget:
            return text
    return found.text


def _with_sizes(
    text: str, asked: Sequence[ServedFolder], budget: int, counter: TokenCounter
) -> str:
    """An answer, and what wasn't searched for it because of its size."""
    in_part, left_out = map(sum, zip(*(each.repository.cut_short for each in asked), strict=True))
    if not in_part and not left_out:
        return text
    told = f"{text}[too large: {in_part} files searched in part, {left_out} not at all]\n"
    return told if counter.count(told) <= budget else text


def _named(hit: CodeHit) -> str:
    return f"{hit.location} {hit.symbol}".rstrip()


def _fitting(lines: Sequence[str], budget: int, counter: TokenCounter) -> int:
    """How many of the first lines fit in a budget."""
    if counter.count("\n".join(lines)) <= budget:
        return len(lines)
    low, high = 0, len(lines)
    while high - low > 1:
        middle = (low + high) // 2
        if counter.count("\n".join(lines[:middle])) <= budget:
            low = middle
        else:
            high = middle
    return low


def _within(budget: int, text: str, counter: TokenCounter) -> str:
    """A text that keeps to a budget whatever was miscounted on the way; whole lines are cut."""
    if counter.count(text) <= budget:
        return text
    lines = text.split("\n")
    return "\n".join(lines[: _fitting(lines, budget, counter)])


def _located(path: str, start: int, end: int | None) -> tuple[str, int, int | None]:
    """A path and lines, from `path:start-end` where lines weren't given apart."""
    bare, colon, span = path.rpartition(":")
    first, dash, last = span.partition("-")
    numbers = first.isdecimal() and (not dash or last.isdecimal())
    if not colon or not numbers or start != 1 or end is not None or len(span) > 20:
        return path, start, end
    return bare, max(int(first), 1), int(last) if dash else None
