"""Counts of anything a command can be pointed at: an index, an engine, documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from qidf.cli.reading import report_skipped, tracked
from qidf.corpora import BM25S, INDEX, detect, open_corpus
from qidf.engines.targets import is_address, parse_target
from qidf.errors import InputError, MissingExtraError, UnsupportedError
from qidf.index.directory import Snapshot, read_snapshot
from qidf.statistics import CorpusStats

if TYPE_CHECKING:
    from qidf.index.segment import Segment


@dataclass(frozen=True, slots=True)
class Examined:
    """What was counted, where, and with which analyzer; None where an engine doesn't say."""

    target: str
    stats: CorpusStats
    kind: str
    analyzer: str | None
    # The engine's name and version, where it was an engine that was asked.
    engine: str | None = None

    def to_dict(self) -> dict[str, object]:
        """Return what a script needs besides the counts."""
        found: dict[str, object] = {
            "target": self.target,
            "kind": self.kind,
            "analyzer": self.analyzer,
        }
        if self.engine is not None:
            found["engine"] = self.engine
            found["requests"] = getattr(self.stats, "requests", 0)
            found["sampled"] = getattr(self.stats, "sampled", None)
        return found

    @property
    def cost(self) -> list[tuple[str, str]]:
        """What it took to ask an engine, for people."""
        if self.engine is None:
            return []
        rows = [("engine", self.engine)]
        requests, sampled = getattr(self.stats, "requests", 0), getattr(self.stats, "sampled", None)
        if requests:
            rows.append(("requests", f"{requests:,}"))
        return rows if sampled is None else [*rows, ("sampled", f"{sampled:,}")]


def is_repository(target: str) -> bool:
    """Whether a target is code that `qidf search` is pointed at: with git, or searched before."""
    from qidf.corpora import FILES
    from qidf.repository.roots import GIT, cache_directory, find_root
    from qidf.repository.store import SETTINGS

    if is_address(target) or not Path(target).is_dir() or detect(target) != FILES:
        return False
    root = find_root(target)
    return (root / GIT).exists() or (cache_directory(root) / SETTINGS).exists()


def examine(
    target: str,
    analyzer: str | None = None,
    *,
    details: bool = True,
    zipf: bool = False,
    sample: int | None = None,
) -> Examined:
    """Count a target's documents, tokens and hapaxes; only an engine may have to estimate.

    A qidf index answers with what it stored, and in no time unless `details` are wanted. A bm25s
    index is counted itself where its scores allow it, its corpus otherwise or if an analyzer is
    named. Documents are analyzed as `qidf index` would. `sample` is for engines.
    """
    if is_address(target):
        return _engine(target, analyzer, zipf, sample)
    kind = detect(target)
    if sample is not None:
        raise InputError(f"{target} is counted exactly and needs no sample; leave --sample out")
    if kind == INDEX:
        snapshot = read_snapshot(Path(target))
        if analyzer is not None and analyzer != snapshot.analyzer:
            raise InputError(
                f"{target} was indexed with the analyzer {snapshot.analyzer}, and an index keeps no"
                " texts to analyze again; give the documents instead"
            )
        stats = _index_stats(snapshot, details, zipf)
        return Examined(target, stats, kind, snapshot.analyzer)
    if kind == BM25S and analyzer is None and not zipf:
        try:
            return Examined(target, _bm25s_stats(target), kind, None)
        except (MissingExtraError, UnsupportedError) as error:
            refusal = error
        try:
            return _documents(target, kind, "generic", zipf)
        except InputError as error:
            raise refusal from error
    return _documents(target, kind, analyzer or "generic", zipf)


def _engine(target: str, analyzer: str | None, zipf: bool, sample: int | None) -> Examined:
    from qidf.engines import connect

    address = parse_target(target)
    if analyzer is not None or zipf:
        raise InputError(
            f"{address} is analyzed by its engine, which tells counts but no texts; leave"
            f" {'--zipf' if analyzer is None else '--analyzer'} out"
        )
    with connect(target) as engine:
        return Examined(
            str(address), engine.corpus_stats(sample), address.scheme, None, engine.name
        )


def _index_stats(snapshot: Snapshot, details: bool, zipf: bool) -> CorpusStats:
    if not (details or zipf):
        return snapshot.totals.as_stats()
    return _counted([stored.segment for stored in snapshot.segments], zipf)


def _bm25s_stats(target: str) -> CorpusStats:
    from qidf.engines.bm25s_index import corpus_stats, load

    return corpus_stats(load(target))


def _documents(target: str, kind: str, analyzer: str, zipf: bool) -> Examined:
    from qidf.analysis import parse_analyzer
    from qidf.index.build import build_segment

    corpus = open_corpus(target)
    texts = (document.text for document in tracked(corpus, "Reading"))
    segment = build_segment(texts, parse_analyzer(analyzer), next_position=0)
    report_skipped(corpus)
    return Examined(target, _counted([segment], zipf), kind, analyzer)


def _counted(segments: Sequence[Segment], zipf: bool) -> CorpusStats:
    from qidf.index.totals import frequencies

    num_docs = sum(segment.num_docs for segment in segments)
    if not segments:
        return CorpusStats.from_frequencies(0, [], [])
    return CorpusStats.from_frequencies(num_docs, *frequencies(segments), zipf=zipf)
