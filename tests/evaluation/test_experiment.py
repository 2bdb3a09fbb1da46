"""Evaluations from end to end: means, comparisons, failures, and many collections as one."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from small_datasets import dataset, datasets

from qidf.datasets import Dataset
from qidf.errors import InputError, InvalidArgumentError
from qidf.evaluation import (
    BASELINE,
    Collection,
    DphSystem,
    QlogSystem,
    RunSystem,
    Settings,
    System,
    TrecCheck,
    evaluate,
    parse_baseline,
    rank_index,
)
from qidf.index import ranker
from qidf.statistics import CorpusStats, predict_q
from qidf.weighting import wanted

# One rare word decides for q below 1; two common ones do for BM25.
DOCUMENTS = {
    "gold": "handler request response log",
    "rival": "common words request request words",
    **{f"d{number}": "common words here" for number in range(6)},
    **{f"e{number}": f"filler{number} text" for number in range(12)},
}
DATA = dataset(
    DOCUMENTS,
    {"q1": "handler common words request", "q2": "text"},
    {"q1": {"gold": 1}, "q2": {"e3": 1}},
    notes=("A note.",),
)
QUICK = Settings(resamples=100)


def test_a_row_has_means_and_a_comparison_with_bm25() -> None:
    found = evaluate(DATA, [QlogSystem(1.0), QlogSystem(0.1)], QUICK)
    plain, sharp = found.rows
    assert plain.name == "q=1"
    assert plain.mean("ndcg@10") == found.baseline.mean("ndcg@10")
    assert (plain.comparison.delta, plain.comparison.ci95) == (0.0, (0.0, 0.0))
    assert sharp.values["mrr@10"][0] == 1.0
    assert sharp.comparison.delta == pytest.approx(sharp.mean("ndcg@10") - plain.mean("ndcg@10"))
    assert (found.num_docs, found.num_queries, found.notes) == (20, 2, ("A note.",))


def test_bm25_is_the_baseline_whether_it_is_asked_for_or_not() -> None:
    found = evaluate(DATA, [QlogSystem(0.1)], QUICK)
    assert len(found.rows) == 1
    assert found.baseline.name == BASELINE.name
    assert found.rows[0].comparison.delta > 0


def test_htok_and_the_predicted_q_are_those_of_the_corpus() -> None:
    stats = CorpusStats.from_tokens(text.split() for text in DOCUMENTS.values())
    found = evaluate(DATA, [QlogSystem("auto")], Settings(analyzer="whitespace", resamples=100))
    assert found.htok == pytest.approx(stats.htok)
    assert found.q_pred == pytest.approx(predict_q(stats))
    assert found.rows[0].q == pytest.approx(predict_q(stats))


def test_an_analyzer_that_splits_identifiers_leaves_auto_at_1() -> None:
    found = evaluate(DATA, [QlogSystem("auto")], Settings(analyzer="identifier", resamples=100))
    assert found.rows[0].q == 1.0
    assert found.q_pred < 1.0


@given(datasets())
@settings(max_examples=30)
def test_every_value_is_ir_measures_value(data: Dataset) -> None:
    pytest.importorskip("ir_measures", reason="the eval extra brings trec_eval")
    systems: list[System] = [QlogSystem(1.0), QlogSystem(0.1), *parse_baseline("gamma=2")]
    for chosen in (QUICK, Settings(k=3, ties="hash", keep_identical=True, resamples=100)):
        check = TrecCheck(systems, chosen)
        found = evaluate(data, systems, chosen, on_collection=check.add)
        assert check.largest_difference(found) < 1e-9


@given(datasets())
@settings(max_examples=30)
def test_threads_make_no_difference(data: Dataset) -> None:
    systems = [QlogSystem(q) for q in (0.05, 0.5, 1.0, "auto")]
    alone = evaluate(data, systems, QUICK)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranker, "QUERIES_TO_A_THREAD", 1)
        patch.setenv("QIDF_THREADS", "3")
        threaded = evaluate(data, systems, QUICK)
    assert threaded.to_dict() == alone.to_dict()


def test_the_same_evaluation_twice_is_the_same() -> None:
    systems = [QlogSystem("auto"), DphSystem()]
    assert evaluate(DATA, systems).to_dict() == evaluate(DATA, systems).to_dict()


def test_k_moves_the_cutoffs_and_recall_stays_at_100() -> None:
    names = [str(measure) for measure in Settings(k=3).measures]
    assert names == ["ndcg@3", "mrr@3", "recall@100"]
    assert Settings(k=500).depth == 500
    assert set(evaluate(DATA, [BASELINE], Settings(k=3)).rows[0].values) == set(names)


@pytest.mark.parametrize("k", [0, -1, True, 2.5])
def test_a_k_that_is_no_count_is_refused(k: int) -> None:
    with pytest.raises(InvalidArgumentError, match="k must be a whole number"):
        Settings(k=k)


def test_a_failed_query_has_no_value_and_is_left_out_of_both_sides(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text("q2 Q0 e3 1 1.0 t\n")
    row = evaluate(DATA, [RunSystem(path)], QUICK).rows[0]
    assert row.failed == 1
    np.testing.assert_array_equal(row.values["ndcg@10"], [np.nan, 1.0])
    assert row.mean("ndcg@10") == 1.0
    assert row.comparison.num_queries == 1
    assert row.to_dict()["failed"] == 1


def test_an_empty_answer_is_a_zero_and_is_counted() -> None:
    data = dataset(
        {"a": "xx", "b": "yy"}, {"q": "xx", "r": "unheard"}, {"q": {"a": 1}, "r": {"b": 1}}
    )
    row = evaluate(data, [BASELINE], QUICK).rows[0]
    assert row.values["ndcg@10"].tolist() == [1.0, 0.0]
    assert (row.failed, row.found_nothing) == (0, 1)


def test_a_run_of_other_queries_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("elsewhere Q0 gold 1 1.0 t\n")
    with pytest.raises(InputError, match="answers none of the dataset's queries"):
        evaluate(DATA, [RunSystem(tmp_path / "run")], QUICK)


def test_identical_ids_are_dropped_unless_kept() -> None:
    data = dataset({"a": "one two", "b": "one", "c": "other"}, {"a": "one two"}, {"a": {"b": 1}})
    dropped, kept = (
        evaluate(data, [BASELINE], Settings(keep_identical=keep, resamples=100))
        for keep in (False, True)
    )
    assert dropped.rows[0].mean("mrr@10") == 1.0
    assert kept.rows[0].mean("mrr@10") == 0.5
    assert (dropped.num_hidden, kept.num_hidden) == (1, 0)


def test_many_collections_are_evaluated_as_one() -> None:
    other = dataset({"x": "alpha beta", "y": "beta"}, {"q9": "alpha"}, {"q9": {"x": 1}})
    systems = [QlogSystem("auto"), QlogSystem(0.1)]
    parts = [evaluate(each, systems, QUICK) for each in (DATA, other)]
    whole = evaluate(iter([DATA, other]), systems, QUICK, name="both")
    assert whole.dataset == "both"
    assert whole.num_docs == sum(part.num_docs for part in parts)
    assert list(whole.query_ids) == ["q1", "q2", "q9"]
    for at, row in enumerate(whole.rows):
        for name, values in row.values.items():
            expected = np.concatenate([part.rows[at].values[name] for part in parts])
            np.testing.assert_array_equal(values, expected)
    assert whole.q_pred == pytest.approx((2 * parts[0].q_pred + parts[1].q_pred) / 3)


def test_each_collection_is_handed_on_once() -> None:
    seen: list[Collection] = []
    evaluate([DATA, DATA], [BASELINE], QUICK, on_collection=seen.append)
    assert [collection.dataset for collection in seen] == [DATA, DATA]


def test_a_note_of_many_collections_is_said_once() -> None:
    found = evaluate([DATA, DATA], [BASELINE], QUICK)
    assert found.notes == ("In 2 collections: A note.",)


def test_no_system_and_no_collection_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="nothing to evaluate"):
        evaluate(DATA, [])
    with pytest.raises(InputError, match="no collection"):
        evaluate([], [BASELINE])


def test_what_a_script_gets_is_json() -> None:
    found = evaluate(DATA, [QlogSystem("auto"), *parse_baseline("dph")], QUICK).to_dict()
    again = json.loads(json.dumps(found))
    assert again == found
    assert {"dataset", "num_docs", "num_queries", "htok", "q_pred", "rows"} <= set(found)
    (row,), (baseline,) = again["rows"], again["baselines"]
    assert {"q", "ndcg@10", "mrr@10", "recall@100", "delta", "ci95", "p"} <= set(row)
    assert baseline["name"] == "dph"
    assert "q" not in baseline


def test_rankings_agree_with_the_means() -> None:
    collection = Collection.build(DATA)
    run = rank_index(collection, 100, wanted("paper", q=0.1))
    ranks = run.ranks(collection)
    assert ranks[0] == 1
    assert evaluate(DATA, [QlogSystem(0.1)], QUICK).rows[0].values["mrr@10"][0] == 1.0
