"""The parts of the OpenSearch adapter that need no server."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import qidf
from qidf.engines.opensearch.estimation import ratio_interval
from qidf.engines.opensearch.exchange import Exchange, Request, drive
from qidf.engines.opensearch.memory import ENTRY_BYTES, Memory
from qidf.engines.opensearch.proxy.bodies import split_searches, with_search_type
from qidf.engines.opensearch.proxy.routes import obstacle, route
from qidf.engines.opensearch.refusals import refusal
from qidf.engines.opensearch.similarity import ScriptedSimilarity, steps
from qidf.errors import (
    EngineRejectedError,
    EngineUnavailableError,
    InputError,
    InvalidArgumentError,
)


def test_memory_forgets_by_age_and_by_size() -> None:
    now = [0.0]
    memory: Memory[int] = Memory(10, 2 * ENTRY_BYTES, clock=lambda: now[0])
    memory.put("a", 1)
    now[0] = 6
    memory.put("b", 2)
    assert (memory.get("a"), memory.get("b")) == (1, 2)
    now[0] = 11
    assert (memory.get("a"), memory.get("b")) == (None, 2)
    memory.put("c", 3)
    assert memory.get("b") == 2
    memory.put("d", 4)
    assert (memory.get("c"), memory.get("b"), len(memory)) == (None, 2, 2)
    memory.put("e", 5, 1)
    assert (memory.get("e"), len(memory)) == (5, 1)
    memory.put("f", 6, 2 * ENTRY_BYTES)
    assert (memory.get("f"), memory.get("e")) == (None, 5)
    memory.clear()
    assert len(memory) == 0


def test_an_exchange_is_sent_answers_and_errors() -> None:
    def exchange() -> Exchange[list[Any]]:
        first = yield Request("GET", "/1")
        try:
            yield Request("GET", "/bad")
        except EngineRejectedError as error:
            second = str(error)
        return [first, second]

    class Sender:
        def send(self, request: Request) -> Any:
            if request.path == "/bad":
                raise EngineRejectedError("no")
            return request.path

    assert drive(exchange(), Sender()) == ["/1", "no"]


@pytest.mark.parametrize("share", [0.002, 0.05, 0.3])
@pytest.mark.parametrize("clustered", [False, True])
def test_the_interval_of_htok_covers_it_at_its_rate(share: float, clustered: bool) -> None:
    random = np.random.default_rng(17)
    population = 20_000
    sizes = random.integers(3, 60, population)
    # Hapaxes come in bunches in real documents: some have many and most have none.
    rates = random.beta(0.3, 0.3 * (1 - share) / share, population) if clustered else share
    parts = random.binomial(sizes, rates)
    exact = parts.sum() / sizes.sum()
    covered = 0
    repeats = 600
    for _ in range(repeats):
        drawn = random.choice(population, 500, replace=False)
        estimate, low, high = ratio_interval(parts[drawn], sizes[drawn], population)
        assert low <= estimate <= high
        covered += low <= exact <= high
    # 0.95 less three standard errors of 600 trials.
    assert covered / repeats >= 0.923


def test_the_interval_of_everything_is_a_point_and_of_nothing_everything() -> None:
    sizes = np.array([3, 4, 5])
    assert ratio_interval(np.array([1, 0, 2]), sizes, 3) == (0.25, 0.25, 0.25)
    assert ratio_interval(np.array([], np.int64), np.array([], np.int64), 10) == (0.0, 0.0, 1.0)
    none = ratio_interval(np.zeros(3, np.int64), sizes, 1_000)
    assert none[:2] == (0.0, 0.0)
    assert 0.0 < none[2] < 1.0


def weight_of(similarity: ScriptedSimilarity, doc_freq: int, num_docs: int) -> float:
    """Run the script's formula: what it says in the server's language is nearly Python."""

    class Bunch:
        def __init__(self, **values: Any) -> None:
            self.__dict__.update(values)

    math_class = Bunch(log=math.log, expm1=math.expm1, max=max)
    names = {
        "field": Bunch(docCount=num_docs),
        "term": Bunch(docFreq=doc_freq),
        "query": Bunch(boost=1.0),
        "Math": math_class,
    }
    source = similarity.weight_script.removeprefix("/* qidf */").strip().rstrip(";")
    for statement in source.split("; "):
        if statement.startswith("double odds = "):
            names["odds"] = eval(statement.removeprefix("double odds = "), {}, names)
        else:
            return float(eval(statement.removeprefix("return "), {}, names))
    raise AssertionError


@pytest.mark.parametrize("q", [-0.5, 0.01, 0.5, 0.999999, 1.0, 1.5])
@pytest.mark.parametrize("doc_freq", [1, 7, 400, 600, 1_000])
@pytest.mark.parametrize("formula", ["qlog", "qlog1p"])
def test_the_script_is_the_formula_clamped(formula: str, q: float, doc_freq: int) -> None:
    weighting = qidf.Weighting(formula, q, None)
    expected = weighting.idf.weight(doc_freq, 1_000)
    assert formula == "qlog" or expected > 0
    assert weight_of(ScriptedSimilarity(weighting), doc_freq, 1_000) == pytest.approx(
        max(expected, 0.0), rel=1e-9
    )


def test_a_similarity_is_settings_between_closing_and_opening() -> None:
    requests = steps("code", ScriptedSimilarity(qidf.Weighting("qlog1p", 0.5)))
    assert [(method, path) for method, path, _ in requests] == [
        ("POST", "/code/_close"),
        ("PUT", "/code/_settings"),
        ("POST", "/code/_open"),
    ]
    settings = requests[1][2]["index"]["similarity"]["default"]
    assert settings["type"] == "scripted"
    assert "0.5" in settings["weight_script"]["source"]


@pytest.mark.parametrize(("k1", "b"), [(-1, 0.75), (math.nan, 0.5), (1.2, 1.5), (1.2, -0.1)])
def test_a_similarity_has_sensible_parameters(k1: float, b: float) -> None:
    with pytest.raises(InvalidArgumentError):
        ScriptedSimilarity(qidf.Weighting("qlog1p", 0.5), k1, b)


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("GET", "/code/_search", ("search", "code")),
        ("POST", "/code/_search", ("search", "code")),
        ("POST", "/code,docs-*/_search", ("search", "code,docs-*")),
        ("POST", "/%3Ccode-%7Bnow%2Fd%7D%3E/_search", ("search", "<code-{now/d}>")),
        ("GET", "/_search", ("search", "_all")),
        ("POST", "/_msearch", ("msearch", "_all")),
        ("POST", "/code/_msearch/", ("msearch", "code")),
        ("PUT", "/code/_search", None),
        ("POST", "/code/_search/template", None),
        ("POST", "/_search/scroll", None),
        ("POST", "/_render/_search", None),
        ("POST", "/code/_count", None),
        ("POST", "/code/_doc/_search", None),
        ("GET", "/", None),
    ],
)
def test_searches_are_told_by_their_address(method: str, path: str, expected: Any) -> None:
    found = route(method, path, "")
    assert (None if found is None else (found.kind, found.index)) == expected


@pytest.mark.parametrize("query", ["q=word", "source=%7B%7D&source_content_type=application/json"])
def test_a_query_in_the_address_is_an_obstacle(query: str) -> None:
    found = route("GET", "/code/_search", query)
    assert found is not None
    assert obstacle(found) is not None


def test_searches_in_one_request_are_pairs_of_lines() -> None:
    text = '{"index":"a"}\n{"q":1}\n\n{"q":2}\n{"index":["b","c"]}\n{}\n'
    assert [(s.header, s.body, s.index) for s in split_searches(text, "code")] == [
        ('{"index":"a"}', '{"q":1}', "a"),
        ("", '{"q":2}', "code"),
        ('{"index":["b","c"]}', "{}", "b,c"),
    ]
    with pytest.raises(InputError):
        split_searches("{}\n{}\n{}\n", "code")


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("", '{"search_type":"dfs_query_then_fetch"}'),
        ("{}", '{"search_type":"dfs_query_then_fetch"}'),
        (' {"index": "a"}\r', ' {"search_type":"dfs_query_then_fetch","index": "a"}\r'),
        ('{"search_type":"query_then_fetch"}', '{"search_type":"query_then_fetch"}'),
    ],
)
def test_a_search_type_is_added_where_there_is_none(header: str, expected: str) -> None:
    assert with_search_type(header) == expected


@pytest.mark.parametrize(
    ("status", "kind", "expected", "words"),
    [
        (401, "security_exception", EngineRejectedError, "credentials"),
        (403, "security_exception", EngineRejectedError, "read privilege"),
        (403, "cluster_block_exception", EngineRejectedError, "blocks"),
        (404, "index_not_found_exception", EngineRejectedError, "no index 'code'"),
        (400, "index_closed_exception", EngineRejectedError, "is closed"),
        (429, "es_rejected_execution_exception", EngineUnavailableError, "later"),
        (503, "search_phase_execution_exception", EngineUnavailableError, "later"),
        (400, "parsing_exception", EngineRejectedError, "it is wrong"),
    ],
)
def test_a_refusal_is_one_sentence(status: int, kind: str, expected: Any, words: str) -> None:
    cause = {"type": kind, "reason": "it is wrong", "index": "code"}
    error = refusal(status, {"error": {**cause, "root_cause": [cause]}, "status": status}, "S")
    assert type(error) is expected
    assert words in str(error)
    assert str(error).count(". ") == 0
    assert "\n" not in str(error)


@pytest.mark.parametrize("body", [None, "", "<html>no</html>", {}, {"error": "plain"}, [1]])
def test_a_refusal_in_any_form_is_understood(body: Any) -> None:
    assert str(refusal(502, body, "S"))
