"""A repository as a caller holds it: open, refresh, search, explain, pack, look after."""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from qidf.errors import CorruptIndexError, InputError, InvalidArgumentError
from qidf.index import Index, ScoringOptions
from qidf.index.results import checked_k
from qidf.repository.file_records import FileRecords
from qidf.repository.hits import best_hits, folded, hits_in_order
from qidf.repository.matching import Matcher, language_names, path_matcher
from qidf.repository.question import read_question
from qidf.repository.ranking import CODE_B, CODE_K1, FileTables, SpanScores, of_code, score_spans
from qidf.repository.reading import TOO_LARGE, RecentFiles, read_source
from qidf.repository.results import CodeHit, Refresh, RepositoryStatus, SourceLine
from qidf.repository.roots import cache_directory, find_root
from qidf.repository.scanning import Changes, scan, settle_listing
from qidf.repository.state import State, chunk_id, parse_chunk_id
from qidf.repository.store import CHUNKING, Settings, Store
from qidf.statistics import CorpusStats
from qidf.weighting import AUTO, BM25, Advice, Decision, Kind, Parts, advise, wanted

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from qidf.index import Document
    from qidf.repository.analyzers import AnalyzerChoice
    from qidf.repository.context import Context
    from qidf.repository.explanation import SpanExplanation
    from qidf.repository.indexing import ChangedFiles

Q = float | str
Progress = Callable[[int, int], None]
Notify = Callable[[str], None]

_MOST_DIGITS = 18
# Spans that are read for a text that they have to hold, best first.
_MOST_READ = 20_000


class Repository:
    """A folder of code with an index that is brought up to date by every search.

    The index is kept in the user's cache, or in memory where that can't be written. One object may
    be used from several threads.
    """

    def __init__(
        self,
        root: Path,
        *,
        analyzer: str | None = None,
        max_bytes: int | None = None,
        directory: Path | None = None,
        progress: Progress | None = None,
        notify: Notify | None = None,
    ) -> None:
        """Use `open`."""
        self.root = root
        self.notices: list[str] = []
        self._analyzer, self._max_bytes = analyzer, max_bytes
        self._progress, self._listener = progress, notify
        self._lock = threading.RLock()
        self._store = Store(root, directory or cache_directory(root), self._notify)
        self._files = FileTables()
        self._recent = RecentFiles(root)

    @classmethod
    def open(
        cls,
        path: str | Path = ".",
        *,
        analyzer: str | None = None,
        max_bytes: int | None = None,
        directory: str | Path | None = None,
        progress: Progress | None = None,
        notify: Notify | None = None,
    ) -> Repository:
        """Open the repository that a path lies in; nothing is indexed before it is needed.

        `analyzer` and `max_bytes` (of a file) override what is chosen or was chosen before;
        `directory` is where the index is kept. `progress(done, total)` is called while files are
        read, `notify(sentence)` with whatever a person should know; the same sentences are in
        `notices`.
        """
        if analyzer is not None:
            from qidf.analysis import parse_analyzer

            analyzer = str(parse_analyzer(analyzer))
        if max_bytes is not None and max_bytes < 1:
            raise InvalidArgumentError(f"max_bytes must be at least 1, not {max_bytes!r}")
        return cls(
            find_root(path),
            analyzer=analyzer,
            max_bytes=max_bytes,
            directory=None if directory is None else Path(directory),
            progress=progress,
            notify=notify,
        )

    def refresh(self, progress: Progress | None = None) -> Refresh:
        """Read what changed since the last time, and nothing else.

        A KeyboardInterrupt from `progress` stops it; what was read by then is kept.
        """
        started = time.perf_counter()
        store = self._store
        with self._lock:
            if not store.is_current():
                store.load()
            known = store.state if self._settings_hold() else None
        # Nothing has changed, most of the time, and nobody who searches need wait to hear it.
        changes = Changes() if known is None else scan(self.root, known)
        if known is not None and not changes:
            return Refresh()
        with self._lock:
            anew = not self._settings_hold()
            if anew or store.state is not known:
                changes = scan(self.root, State() if anew else store.state)
            if not changes and not anew:
                return Refresh()
            seen = store.commit
            with store.locked():
                if store.commit != seen:
                    # Another process was faster; what it made may still not be what is wanted here.
                    anew = not self._settings_hold()
                    changes = scan(self.root, State() if anew else store.state)
                if anew:
                    self._begin(changes)
                try:
                    done = self._apply(changes, progress or self._progress)
                except CorruptIndexError:
                    done = self._rebuild(progress)
            return replace(done, seconds=time.perf_counter() - started)

    def search(
        self,
        query: str,
        k: int = 10,
        *,
        q: Q | None = None,
        language: str | Collection[str] | None = None,
        path: str | Collection[str] | None = None,
        within: str | None = None,
        literal: str | None = None,
        context: int = 0,
        refresh: bool = True,
        **options: Unpack[ScoringOptions],
    ) -> list[CodeHit]:
        """The k best spans for a query: words, a sentence, an issue's text, a whole function.

        `language` names one or several languages; `path` is a glob over paths from the root, or
        several (`src/**`, `*.py`, a folder); `within` is a folder or file, from the root, to stay
        in; `literal` is a text that spans have letter for letter. `context` adds lines before and
        after each span. Without `refresh` the last state is searched. `q` and the options say how
        tokens are weighed, as for `Index.search`; k1 and b are those of spans.
        """
        with self._lock:
            if refresh or self._store.index is None:
                self.refresh()
            ask = partial(self._ranked, query, k, language, path, within, literal, q=q, **options)
            try:
                ranked = ask()
                hits = ranked(k)
            except CorruptIndexError:
                with self._store.locked():
                    self._rebuild(self._progress)
                ranked = ask()
                hits = ranked(k)
        return self._folded(hits, ranked, k, context)

    def explain(
        self,
        query: str,
        location: str,
        *,
        q: Q | None = None,
        k1: float = CODE_K1,
        b: float = CODE_B,
        **parts: Unpack[Parts],
    ) -> SpanExplanation:
        """Why the span at path:line ranks where it does, against plain BM25 over spans."""
        from qidf.repository.explanation import explain_span

        with self._lock:
            self.refresh()
            identifier = self.chunk_at(location)
            scored = self.span_scores(query, q, k1=k1, b=b, **parts)
            plain = self.index.token_scores(query, weighting=BM25, k1=k1, b=b)
            return explain_span(self.index, identifier, scored, plain)

    def span_scores(
        self,
        query: str,
        q: Q | None = None,
        *,
        k1: float = CODE_K1,
        b: float = CODE_B,
        ratios: Mapping[str, float] | None = None,
        **parts: Unpack[Parts],
    ) -> SpanScores:
        """Every span's score for a query as of the last refresh, with what goes into it."""
        with self._lock:
            index, snapshot = self.index, self._store.snapshot
            segments = () if snapshot is None else snapshot.segments
            table = self._files.of(index, [stored.segment for stored in segments])
            asked, question = wanted(q=q, **parts), read_question(query)
            return score_spans(
                index, table, question, asked, k1=k1, b=b, text_of=self._text_of, ratios=ratios
            )

    def context(
        self,
        query: str,
        budget: int = 8000,
        *,
        q: Q | None = None,
        language: str | Collection[str] | None = None,
        path: str | Collection[str] | None = None,
        within: str | None = None,
        literal: str | None = None,
        exact: bool = False,
        **options: Unpack[ScoringOptions],
    ) -> Context:
        """The best spans that fit in a budget of cl100k_base tokens, as a block for a prompt.

        Spans are taken until there is no room for another, or no other that matches.
        Counts are estimates, and named so, where the extra `tokens` isn't installed, unless they
        have to be `exact`.
        """
        from qidf.repository.context import pack
        from qidf.token_counts import token_counter

        counter = token_counter(exact=exact)
        with self._lock:
            self.refresh()
            hits = self.hits_in_order(
                query, q=q, language=language, path=path, within=within, literal=literal, **options
            )
            return pack(hits, budget, counter, self.lines)

    def hits_in_order(
        self,
        query: str,
        *,
        q: Q | None = None,
        language: str | Collection[str] | None = None,
        path: str | Collection[str] | None = None,
        within: str | None = None,
        literal: str | None = None,
        ratios: Mapping[str, float] | None = None,
        **options: Unpack[ScoringOptions],
    ) -> Iterator[CodeHit]:
        """All spans that match as of the last refresh, best first, without their lines.

        `ratios` make scores comparable with another repository's (`ranking.idf_ratios`).
        """
        with self._lock:
            if not len(self.index):
                return iter(())
            matches = path_matcher(_names(path), within)
            languages = language_names(_names(language))
            ask = partial(self.span_scores, query, q, ratios=ratios, **options)
            try:
                scored = ask()
            except CorruptIndexError:
                with self._store.locked():
                    self._rebuild(self._progress)
                scored = ask()
            return hits_in_order(scored.index, scored, languages, matches, self._holding(literal))

    def decide(
        self, query: str | None = None, q: Q | None = None, **parts: Unpack[Parts]
    ) -> Decision:
        """What a query is weighed with here, and why; without a query, what any text is."""
        return self.index.decide(query, weighting=of_code(wanted(q=q, **parts)))

    def advise(self, *, can_change_analyzer: bool = False, kind: Kind | None = None) -> Advice:
        """What to do about this code, as of the last refresh; see `qidf.advise`."""
        return advise(
            self.index.stats,
            can_change_analyzer=can_change_analyzer,
            analyzer=self.index.analyzer,
            kind=kind,
            asked=of_code(AUTO),
        )

    def status(self) -> RepositoryStatus:
        """What is indexed, how, what isn't, and what a refresh would read."""
        with self._lock:
            store = self._store
            if not store.is_current():
                store.load()
            changes = scan(self.root, store.state)
            return self._status(changes)

    @property
    def index(self) -> Index:
        """The index of chunks; their ids are path:start-end."""
        if self._store.index is None:
            self.refresh()
        if self._store.index is None:
            raise InputError(f"{self.root} could not be indexed; check that it can be read")
        return self._store.index

    @property
    def directory(self) -> Path | None:
        """Where the index is stored; None when it is in memory only."""
        return self._store.directory

    @property
    def cut_short(self) -> tuple[int, int]:
        """How many files are searched in part for their size, and how many not at all."""
        limit = (self._store.settings or Settings()).max_bytes
        stamps = self._store.state.files.stamps()
        large = [self.files[path] for path, stamp in stamps if stamp[0] > limit]
        searched = sum(1 for each in large if each.spans)
        return searched, sum(1 for each in large if each.reason == TOO_LARGE)

    @property
    def files(self) -> FileRecords:
        """What is known of every file at the last refresh, by path from the root."""
        return self._store.state.files

    def __len__(self) -> int:
        """How many chunks are indexed."""
        return 0 if self._store.index is None else len(self._store.index)

    def __repr__(self) -> str:
        """Say what it holds and where."""
        return f"<Repository {self.root}: {len(self.files):,} files, {len(self):,} chunks>"

    def lines(self, path: str, first: int, last: int) -> Sequence[str]:
        """Lines of a file, from 1 and inclusive, as they are now; none if it has gone."""
        settings = self._store.settings or Settings()
        return self._recent.lines(path, first, last, settings.max_bytes)

    def chunk_at(self, location: str) -> str:
        """The id of the chunk at path:line, path:start-end, or of a path's first chunk."""
        path, line = self._parse_location(location)
        record = self.files.get(path)
        if record is None:
            raise InputError(
                f"{path} is not among the indexed files of {self.root}; check its path"
            )
        if record.reason or not record.spans:
            raise InputError(f"{path} is not indexed: it is {record.reason or 'empty'}")
        for span in record.spans:
            if 1 <= line <= span[1]:
                return chunk_id(path, span)
        raise InputError(
            f"{path} has nothing at line {line:,}; it is indexed up to line"
            f" {record.spans[-1][1]:,}, so check the number"
        )

    # inside

    def _notify(self, sentence: str) -> None:
        self.notices.append(sentence)
        if self._listener is not None:
            self._listener(sentence)

    def _wanted(self) -> Settings:
        """The settings asked for; what wasn't asked for is as it was."""
        from qidf.repository.indexing import can_parse

        kept = self._store.settings or Settings()
        return Settings(
            self._analyzer if self._analyzer is not None else kept.analyzer,
            self._max_bytes if self._max_bytes is not None else kept.max_bytes,
            CHUNKING,
            can_parse(),
        )

    def _settings_hold(self) -> bool:
        """Whether the stored index was made the way it would be made now."""
        kept = self._store.settings
        if kept is None or kept.chunking != CHUNKING or self._store.index is None:
            return False
        if self._analyzer is not None and self._analyzer != str(self._store.index.analyzer):
            return False
        if self._max_bytes is not None and self._max_bytes != kept.max_bytes:
            return False
        return kept.parsed or not _tree_sitter_has_come()

    def _begin(self, changes: Changes) -> None:
        settings = self._wanted()
        if not settings.parsed:
            self._notify(
                "tree-sitter is not installed, so files are cut into windows rather than functions;"
                " run: pip install 'qidf[code]'"
            )
        analyzer = settings.analyzer or self._choice(changes).analyzer
        self._store.begin(settings, analyzer)

    def _choice(self, changes: Changes | None = None) -> AnalyzerChoice:
        from qidf.repository.analyzers import choose_analyzer

        if changes is not None and changes.listing is not None:
            return choose_analyzer(
                {path: found.st_size for path, found in changes.listing.files.items()}
            )
        return choose_analyzer({path: each.stamp.size for path, each in self.files.items()})

    def _rebuild(self, progress: Progress | None) -> Refresh:
        """Index everything anew, since a file of the index has turned out to be damaged."""
        self._notify("The index was damaged and is built anew.")
        changes = scan(self.root, State())
        self._begin(changes)
        return self._apply(changes, progress)

    def _apply(self, changes: Changes, progress: Progress | None) -> Refresh:
        from qidf.repository.indexing import ChangedFiles

        store, old = self._store, self._store.state
        if store.settings is None or not changes:
            return Refresh()
        files = ChangedFiles(self.root, changes.to_read, old.files, store.settings, progress)
        outdated = [
            chunk_id(path, span) for path in changes.removed for span in old.files[path].spans
        ]
        indexed: list[str] = []

        def documents() -> Iterator[Document]:
            for path, found in files:
                indexed.append(path)
                yield from found

        gathered = documents()
        if old.files:
            # Which chunks are outdated is known once all changed files have been read.
            gathered = iter(list(gathered))
            for path in indexed:
                known = old.files.get(path)
                outdated.extend(chunk_id(path, span) for span in (known.spans if known else ()))
        if not old.files or indexed or outdated:
            store.apply(outdated, gathered)
        touched = {*changes.to_read, *changes.removed}
        state = self._next_state(old, changes, files)
        if files.interruption is not None:
            # No listing holds, so that the next refresh looks for the files that weren't read.
            state.folders = {}
        store.keep(state, touched)
        if files.interruption is not None:
            raise files.interruption
        return Refresh(len(indexed), len(changes.removed), len(changes.to_read) - len(indexed))

    def _next_state(self, old: State, changes: Changes, files: ChangedFiles) -> State:
        gone = (*changes.removed, *files.vanished)
        records = old.files.changed(files.records, gone)
        now = time.time_ns()
        state = State(records, old.folders, old.sources, old.skipped, now, old.stored)
        if changes.listing is not None:
            settle_listing(changes.listing, changes.scanned_ns)
            state.folders = changes.listing.folders
            state.sources = changes.listing.sources
            state.skipped = changes.listing.skipped
        return state

    def _ranked(
        self,
        query: str,
        k: int,
        language: str | Collection[str] | None,
        path: str | Collection[str] | None,
        within: str | None,
        literal: str | None,
        *,
        q: Q | None,
        **options: Unpack[ScoringOptions],
    ) -> Callable[[int], list[CodeHit]]:
        """What gives so many of the best spans, without their lines."""
        checked_k(k)
        matches = path_matcher(_names(path), within)
        languages = language_names(_names(language))
        if not len(self.index):
            return lambda _: []
        scored = self.span_scores(query, q, **options)
        holds = self._holding(literal)
        return lambda count: best_hits(scored.index, scored, count, languages, matches, holds)

    def _folded(
        self,
        hits: list[CodeHit],
        ranked: Callable[[int], list[CodeHit]],
        k: int,
        context: int,
    ) -> list[CodeHit]:
        """The k best spans with their lines, copies of a text as one; `ranked` gives more hits."""
        count = k
        while True:
            found = folded(self._with_lines(hit, context) for hit in hits)
            if len(found) >= k or len(hits) < count:
                return found[:k]
            count = 2 * count
            hits = ranked(count)

    def _with_lines(self, hit: CodeHit, context: int) -> CodeHit:
        first = max(1, hit.start_line - context)
        lines = self.lines(hit.path, first, hit.end_line + context)
        return replace(hit, lines=tuple(map(SourceLine, range(first, first + len(lines)), lines)))

    def _holding(self, literal: str | None) -> Matcher | None:
        """Whether the span with an id holds a text; the best spans are read, and no others."""
        if literal is None:
            return None
        known: dict[str, bool] = {}

        def holds(identifier: str) -> bool:
            if identifier not in known:
                known[identifier] = len(known) < _MOST_READ and literal in self._text_of(identifier)
            return known[identifier]

        return holds

    def _text_of(self, identifier: str) -> str:
        return "\n".join(self.lines(*parse_chunk_id(identifier)))

    def _parse_location(self, location: str) -> tuple[str, int]:
        """A path from the root, and a line; the path may be given from the current folder too."""
        path, colon, lines = location.rpartition(":")
        first = lines.partition("-")[0]
        if not colon or not first.isdecimal():
            path, first = location, "1"
        if path not in self.files:
            absolute = os.path.realpath(path)
            if absolute.startswith(f"{self.root}{os.sep}"):
                path = os.path.relpath(absolute, self.root).replace(os.sep, "/")
        # No file has more lines, and Python reads no longer number.
        return path, int(first[:_MOST_DIGITS])

    def _has_changed(self, path: str) -> bool:
        """Whether a file that would be read again is really another; see `Stamp`."""
        known = self.files.get(path)
        if known is None:
            return True
        settings = self._store.settings or Settings()
        found = read_source(self.root, path, settings.max_bytes)
        return found.digest != known.digest

    def _status(self, changes: Changes) -> RepositoryStatus:
        store = self._store
        files = store.state.files
        index = store.index
        stats = CorpusStats(0, 0, 0, 0.0) if index is None else index.stats
        analyzer = self._choice(changes).analyzer if index is None else str(index.analyzer)
        advice = advise(stats, analyzer=analyzer, asked=of_code(AUTO))
        settings = store.settings or Settings()
        overridden = settings.analyzer is not None
        skipped = Counter(store.state.skipped)
        skipped.update(each.reason for each in files.values() if each.reason)
        return RepositoryStatus(
            self.root,
            store.directory if index is not None else None,
            sum(1 for each in files.values() if each.spans),
            0 if index is None else len(index),
            Counter(each.language or "unknown" for each in files.values() if each.spans),
            analyzer,
            "it was asked for" if overridden else self._choice(changes).reason,
            float(advice.weighting.q or 1.0),
            advice.reason,
            repr(advice.weighting),
            repr(advice.code_weighting),
            stats.htok,
            store.size_bytes if index is not None else 0,
            store.state.refreshed_ns,
            settings.max_bytes,
            settings.parsed,
            sum(map(self._has_changed, changes.to_read)),
            len(changes.removed),
            skipped,
            Counter(each.notice for each in files.values() if each.notice),
        )


def _names(given: str | Collection[str] | None) -> list[str] | None:
    if given is None:
        return None
    return [given] if isinstance(given, str) else list(given) or None


def _tree_sitter_has_come() -> bool:
    """Whether an index of windows could be one of functions by now."""
    from importlib.util import find_spec

    return find_spec("tree_sitter_language_pack") is not None
