"""One contract, every engine, over code and text: scores, rankings, counts, refusals.

With QIDF_ENGINE_RESULTS=FILE the measured differences are written there; docs/engine_matrix.py
makes docs/engines.md of them.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from engine_corpora import NAMES, corpus
from engine_reference import Reference
from engines_under_test import UNDER_TEST, UnderTest
from hypothesis import given, settings
from hypothesis import strategies as st
from lucene_under_test import Lucene
from opensearch_under_test import SERVERS_UNDER_TEST

from qidf.engines import Engine
from qidf.errors import InvalidArgumentError, UnknownIdError
from qidf.statistics import CorpusStats, predict_q
from qidf.weighting import AUTO, Weighting, decide

# Boosts and sums are float32 in some engines; adding up hundreds of terms loses another digit.
TOLERANCE = 1e-6
LONG_TOLERANCE = 1e-5
# What a few roundings to float32 come to, of the weights a score is made of.
ROUNDINGS = 4 * 2.0**-24
IN_DOUBLE = {"sqlite", "duckdb", "xapian"}

# Servers take their time, so each has one of the corpora.
BENCHES = [(kind, name) for kind in (*UNDER_TEST, Lucene) for name in NAMES] + [
    (kind, NAMES[at % len(NAMES)]) for at, kind in enumerate(SERVERS_UNDER_TEST)
]

RESULTS: dict[str, dict[str, Any]] = {}


class Bench:
    """An engine over one corpus with its reference."""

    def __init__(self, kind: type[UnderTest], name: str, folder: Path) -> None:
        self.documents = corpus(name)
        self.under_test = kind(self.documents, folder)
        self.engine: Engine = self.under_test.connect()
        self.tokens = {
            key: self.under_test.tokens(self.engine, text) for key, text in self.documents.items()
        }
        self.reference = Reference(self.tokens, kind.conventions)
        # Words as they stand in the documents, so that queries go through the analysis too.
        self.words = sorted({word for text in self.documents.values() for word in text.split()})
        self.record = RESULTS.setdefault(kind.name, {})
        self.record["engine"] = self.engine.name + kind.setting
        self.record["capabilities"] = asdict(self.engine.capabilities)

    def note(self, name: str, value: float) -> None:
        self.record[name] = max(value, self.record.get(name, 0.0))


@pytest.fixture(
    scope="module",
    params=BENCHES,
    ids=lambda param: f"{param[0].name}-{param[1]}",
)
def bench(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    kind, name = request.param
    made = Bench(kind, name, tmp_path_factory.mktemp(f"{kind.name}-{name}"))
    yield made
    made.engine.close()
    made.under_test.close()


@pytest.fixture(scope="module", autouse=True)
def results() -> Iterator[None]:
    yield
    path = os.environ.get("QIDF_ENGINE_RESULTS")
    if path:
        # Engines that aren't here keep what was measured elsewhere.
        kept = json.loads(Path(path).read_text("utf-8")) if Path(path).exists() else {}
        merged = {**kept, **RESULTS}
        Path(path).write_text(json.dumps(merged, indent=2, sort_keys=True) + "\n", "utf-8")


def difference(measured: float, expected: float, rounding: float = 0.0) -> float:
    return max(abs(measured - expected) - rounding, 0.0) / max(abs(expected), 1e-12)


def largest_difference(
    hits: list[tuple[Any, float]],
    reference: Reference,
    query: list[str],
    q: Weighting | float,
    k: int,
    rounding: float = 0.0,
) -> float:
    """Compare a ranking with scoring everything; equal scores may come in any order."""
    expected = reference.ranking(query, q)
    scores = dict(expected)
    if len(hits) != min(k, len(expected)):
        # A score that cancels out to nothing may fall on either side of zero, and nothing else.
        shorter = min(len(hits), len(expected))
        apart = [score for _, score in (*hits[shorter:], *expected[shorter:k])]
        assert max(apart) <= max(1e-9, rounding)
    worst = 0.0
    for (doc_id, score), (_, wanted) in zip(hits, expected, strict=False):
        own = scores.get(doc_id, 0.0)
        worst = max(worst, difference(score, wanted, rounding), difference(own, score, rounding))
    assert len({doc_id for doc_id, _ in hits}) == len(hits)
    return worst


queries = st.lists(
    st.tuples(st.floats(0, 1, exclude_max=True), st.integers(1, 3)), min_size=1, max_size=8
)
# 1 apart: there the engine's own query is sent.
qs = st.one_of(
    st.floats(-0.25, 0.98), st.floats(1.02, 1.8), st.sampled_from([0.01, 0.5, 0.54, 0.9])
)


def said(bench: Bench, picks: list[tuple[float, int]]) -> str:
    """A query of words picked by place in the vocabulary, some of them repeated."""
    words = [bench.words[int(place * len(bench.words))] for place, _ in picks]
    return " ".join(f"{word} " * times for word, (_, times) in zip(words, picks, strict=True))


@settings(max_examples=40, derandomize=True)
@given(
    picks=queries,
    formula=st.sampled_from(["qlog1p", "qlog"]),
    q=qs,
    k3=st.sampled_from([None, 0.0, 1.0, 7.5]),
    k=st.integers(1, 30),
)
def test_scores_are_the_formula_and_the_best_k_are_those_of_scoring_everything(
    bench: Bench,
    picks: list[tuple[float, int]],
    formula: str,
    q: float,
    k3: float | None,
    k: int,
) -> None:
    text = said(bench, picks)
    weighting = Weighting(formula, q, k3)
    result = bench.engine.search(text, k, weighting=weighting)
    hits = [(hit.id, hit.score) for hit in result]
    assert [hit.rank for hit in result] == list(range(1, len(hits) + 1))
    assert result.decision.weighting == weighting
    query = bench.engine.analyze(text)
    rounding = 0.0
    if bench.under_test.name not in IN_DOUBLE:
        rounding = ROUNDINGS * bench.reference.scale(query, weighting)
    assert largest_difference(hits, bench.reference, query, weighting, k, rounding) <= TOLERANCE
    bench.note("score_difference", largest_difference(hits, bench.reference, query, weighting, k))
    bench.record["queries"] = bench.record.get("queries", 0) + 1


@settings(max_examples=15, derandomize=True)
@given(picks=queries, k=st.integers(1, 30))
def test_q_1_is_the_ranking_of_the_engine_itself(
    bench: Bench, picks: list[tuple[float, int]], k: int
) -> None:
    text = said(bench, picks)
    tokens = bench.engine.analyze(text)
    if not tokens:
        return
    ours = [(hit.id, hit.score) for hit in bench.engine.search(text, k, 1.0)]
    theirs = bench.under_test.own_ranking(text, tokens, k)
    # DuckDB adds up in threads, in an order of its own; everyone else gives the same bits.
    assert [score for _, score in ours] == pytest.approx(
        [score for _, score in theirs], rel=1e-12 if bench.under_test.name == "duckdb" else 0
    )
    if bench.under_test.name != "duckdb":
        assert ours == theirs


@pytest.mark.parametrize("q", [1.0, 0.5])
def test_a_rewritten_query_finds_the_same_through_the_users_own_client(
    bench: Bench, q: float
) -> None:
    text = said(bench, [(0.3, 1), (0.55, 2), (0.8, 1)])
    rewritten = bench.engine.rewrite(text, q)
    assert rewritten.decision.weighting.q == q
    theirs = bench.under_test.run_native(rewritten.query, 10)
    ours = [(hit.id, hit.score) for hit in bench.engine.search(text, 10, q)]
    assert [score for _, score in ours] == pytest.approx([s for _, s in theirs], rel=TOLERANCE)
    assert len(ours) > 0


def test_counts_are_those_of_the_documents(bench: Bench) -> None:
    terms = [*list(bench.reference.doc_freqs)[:300], "nosuchwordanywhere"]
    found = bench.engine.statistics(terms)
    assert found.num_docs == bench.reference.num_docs
    assert dict(found.doc_freqs) == {term: bench.reference.doc_freqs[term] for term in terms}


def test_htok_is_exact(bench: Bench) -> None:
    # Engines that can't enumerate count every document of an index as small as this one.
    found = bench.engine.corpus_stats()
    expected = CorpusStats.from_tokens(bench.tokens.values())
    assert (found.num_docs, found.vocab_size) == (expected.num_docs, expected.vocab_size)
    assert found.num_tokens == expected.num_tokens
    assert found.htok == expected.htok
    assert found.htok_ci95 is None
    assert found.median_df == expected.median_df
    assert bench.engine.decide(weighting="paper").weighting.q == predict_q(expected)
    enumerates = bench.engine.capabilities.enumerates_vocabulary
    bench.record["htok"] = "exact" if enumerates else "sampled"


def test_auto_is_what_is_decided_for_the_corpus_and_the_query(bench: Bench) -> None:
    stats = CorpusStats.from_tokens(bench.tokens.values())
    for text in (said(bench, [(0.4, 1), (0.7, 1)]), f"f({said(bench, [(0.4, 2)])}) = x.y;"):
        decision = decide(AUTO, stats, query=text)
        found = bench.engine.search(text, 5)
        assert found.decision.weighting == decision.weighting
        asked = bench.engine.search(text, 5, weighting=decision.weighting)
        assert [hit.score for hit in found] == pytest.approx([hit.score for hit in asked])


def test_what_bm25_finds_is_found_at_every_q(bench: Bench) -> None:
    common = [word for word, _ in bench.reference.doc_freqs.most_common(2)]
    text = f"{' '.join(common)} {said(bench, [(0.3, 2), (0.6, 1)])}"
    expected = {hit.id for hit in bench.engine.search(text, 2_000, weighting="bm25")}
    for q, k3 in ((0.1, 1.0), (0.99, math.inf), (1.5, 1.0)):
        found = bench.engine.search(text, 2_000, q, k3=k3)
        assert not [note for note in found.notes if note.kind == "clamped"]
        if bench.under_test.name != "sqlite":
            assert {hit.id for hit in found} == expected
        else:
            # FTS5's own idf is a millionth for such words, and what it adds can be lost.
            assert {hit.id for hit in found} >= expected


def test_a_whole_document_is_a_query(bench: Bench) -> None:
    longest = max(bench.tokens, key=lambda key: len(set(bench.tokens[key])))
    text = bench.documents[longest]
    query = bench.engine.analyze(text)
    assert len(set(query)) > 150
    result = bench.engine.search(text, 10, 0.5)
    assert not [note for note in result.notes if note.kind == "dropped"]
    hits = [(hit.id, hit.score) for hit in result]
    weighting = result.decision.weighting
    worst = largest_difference(hits, bench.reference, query, weighting, 10)
    assert worst <= LONG_TOLERANCE
    bench.note("long_query_difference", worst)
    bench.note("long_query_terms", len(set(query)))


def test_thousands_of_terms_are_a_query(bench: Bench) -> None:
    words = bench.words[:: max(len(bench.words) // 3_000, 1)]
    result = bench.engine.search(" ".join(words), 5, 0.5)
    assert len(result) == 5
    query = bench.engine.analyze(" ".join(words))
    bench.note("long_query_terms", len(set(query)))
    if not [note for note in result.notes if note.kind == "dropped"]:
        hits = [(hit.id, hit.score) for hit in result]
        weighting = result.decision.weighting
        assert largest_difference(hits, bench.reference, query, weighting, 5) <= LONG_TOLERANCE


def test_a_word_in_most_documents_weighs_less_than_nothing_only_by_the_papers_formula(
    bench: Bench,
) -> None:
    common, doc_freq = bench.reference.doc_freqs.most_common(1)[0]
    if doc_freq <= bench.reference.num_docs / 2:
        pytest.skip("no word of this corpus is in most documents under this analysis")
    key = next(key for key, tokens in bench.tokens.items() if common in tokens)
    rare = min(bench.tokens[key], key=lambda term: bench.reference.doc_freqs[term])
    plan = bench.engine.plan([common, rare], Weighting("qlog1p", 0.5, 1.0))  # type: ignore[attr-defined]
    assert [boost.term for boost in plan.boosts if boost.weight > 0] == [common, rare]
    assert plan.notes == ()
    plan = bench.engine.plan([common, rare], Weighting("qlog", 0.5, None))  # type: ignore[attr-defined]
    if bench.engine.capabilities.takes_negative_weights:
        assert [boost.term for boost in plan.boosts if boost.weight < 0] == [common]
        assert plan.notes == ()
    else:
        assert [boost.term for boost in plan.clamped] == [common]
        assert [(note.kind, note.terms) for note in plan.notes] == [("clamped", (common,))]
        assert common in str(plan.notes[0])


def test_repeated_words_count_as_the_engine_counts_them(bench: Bench) -> None:
    word = next(
        word
        for word in bench.words
        if len(bench.engine.analyze(word)) == 1 and len(bench.engine.search(word, 1, 0.5))
    )
    once, thrice = (bench.engine.search(text, 1, 0.5) for text in (word, f"{word} {word} {word}"))
    ratio = {"add up": 3.0, "count once": 1.0}[bench.engine.capabilities.duplicate_terms]
    assert thrice[0].score == pytest.approx(ratio * once[0].score, rel=TOLERANCE)
    saturated = bench.engine.search(f"{word} {word} {word}", 1, 0.5, k3=1)
    assert saturated[0].score == pytest.approx(1.5 * once[0].score, rel=TOLERANCE)


def test_a_filter_leaves_scores_alone(bench: Bench) -> None:
    text = said(bench, [(0.25, 1), (0.5, 1), (0.75, 1)])
    everything = bench.engine.search(text, 200, 0.5)
    ids = [*[hit.id for hit in everything][1::2], "f999", "s299"]
    ids = [doc_id for doc_id in ids if doc_id in bench.documents]
    for q in (0.5, 1.0):
        allowed = {hit.id: hit.score for hit in bench.engine.search(text, 2_000, q)}
        found = bench.engine.search(text, 2_000, q, filter=bench.under_test.filter_to(ids))
        assert {hit.id for hit in found} == set(ids) & set(allowed)
        for hit in found:
            assert hit.score == pytest.approx(allowed[hit.id], rel=TOLERANCE)


@pytest.mark.parametrize("q", [1.0, 0.4])
def test_an_explanation_adds_up_to_the_score(bench: Bench, q: float) -> None:
    text = said(bench, [(0.2, 1), (0.45, 2), (0.65, 1), (0.9, 1)])
    for hit in bench.engine.search(text, 3, q):
        explained = bench.engine.explain(text, hit.id, q)
        assert explained.score == pytest.approx(hit.score, rel=TOLERANCE)
        assert explained.decision.weighting.q == q
        assert explained.score == pytest.approx(sum(t.contribution for t in explained.terms))
        assert [term.token for term in explained.terms] == list(
            dict.fromkeys(bench.engine.analyze(text))
        )
        assert str(explained.id) in str(explained)


def test_an_unknown_id_is_refused(bench: Bench) -> None:
    with pytest.raises(UnknownIdError):
        bench.engine.explain("word", "no-such-document", 0.5)


def test_a_query_without_words_finds_nothing(bench: Bench) -> None:
    for q in (1.0, 0.5, "auto"):
        for text in ("", "  \n", '"\\*()[]{}^~:+-!', "nosuchwordanywhere"):
            assert bench.engine.search(text, 3, q).hits == ()


def test_odd_characters_are_no_syntax(bench: Bench) -> None:
    text = next(text for text in bench.documents.values() if len(text) > 40)
    odd = f'"\\({text}"^2 AND OR NOT NEAR -x +y * ~1 [a TO b] {{}} \N{SNOWMAN} \x00 field:value'
    for q in (1.0, 0.5):
        assert len(bench.engine.search(odd, 3, q)) == 3


@pytest.mark.parametrize("k", [0, -1, 2.5, True])
def test_k_is_a_whole_number(bench: Bench, k: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="k must be a whole number"):
        bench.engine.search("word", k)


@pytest.mark.parametrize("q", ["most", float("nan"), []])
def test_q_is_a_number_or_auto(bench: Bench, q: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="q "):
        bench.engine.search("word", 3, q)


def test_a_text_is_a_string(bench: Bench) -> None:
    with pytest.raises(InvalidArgumentError, match="a query can't be a list"):
        bench.engine.search(["word"], 3, 0.5)  # type: ignore[arg-type]


def test_nothing_is_written_to_the_index(bench: Bench) -> None:
    if bench.under_test.folder is None:
        pytest.skip("the index is open for writing elsewhere and its file changes by itself")
    before = digest(bench.under_test.folder)
    with bench.under_test.connect() as engine:
        for q in (1.0, 0.5, "auto"):
            engine.search(said(bench, [(0.3, 1), (0.6, 1)]), 5, q)
        engine.corpus_stats()
        engine.explain("word", next(iter(bench.documents)), 0.5)
    assert digest(bench.under_test.folder) == before


def digest(folder: Path) -> dict[str, str]:
    # Lock files come and go with readers.
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(("-shm", "-wal", ".lock", "flintlock"))
    }


@pytest.mark.parametrize(
    "kind", [*UNDER_TEST, Lucene, *SERVERS_UNDER_TEST], ids=lambda kind: kind.name
)
def test_deleted_documents_count_as_the_engine_counts_them(
    kind: type[UnderTest], tmp_path: Path
) -> None:
    documents = dict(list(corpus("code").items())[:200])
    under_test = kind(documents, tmp_path)
    with under_test.connect() as engine:
        tokens = {key: under_test.tokens(engine, text) for key, text in documents.items()}
    gone = list(documents)[::7]
    if not under_test.delete(gone):
        under_test.close()
        pytest.skip("this engine's index can't change")
    with under_test.connect() as engine:
        live = {key: tokens[key] for key in documents if key not in gone}
        lingering = {key: tokens[key] for key in gone}
        counted = lingering if engine.capabilities.counts_deleted else None
        reference = Reference(live, kind.conventions, counted)
        for key in list(live)[:40:4]:
            text = documents[key]
            found = engine.search(text, 10, 0.5)
            hits = [(hit.id, hit.score) for hit in found]
            assert not {doc_id for doc_id, _ in hits} & set(gone)
            query, weighting = engine.analyze(text), found.decision.weighting
            assert largest_difference(hits, reference, query, weighting, 10) <= LONG_TOLERANCE
        found = engine.corpus_stats()
        if found.htok_ci95 is None:
            # Those that read documents rather than the vocabulary see the live ones alone.
            held = live if found.num_docs == len(live) else {**live, **(counted or {})}
            assert found.htok == CorpusStats.from_tokens(held.values()).htok
        else:
            exact = CorpusStats.from_tokens({**live, **lingering}.values()).htok
            assert found.htok_ci95[0] <= exact <= found.htok_ci95[1]
    under_test.close()


def test_sampled_htok_covers_the_exact_one_at_its_rate(tmp_path: Path) -> None:
    kind = next(kind for kind in UNDER_TEST if kind.name == "tantivy")
    under_test = kind(corpus("code"), tmp_path)
    with under_test.connect() as engine:
        exact = engine.corpus_stats().htok
        sampled = engine.corpus_stats(sample=150)
    assert sampled.sampled == 150
    assert sampled.htok_ci95 is not None
    assert sampled.htok_ci95[0] <= exact <= sampled.htok_ci95[1]


def test_wilsons_interval_covers_the_share_at_its_rate() -> None:
    from qidf.engines.sampling import wilson

    random = np.random.default_rng(5)
    population = 5_000
    for share in (0.5, 0.9, 0.98):
        covered = 0
        for _ in range(1_000):
            successes = int(
                random.hypergeometric(
                    round(share * population), population - round(share * population), 400
                )
            )
            low, high = wilson(successes, 400, population)
            covered += low <= share <= high
        assert covered >= 930


def test_public_names_lead_to_the_contract() -> None:
    import qidf.engines

    for name in qidf.engines.__all__:
        assert getattr(qidf.engines, name).__name__ == name
    assert isinstance(qidf.connect(qidf.Index.build(["a text"])), Engine)
