"""The JSON API says what the index says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from listening import Server, listening

import qidf
from qidf.serving.web import Collection, create_application, of_repository, open_collection
from qidf.serving.web import collection as collections

QUERY = "handleWebSocketUpgrade auth middleware"


def test_compare_gives_both_rankings_as_the_index_does(
    server: Server, collection: Collection
) -> None:
    found = server.ask("/api/compare", {"query": QUERY, "q": 0.5, "k": 3}).json
    for name, q in (("bm25", 1.0), ("qlog", 0.5)):
        hits = collection.index.search(QUERY, 3, q)
        assert [(place["id"], place["rank"]) for place in found[name]] == [
            (hit.id, hit.rank) for hit in hits
        ]
        assert [place["score"] for place in found[name]] == pytest.approx(
            [hit.score for hit in hits]
        )
    ranks = {place["id"]: place["rank"] for place in found["bm25"]}
    for place in found["qlog"]:
        assert place["other_rank"] == ranks.get(place["id"], place["other_rank"])
    assert {document["id"] for document in found["documents"]} == {
        place["id"] for name in ("bm25", "qlog") for place in found[name]
    }


def test_compare_explains_the_first_hit_or_the_one_asked_for(
    server: Server, collection: Collection
) -> None:
    first = server.ask("/api/compare", {"query": QUERY, "q": 0.5}).json["explanation"]
    assert first["id"] == "upgrade.go"
    other = server.ask("/api/compare", {"query": QUERY, "q": 0.5, "id": "auth.go"}).json
    expected = collection.index.explain(QUERY, "auth.go", 0.5)
    assert other["explanation"]["id"] == "auth.go"
    assert other["explanation"]["rank"] == expected.rank
    assert [term["contribution"] for term in other["explanation"]["terms"]] == pytest.approx(
        [term.contribution for term in expected.terms]
    )
    # The table's weights and the explanation's are the same numbers, found in two ways.
    for term, same in zip(other["terms"], expected.terms, strict=True):
        assert (term["token"], term["doc_freq"]) == (same.token, same.doc_freq)
        assert term["idf"] == pytest.approx(same.idf)
        assert term["bm25_idf"] == pytest.approx(same.bm25_idf)


def test_the_curve_runs_through_the_terms(server: Server, collection: Collection) -> None:
    found = server.ask("/api/compare", {"query": QUERY, "q": 0.3}).json
    size = len(collection.index)
    assert found["curve"][0]["doc_freq"] == 1
    assert found["curve"][-1]["doc_freq"] == size
    for point in found["curve"]:
        assert point["idf"] == pytest.approx(qidf.Qlog1p(0.3).weight(point["doc_freq"], size))


def test_auto_is_what_the_index_decides(server: Server, collection: Collection) -> None:
    found = server.ask("/api/compare", {"query": QUERY}).json
    decision = collection.index.decide(QUERY).to_dict()
    assert {name: found[name] for name in decision} == decision
    assert found["auto_q"] == decision["q"]
    status = server.get("/api/status").json
    assert (status["q"], status["reason"]) == (decision["q"], decision["reason"])


def test_any_part_of_the_weighting_can_be_asked_for(server: Server, collection: Collection) -> None:
    twice = f"{QUERY} {QUERY}"
    for parts in (
        {"weighting": "paper"},
        {"weighting": "bm25", "k3": 1},
        {"formula": "qlog", "q": 0.5},
        {"q": 0.5, "k3": "auto"},
        {"q": 0.5, "k3": 1, "evidence": True},
    ):
        found = server.ask("/api/search", {"query": twice, **parts}).json
        expected = collection.index.search(twice, **parts)
        assert [hit["score"] for hit in found["hits"]] == [hit.score for hit in expected]
        assert found["weighting"] == repr(collection.index.decide(twice, **parts).weighting)


def test_search_and_explain_are_there_for_scripts(server: Server, collection: Collection) -> None:
    hits = server.ask("/api/search", {"query": QUERY, "q": 0.5, "k": 2}).json["hits"]
    assert [hit["id"] for hit in hits] == ["upgrade.go", "auth.go"]
    assert sum(hits[0]["contributions"].values()) == pytest.approx(hits[0]["score"], rel=1e-5)
    found = server.ask("/api/explain", {"query": QUERY, "id": "log.go", "q": 0.5}).json
    assert found["rank"] == collection.index.explain(QUERY, "log.go", 0.5).rank


def test_status_has_the_numbers_and_the_advice(server: Server, collection: Collection) -> None:
    found = server.get("/api/status").json
    advice = qidf.advise(collection.index.stats, analyzer="generic")
    assert found["num_docs"] == len(collection.index)
    assert found["htok"] == pytest.approx(collection.index.stats.htok)
    assert found["advice"]["action"] == advice.action
    assert found["advice_if_rebuilt"]["action"] == "change-analyzer"


def test_lines_of_a_hit_are_shown_with_its_words_marked(server: Server) -> None:
    hits = server.ask("/api/search", {"query": "handleWebSocketUpgrade", "q": 0.5}).json["hits"]
    (line,) = hits[0]["excerpt"]
    assert line["number"] == 3
    assert {"text": "handleWebSocketUpgrade", "matched": True} in line["runs"]


@pytest.mark.parametrize(
    ("body", "status", "word"),
    [
        (b"", 400, "JSON"),
        (b"[]", 400, "object"),
        (b"{", 400, "JSON"),
        (b'{"query": NaN}', 400, "JSON"),
        (b"\xff", 400, "JSON"),
        (b"[" * 100_000, 400, "JSON"),
        (b"{}", 422, "query"),
        (b'{"query": 5}', 422, "query"),
        (b'{"query": "a", "k": 0}', 422, "k must"),
        (b'{"query": "a", "k": true}', 422, "k must"),
        (b'{"query": "a", "k": 1e400}', 422, "k must"),
        (b'{"query": "a", "q": "half"}', 422, "q must"),
        (b'{"query": "a", "q": 1e400}', 422, "q must"),
        (b'{"query": "a", "q": 1' + b"0" * 400 + b"}", 422, "q must"),
        (b'{"query": "a", "path": "/etc/passwd"}', 422, "path"),
        (b'{"query": "a", "id": [1]}', 422, "id must"),
        (json.dumps({"query": "a" * 100_001}).encode(), 422, "100,000"),
    ],
)
def test_a_question_that_cannot_be_answered_gets_one_sentence(
    server: Server, body: bytes, status: int, word: str
) -> None:
    headers = {"Content-Type": "application/json"}
    reply = server.request("POST", "/api/compare", body=body, headers=headers)
    assert reply.status == status
    assert word in reply.json["error"]
    assert "Traceback" not in reply.json["error"]


def test_an_unknown_document_a_wrong_type_and_a_wrong_method_have_their_own_codes(
    server: Server,
) -> None:
    assert server.ask("/api/explain", {"query": "a", "id": "../etc/passwd"}).status == 404
    assert server.request("POST", "/api/search", body=b"query=a").status == 415
    reply = server.get("/api/search")
    assert reply.status == 405
    assert reply.headers["allow"] == "POST"


def _served(tmp_path: Path, records: list[dict[str, object]]) -> Collection:
    path = tmp_path / "records.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return open_collection(path)


def test_odd_characters_come_back_as_they_went(tmp_path: Path) -> None:
    name = 'a"<b>\ud800'
    records = [{"_id": name, "text": "zażółć gęślą \ud800 needle"}, {"_id": "b", "text": "plain"}]
    with listening(create_application(_served(tmp_path, list(records)))) as odd:
        (hit,) = odd.ask("/api/search", {"query": "needle \ud800", "q": 1}).json["hits"]
        assert hit["id"] == name
        assert "".join(run["text"] for run in hit["excerpt"][0]["runs"]) == records[0]["text"]


@pytest.mark.parametrize("ids", [[{"_id": 0}, {"_id": 1}], [{}, {}]], ids=["numbers", "positions"])
def test_ids_may_be_numbers(tmp_path: Path, ids: list[dict[str, object]]) -> None:
    records = [{**record, "text": "some text"} for record in ids]
    with listening(create_application(_served(tmp_path, records))) as numbered:
        hits = numbered.ask("/api/search", {"query": "text", "q": 1}).json["hits"]
        assert [hit["id"] for hit in hits] == [0, 1]
        assert all(hit["excerpt"] for hit in hits)
        for given, status in ((1, 200), (1.0, 200), ("1", 404), (2, 404), (10**30, 404)):
            assert numbered.ask("/api/explain", {"query": "text", "id": given}).status == status


def test_a_stored_index_is_asked_as_of_its_last_commit_and_shows_files_below_the_root_only(
    tmp_path: Path, folder: Path
) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("needle outside\n", encoding="utf-8")
    documents = [
        {"id": "in", "text": "needle", "path": str(folder / "log.go")},
        {"id": "out", "text": "needle", "path": str(secret)},
        {"id": "up", "text": "needle", "path": f"{folder}/../{tmp_path.name}/secret.txt"},
    ]
    index = qidf.Index.build(documents)
    index.save(tmp_path / "index")
    with listening(create_application(open_collection(tmp_path / "index", root=folder))) as stored:
        hits = stored.ask("/api/search", {"query": "needle", "q": 1}).json["hits"]
        assert {hit["id"]: bool(hit["excerpt"]) for hit in hits} == {
            "in": True,
            "out": False,
            "up": False,
        }
        index.add([{"id": "new", "text": "needle"}])
        assert stored.get("/api/status").json["num_docs"] == 4


def test_a_repository_s_spans_are_served_as_they_are_on_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(collections, "REFRESH_SECONDS", 0.0)
    source = tmp_path / "tree"
    source.mkdir()
    text = "import os\n\n\ndef alpha_beta():\n    return os.sep\n"
    (source / "a.py").write_text(text, encoding="utf-8")
    served = of_repository(qidf.Repository.open(source))
    with listening(create_application(served)) as code:
        (hit,) = code.ask("/api/search", {"query": "alpha_beta", "q": 1}).json["hits"]
        assert hit["title"] == "alpha_beta"
        assert hit["excerpt"][0]["number"] == 4
        (source / "b.py").write_text("def gamma_delta():\n    return 2\n", encoding="utf-8")
        found = code.ask("/api/compare", {"query": "gamma_delta", "q": 1}).json
        assert found["qlog"][0]["id"] == "b.py:1-2"
        assert code.get("/api/status").json["kind"] == "repository"


def test_a_repository_is_ranked_as_the_command_line_ranks_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    source = tmp_path / "tree"
    source.mkdir()
    for name in ("open", "close", "test_close"):
        body = "".join(f"def {name}_{n}():\n    return door_{n}\n\n\n" for n in range(4))
        (source / f"{name}.py").write_text(body, encoding="utf-8")
    repository = qidf.Repository.open(source)
    query = "close the door_2"
    with listening(create_application(of_repository(repository))) as code:
        for q in (1, 0.4):
            expected = repository.search(query, 5, q=q)
            hits = code.ask("/api/search", {"query": query, "q": q, "k": 5}).json["hits"]
            assert [hit["id"] for hit in hits] == [hit.location for hit in expected]
            for hit in hits:
                assert sum(hit["contributions"].values()) == pytest.approx(hit["score"])
                explained = code.ask("/api/explain", {"query": query, "q": q, "id": hit["id"]}).json
                assert explained["rank"] == hit["rank"]
                added = sum(term["contribution"] for term in explained["terms"])
                assert added == pytest.approx(hit["score"])
            compared = code.ask("/api/compare", {"query": query, "q": q, "k": 5}).json
            assert [place["id"] for place in compared["qlog"]] == [hit["id"] for hit in hits]


def test_an_index_of_nothing_is_served_too(tmp_path: Path) -> None:
    qidf.Index.build([]).save(tmp_path / "index")
    with listening(create_application(open_collection(tmp_path / "index"))) as empty:
        assert empty.get("/api/status").json["num_docs"] == 0
        found = empty.ask("/api/compare", {"query": "anything"}).json
        assert found["bm25"] == found["qlog"] == found["curve"] == []
        assert found["explanation"] is None
