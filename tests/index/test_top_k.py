"""Top-k is what exhaustive scoring gives, bit for bit, by any path."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, field
from itertools import pairwise, product

import numpy as np
import pytest
import reference
from hypothesis import example, given, settings
from hypothesis import strategies as st
from random_corpora import (
    FAMILIES,
    ZipfCorpus,
    bs,
    documents,
    families,
    k1s,
    k3s,
    qs,
    queries,
    texts,
    token_lists,
)
from search_paths import POSTINGS, ROWS, all_paths, searching, segments_kept_apart

from qidf.index import Index, Ranking
from qidf.statistics import predict_q
from qidf.weighting import Weighting
from qidf.weights import GammaIdf, IdfFormula, RsjIdf


def bits(values: object) -> list[int]:
    return np.asarray(values, np.float32).view(np.uint32).tolist()


def hits_of(ranking: Ranking, row: int = 0) -> list[tuple[int, int]]:
    """Positions and score bits of one query; padding must be padding to the end."""
    positions, scores = ranking.positions[row], ranking.scores[row]
    size = int((positions >= 0).sum())
    assert (positions[:size] >= 0).all()
    assert (scores[size:] == 0).all()
    return list(zip(positions[:size].tolist(), bits(scores[:size]), strict=True))


@dataclass(frozen=True)
class Case:
    """An index in some number of segments, some of its documents deleted."""

    documents: list[list[str]]
    cuts: list[int] = field(default_factory=list)
    deleted: list[int] = field(default_factory=list)

    def build(self) -> Index:
        with segments_kept_apart():
            bounds = [0, *self.cuts, len(self.documents)]
            index = Index.build([], analyzer="whitespace")
            for start, stop in pairwise(bounds):
                index.add(texts(self.documents[start:stop]))
            index.delete(self.deleted)
        return index

    @property
    def live(self) -> list[int]:
        return [place for place in range(len(self.documents)) if place not in self.deleted]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    found = draw(token_lists)
    size = len(found)
    cuts = draw(st.lists(st.integers(0, size), max_size=3).map(sorted))
    deleted = draw(st.one_of(st.just([]), st.lists(st.integers(0, max(size - 1, 0)), unique=True)))
    return Case(found, cuts, deleted if size else [])


def expected(
    case: Case,
    query: list[str],
    weight: reference.Weight,
    k: int,
    k1: float = 1.5,
    b: float = 0.75,
    allowed: set[int] | None = None,
    k3: float | None = None,
) -> list[tuple[int, int]]:
    """Hits over the live documents, as ids and score bits."""
    live = case.live
    found = reference.scores([case.documents[place] for place in live], query, weight, k1, b, k3)
    best = reference.best(found, k, lambda place: allowed is None or live[place] in allowed)
    return [(live[place], bits([score])[0]) for place, score in best]


def by_id(index: Index, ranking: Ranking) -> list[tuple[int, int]]:
    hits = hits_of(ranking)
    ids = index.ids([position for position, _ in hits])
    return [(int(found), score) for found, (_, score) in zip(ids, hits, strict=True)]


@all_paths
@settings(max_examples=160, deadline=None, derandomize=True)
@given(
    case=cases(),
    query=queries,
    family=families,
    q=qs,
    k3=k3s,
    k=st.sampled_from([1, 2, 3, 5, 10, 40]),
    k1=k1s,
    b=bs,
)
@example(Case([["always"], []]), ["always", "always"], "qlog", 5.0, None, 3, 0.0, 1.0)
@example(Case([[]] * 3), ["w0"], "qlog1p", 0.5, 1.0, 2, 1.5, 0.75)
@example(Case([["w0"], [], ["w1"]], deleted=[0, 2]), ["w0"], "qlog", 0.5, None, 2, 1.5, 0.75)
@example(Case([]), ["w0"], "qlog1p", 0.5, 1.0, 2, 1.5, 0.75)
@example(Case([["w0"] * 300, ["w0"], ["w1"]], [1, 2]), ["w0", "w1"], "qlog", 0.1, None, 2, 3.0, 1.0)
def test_top_k_is_the_reference_bit_for_bit(
    path: str,
    case: Case,
    query: list[str],
    family: str,
    q: float,
    k3: float | None,
    k: int,
    k1: float,
    b: float,
) -> None:
    index = case.build()
    weighting = Weighting(family, q, k3)
    with searching(path):
        ranking = index.rank([query], k, weighting=weighting, k1=k1, b=b)
    weight = FAMILIES[family](q)
    assert by_id(index, ranking) == expected(case, query, weight, k, k1, b, k3=k3)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    case=cases(),
    query=queries,
    q=st.one_of(qs, st.sampled_from([-20.0, 60.0, 1e9])),
    k3=k3s,
    evidence=st.booleans(),
)
def test_the_documents_found_at_any_q_are_those_that_bm25_finds(
    case: Case, query: list[str], q: float, k3: float | None, evidence: bool
) -> None:
    index = case.build()
    weighed = index.scores(query, weighting=Weighting("qlog1p", q, k3, evidence))
    assert np.array_equal(weighed > 0, index.scores(query, weighting="bm25") > 0)
    assert (weighed >= 0).all()


def test_two_documents_are_enough_to_find_one() -> None:
    index = Index.build(["my cat sleeps", "my dog barks"])
    assert [hit.id for hit in index.search("cat")] == [0]
    assert [hit.id for hit in index.search("cat", q=0.1)] == [0]


@all_paths
def test_a_batch_may_mix_code_and_prose(path: str) -> None:
    corpus = ZipfCorpus.from_seed(7, num_docs=2_000, num_queries=12)
    index = Index.build(texts(corpus.documents), analyzer="whitespace")
    prose = texts(corpus.queries)
    mixed = [t if row % 2 else f"{t} = {t.replace(' ', ' = ')};" for row, t in enumerate(prose)]
    with searching(path):
        ranking = index.rank(mixed, 10)
    for row, text in enumerate(mixed):
        decision = index.decide(text)
        assert decision.weighting.k3 == (None if row % 2 else 1.0)
        assert decision.weighting.q == max(0.9 if row % 2 else 0.01, predict_q(index.stats))
        tokens = text.split()
        assert decision.weighting.evidence is not bool(row % 2)
        best = exhaustive(index, tokens, 10, weighting=decision.weighting)
        assert hits_of(ranking, row) == best
        kind = "text" if row % 2 else "code"
        with searching(path):
            assert hits_of(index.rank([tokens], 10, kind=kind)) == best
            assert hits_of(index.rank(index.prepare([tokens], kind=kind), 10)) == best


@all_paths
@settings(max_examples=60, deadline=None, derandomize=True)
@given(case=cases(), query=queries, k=st.integers(1, 30))
def test_paper_is_the_predicted_q_and_auto_on_so_few_documents_bm25(
    path: str, case: Case, query: list[str], k: int
) -> None:
    index = case.build()
    live = [case.documents[place] for place in case.live]
    q = reference.predicted_q(live)
    assert index.decide(weighting="paper").weighting.q == q
    with searching(path):
        paper, auto = index.rank([query], k, weighting="paper"), index.rank([query], k)
    assert by_id(index, paper) == expected(case, query, reference.paper_weight_at(q), k)
    assert by_id(index, auto) == expected(case, query, reference.weight_at(1.0), k)


FORMULAS: dict[str, tuple[IdfFormula, reference.Weight]] = {
    "rsj": (RsjIdf(), reference.rsj_weight),
    "gamma 0.5": (GammaIdf(0.5), reference.gamma_weight(0.5)),
    "gamma 3": (GammaIdf(3.0), reference.gamma_weight(3.0)),
    "gamma 20": (GammaIdf(20.0), reference.gamma_weight(20.0)),
}


@all_paths
@pytest.mark.parametrize("name", FORMULAS)
@settings(max_examples=40, deadline=None, derandomize=True)
@given(case=cases(), query=queries, k=st.integers(1, 12))
def test_other_formulas_are_ranked_exactly_too(
    path: str, name: str, case: Case, query: list[str], k: int
) -> None:
    formula, weight = FORMULAS[name]
    index = case.build()
    with searching(path):
        ranking = index.rank([query], k, formula=formula)
    assert by_id(index, ranking) == expected(case, query, weight, k)


@all_paths
@settings(max_examples=80, deadline=None, derandomize=True)
@given(case=cases(), query=queries, q=qs, k=st.integers(1, 12), data=st.data())
def test_a_filter_leaves_scores_as_they_are_and_the_rest_out(
    path: str, case: Case, query: list[str], q: float, k: int, data: st.DataObject
) -> None:
    index = case.build()
    size = len(case.documents)
    allowed = set(data.draw(st.lists(st.integers(0, max(size - 1, 0)), max_size=size)))
    stored = int(index._ranker.bases[-1])
    mask = np.array([found in allowed for found in index.ids(range(stored))], bool)
    filters = [mask, sorted(allowed), lambda record: record["id"] in allowed]
    with searching(path):
        found = [by_id(index, index.rank([query], k, q, filter=one)) for one in filters]
    weight = reference.weight_at(q)
    assert found == [expected(case, query, weight, k, allowed=allowed)] * 3


@settings(max_examples=100, deadline=None, derandomize=True)
@given(case=cases(), query=queries, q=qs, k1=k1s, b=bs)
def test_every_score_is_the_reference_bit_for_bit(
    case: Case, query: list[str], q: float, k1: float, b: float
) -> None:
    index = case.build()
    scores = index.scores(query, q, k1=k1, b=b)[[index.position(place) for place in case.live]]
    live = [case.documents[place] for place in case.live]
    assert bits(scores) == bits(reference.scores(live, query, reference.weight_at(q), k1, b))


@all_paths
@settings(max_examples=30, deadline=None, derandomize=True)
@given(found=st.lists(documents(), min_size=1, max_size=3), query=queries, q=qs)
def test_equal_documents_come_in_document_order(
    path: str, found: list[list[str]], query: list[str], q: float
) -> None:
    index = Index.build(texts(found * 30), analyzer="whitespace")
    for k in (1, 7, 29, 30, 31, 90):
        with searching(path):
            hits = hits_of(index.rank([query], k, q))
        scores = index.scores(query, q)
        assert hits == [
            (place, bits([score])[0]) for place, score in reference.best(list(scores), k)
        ]


def exhaustive(index: Index, query: list[str], k: int, **scoring: object) -> list[tuple[int, int]]:
    scores = index.scores(query, **scoring)
    order = np.lexsort((np.arange(len(scores)), -scores.astype(np.float64)))[:k]
    order = order[scores[order] > 0]
    return list(zip(order.tolist(), bits(scores[order]), strict=True))


@pytest.fixture(scope="module", params=[1, 2, 3])
def large(request: pytest.FixtureRequest) -> tuple[Index, ZipfCorpus]:
    """5,000 documents: in one segment, or in several by additions of falling size."""
    corpus = ZipfCorpus.from_seed(request.param, num_docs=5_000, num_queries=40)
    sizes = {1: [5_000], 2: [3_000, 1_300, 500, 200], 3: [4_000, 1_000]}[request.param]
    index = Index.build([], analyzer="whitespace")
    start = 0
    for size in sizes:
        index.add(texts(corpus.documents[start : start + size]))
        start += size
    assert len(index._ranker.segments) == len(sizes)
    return index, corpus


@pytest.mark.parametrize("family", ["qlog1p", "qlog"])
@pytest.mark.parametrize("q", [-1.0, -0.3, 0.01, 0.1, 0.5, 0.9, 1.0, 1.1, 2.0, 5.0, "auto"])
def test_thousands_of_documents_are_ranked_as_exhaustive_scoring_ranks_them(
    q: float | str, family: str, large: tuple[Index, ZipfCorpus]
) -> None:
    weighting = Weighting(family, q, 1.0 if family == "qlog1p" else None)
    index, corpus = large
    rankings = []
    for path, k in product((POSTINGS, ROWS), (1, 10, 100)):
        with searching(path):
            rankings.append((k, index.rank(corpus.queries, k, weighting=weighting)))
    for row, query in enumerate(corpus.queries):
        best = exhaustive(index, query, 100, weighting=weighting)
        for k, ranking in rankings:
            assert hits_of(ranking, row) == best[:k]


@pytest.mark.parametrize(("k1", "b"), [(0.0, 0.5), (0.3, 1.0), (3.0, 0.0), (1.2, 0.01)])
def test_other_k1_and_b_are_ranked_exactly(
    k1: float, b: float, large: tuple[Index, ZipfCorpus]
) -> None:
    index, corpus = large
    for q, path in ((0.1, POSTINGS), (0.1, ROWS), (1.0, ROWS)):
        with searching(path):
            ranking = index.rank(corpus.queries, 10, q, k1=k1, b=b)
        for row, query in enumerate(corpus.queries):
            assert hits_of(ranking, row) == exhaustive(index, query, 10, q=q, k1=k1, b=b)


@pytest.mark.parametrize("formula", [RsjIdf(), GammaIdf(4.0)], ids=repr)
def test_other_formulas_are_ranked_exactly_over_thousands_of_documents(
    formula: IdfFormula, large: tuple[Index, ZipfCorpus]
) -> None:
    index, corpus = large
    with searching(POSTINGS):
        ranking = index.rank(corpus.queries, 10, formula=formula)
    for row, query in enumerate(corpus.queries):
        assert hits_of(ranking, row) == exhaustive(index, query, 10, formula=formula)


def test_deletions_and_filters_are_exact_over_thousands_of_documents() -> None:
    corpus = ZipfCorpus.from_seed(4, num_docs=5_000, num_queries=40)
    index = Index.build(texts(corpus.documents), analyzer="whitespace")
    random = np.random.default_rng(4)
    gone = random.choice(5_000, 1_500, replace=False)
    index.delete(gone.tolist())
    mask = random.random(5_000) < 0.3
    alive = np.ones(5_000, bool)
    alive[gone] = False
    for allowed in (None, mask):
        keep = alive if allowed is None else alive & allowed
        for q, path in ((0.1, ROWS), (1.0, POSTINGS), (1.0, ROWS), (2.0, ROWS)):
            with searching(path):
                ranking = index.rank(corpus.queries, 10, q, filter=allowed)
            for row, query in enumerate(corpus.queries):
                found = exhaustive(index, query, 5_000, q=q)
                assert hits_of(ranking, row) == [hit for hit in found if keep[hit[0]]][:10]


@all_paths
def test_a_term_may_occur_more_often_than_sixteen_bits_count(path: str) -> None:
    often = 2**16
    corpus = [["w0"] * often + ["w1"], ["w0", "w1"], ["w0"] * (often - 2), ["w2"], ["w3"]]
    index = Index.build(texts(corpus), analyzer="whitespace")
    index.add(["w1 w2", "w4"])
    corpus += [["w1", "w2"], ["w4"]]
    for q in (1.0, 0.1):
        with searching(path):
            ranking = index.rank([["w0", "w1", "w2"]], 4, q)
        scores = reference.scores(corpus, ["w0", "w1", "w2"], reference.weight_at(q))
        assert hits_of(ranking) == [
            (place, bits([score])[0]) for place, score in reference.best(scores, 4)
        ]


@all_paths
def test_texts_and_token_lists_give_the_same_ranking(
    path: str, large: tuple[Index, ZipfCorpus]
) -> None:
    index, corpus = large
    with searching(path):
        by_tokens = index.rank(corpus.queries, 10)
        by_text = index.rank(texts(corpus.queries), 10)
        batch = index.search_batch(texts(corpus.queries), 10)
        alone = [index.search(text, 10) for text in texts(corpus.queries)]
    assert np.array_equal(by_tokens.positions, by_text.positions)
    assert np.array_equal(by_tokens.scores, by_text.scores)
    assert batch == alone
    for row, hits in enumerate(batch):
        assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
        assert [(hit.id, bits([hit.score])[0]) for hit in hits] == hits_of(by_text, row)


@all_paths
def test_prepared_queries_are_ranked_as_if_they_were_not(
    path: str, large: tuple[Index, ZipfCorpus]
) -> None:
    index, corpus = large
    for asked in (corpus.queries, texts(corpus.queries)):
        prepared = index.prepare(asked)
        assert len(prepared) == len(asked)
        with searching(path):
            for k, q in ((3, 0.1), (10, 1.0), (3000, "auto")):
                expected, found = index.rank(asked, k, q), index.rank(prepared, k, q)
                assert np.array_equal(found.positions, expected.positions)
                assert np.array_equal(found.scores, expected.scores)


@all_paths
def test_prepared_queries_follow_an_index_that_changes(path: str) -> None:
    index = Index.build(["red apple", "green pear", "blue plum"])
    prepared = index.prepare(["apple quince", "pear"])
    index.add(["quince apple"])
    index.delete([1])
    with searching(path):
        found = index.rank(prepared, 2, 1.0)
        assert found.positions.tolist() == index.rank(["apple quince", "pear"], 2, 1.0)[0].tolist()
        assert index.ids(found.positions[0]) == [3, 0]
    assert repr(prepared) == "<PreparedQueries: 2 queries, 3 distinct tokens>"


@all_paths
def test_queries_of_nothing_known_have_no_hits(path: str) -> None:
    index = Index.build(["the quick brown fox", "a lazy dog"])
    with searching(path):
        assert index.search_batch(["", "the a of", "unheard-of", " \t\n"]) == [[], [], [], []]
        assert index.search_batch([]) == []
        assert Index.build([]).search("fox") == []


@all_paths
def test_documents_without_tokens_are_no_trouble(path: str) -> None:
    index = Index.build(["", "the", ""])
    with searching(path), np.errstate(all="raise"):
        for q in ("auto", 1.0, 0.5, 2.0):
            assert index.search_batch(["fox", "", "the fox"], 2, q) == [[], [], []]
    assert index.scores("fox").tolist() == [0, 0, 0]
    assert index.explain("fox", 1).rank is None


def test_a_token_repeated_hundreds_of_times_is_ranked_by_the_bits_of_its_long_sum() -> None:
    """Each repetition rounds once more, so that near-ties swap places along the sum."""
    corpus = [
        ["aa"] + ["bb"] * second + ["cc"] * third + ["ff"] * length
        for length in range(60)
        for second in range(4)
        for third in range(3)
    ]
    corpus += [["gg", "bb", "cc"]] * 720 + [["gg"]] * 720
    index = Index.build(texts(corpus), analyzer="whitespace")
    for repeats in (500, 1200, 4000):
        for rest, k1, b in (
            (["bb", "bb", "cc", "cc"], 2.462008369993651, 0.003),
            (["bb", "bb", "cc"], 2.2341784397041295, 0.001),
            (["cc"], 2.7887482038968154, 0.001),
            (["cc", "cc"], 0.7737032783280398, 0.001),
        ):
            query = rest + ["aa"] * repeats
            best = exhaustive(index, query, 30, q=1.0, k1=k1, b=b)
            for k in (1, 3, 10, 30):
                with searching(POSTINGS):
                    ranking = index.rank([query], k, 1.0, k1=k1, b=b)
                assert hits_of(ranking) == best[:k]


# Six terms of half of the documents, with weights that fade to float32's last bit and below.
FAINT = """
import sys
from qidf.index import Index
from qidf.weights import GammaIdf
index = Index.build(["aa bb cc dd ee ff"] * 2000 + ["zz yy"] * 2400)
query = "aa bb cc dd ee ff".split()
for gamma in range(426, 437):
    ranking = index.rank([query], 40, formula=GammaIdf(gamma))
    scores = index.scores(query, formula=GammaIdf(gamma))
    found = [position for position in ranking.positions[0].tolist() if position >= 0]
    if found != [place for place in range(4400) if scores[place] > 0][:40]:
        sys.exit(f"gamma {gamma}: {found}")
"""


def test_weights_too_faint_for_float32_overrun_nothing() -> None:
    """In a process of its own, since what it guards against is writing past an array's end."""
    done = subprocess.run([sys.executable, "-c", FAINT], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
