from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from study_data import code_like

from qidf.datasets import Dataset, Texts
from qidf.evaluation import Collection, Measure, Placement, QlogSystem, evaluate
from qidf.index import DEFAULT_B, DEFAULT_K1
from qidf.studies.occlusion import BINS, Shares, bin_name, occlusion_losses, orthographic_share

SYSTEMS = (QlogSystem(0.1), QlogSystem(1.0))


@pytest.fixture
def data() -> Dataset:
    return code_like(80, 40, seed=5)


@pytest.fixture
def placement(data: Dataset) -> Placement:
    return Placement.prepare(Collection.build(data), DEFAULT_K1, DEFAULT_B)


def doc_freqs(data: Dataset, collection: Collection) -> Counter[str]:
    analyzer = collection.index.analyzer
    return Counter(token for _, text in data.documents for token in set(analyzer.tokens(text)))


def test_dropping_a_bin_is_asking_without_its_words(data: Dataset, placement: Placement) -> None:
    losses = occlusion_losses(placement, SYSTEMS, Measure("ndcg", 10))
    frequencies = doc_freqs(data, placement.collection)
    analyzer = placement.collection.index.analyzer
    whole = evaluate(data, SYSTEMS).rows
    for low, high in BINS:
        left = [
            " ".join(
                token
                for token in analyzer.tokens(text)
                if not low <= frequencies[token] <= (high or frequencies[token])
            )
            for _, text in data.queries
        ]
        asked = Dataset(
            "less", "a test", data.documents, Texts(data.queries.ids, left), data.judgements
        )
        for system, before, after in zip(
            SYSTEMS, whole, evaluate(asked, SYSTEMS).rows, strict=True
        ):
            expected = before.mean("ndcg@10") - after.mean("ndcg@10")
            found = losses[system][bin_name(low, high)]
            assert found == pytest.approx(expected, abs=1e-12)
    assert losses[SYSTEMS[0]]["1"] > 0.1


def test_bins_follow_each_other_without_a_gap() -> None:
    for (_, high), (low, _) in pairwise(BINS):
        assert high is not None
        assert low == high + 1
    assert [bin_name(*each) for each in BINS[:3]] == ["1", "2", "3-5"]
    assert bin_name(*BINS[-1]) == "5001+"


def test_shares_are_counted_token_by_token(data: Dataset, placement: Placement) -> None:
    shares = Shares.of(placement, data.queries.texts)
    frequencies = doc_freqs(data, placement.collection)
    analyzer = placement.collection.index.analyzer
    for at, (_, text) in enumerate(data.queries):
        found = [frequencies[token] for token in analyzer.tokens(text)]
        known = [each for each in found if each > 0]
        assert shares.num_tokens[at] == len(found)
        assert shares.rare[at] == pytest.approx(np.mean([each <= 5 for each in known]))
        assert shares.rare_or_unknown[at] == pytest.approx(np.mean([each <= 5 for each in found]))


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("handleThing", 1.0),
        ("os.Exit now", 0.5),
        ("snake_case Word UPPER x2", 0.0),
        ("3.14 + 2", 0.0),
        ("a.b.c camelCase plain plain", 0.5),
        ("", 0.0),
    ],
)
def test_camel_case_and_dots_make_an_identifier(text: str, share: float) -> None:
    assert orthographic_share(text) == share
