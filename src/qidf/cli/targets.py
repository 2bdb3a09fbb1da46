"""Counts of anything a command can be pointed at: an index, a bm25s folder, documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from qidf.cli.reading import report_skipped, tracked
from qidf.corpora import BM25S, INDEX, detect, open_corpus
from qidf.errors import InputError, MissingExtraError, UnsupportedError
from qidf.index.directory import Snapshot, read_snapshot
from qidf.statistics import CorpusStats

if TYPE_CHECKING:
    from qidf.index.segment import Segment


@dataclass(frozen=True, slots=True)
class Examined:
    """What was counted, where, and with which analyzer; None where an engine doesn't say."""

    stats: CorpusStats
    kind: str
    analyzer: str | None


def examine(
    target: Path, analyzer: str | None = None, *, details: bool = True, zipf: bool = False
) -> Examined:
    """Count a target's documents, tokens and hapaxes, exactly.

    A qidf index answers with what it stored, and in no time unless `details` are wanted. A bm25s
    index is counted itself where its scores allow it, its corpus otherwise or if an analyzer is
    named. Documents are analyzed as `qidf index` would.
    """
    kind = detect(target)
    if kind == INDEX:
        snapshot = read_snapshot(target)
        if analyzer is not None and analyzer != snapshot.analyzer:
            raise InputError(
                f"{target} was indexed with the analyzer {snapshot.analyzer}, and an index keeps no"
                " texts to analyze again; give the documents instead"
            )
        return Examined(_index_stats(snapshot, details, zipf), kind, snapshot.analyzer)
    if kind == BM25S and analyzer is None and not zipf:
        try:
            return Examined(_bm25s_stats(target), kind, None)
        except (MissingExtraError, UnsupportedError) as error:
            refusal = error
        try:
            return _documents(target, kind, "generic", zipf)
        except InputError as error:
            raise refusal from error
    return _documents(target, kind, analyzer or "generic", zipf)


def _index_stats(snapshot: Snapshot, details: bool, zipf: bool) -> CorpusStats:
    if not (details or zipf):
        return snapshot.totals.as_stats()
    return _counted([stored.segment for stored in snapshot.segments], zipf)


def _bm25s_stats(target: Path) -> CorpusStats:
    from qidf.engines.bm25s_index import corpus_stats, load

    return corpus_stats(load(target))


def _documents(target: Path, kind: str, analyzer: str, zipf: bool) -> Examined:
    from qidf.analysis import parse_analyzer
    from qidf.index.build import build_segment

    corpus = open_corpus(target)
    texts = (document.text for document in tracked(corpus, "Reading"))
    segment = build_segment(texts, parse_analyzer(analyzer), next_position=0)
    report_skipped(corpus)
    return Examined(_counted([segment], zipf), kind, analyzer)


def _counted(segments: Sequence[Segment], zipf: bool) -> CorpusStats:
    from qidf.index.totals import frequencies

    num_docs = sum(segment.num_docs for segment in segments)
    if not segments:
        return CorpusStats.from_frequencies(0, [], [])
    return CorpusStats.from_frequencies(num_docs, *frequencies(segments), zipf=zipf)
