"""A span's score: its own words, its file's, its neighbour's; against a slow reference."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from projects import write

from qidf.index import Document, Groups, Index
from qidf.index.columns import IdColumn
from qidf.repository import Repository
from qidf.repository.leads import FileTable
from qidf.repository.question import Kind, Question
from qidf.repository.ranking import (
    CODE_B,
    CODE_K1,
    FILE_B,
    FILE_K1,
    FILE_SHARE,
    NEIGHBOUR_SHARE,
    FilePaths,
    file_starts,
    score_spans,
)
from qidf.repository.roles import role_of
from qidf.weighting import BM25

WORDS = st.sampled_from(["aa", "bb", "cc", "dd", "ee"])
SPAN = st.lists(WORDS, min_size=1, max_size=6)
FILES = st.lists(st.lists(SPAN, min_size=1, max_size=5), min_size=1, max_size=5)


def bm25(documents: list[list[str]], query: list[str], k1: float, b: float) -> list[float]:
    """Lucene's BM25, written out."""
    average = sum(map(len, documents)) / len(documents)
    scores = []
    for document in documents:
        counts, score = Counter(document), 0.0
        for token, said in Counter(query).items():
            doc_freq = sum(token in each for each in documents)
            if counts[token]:
                idf = math.log(1 + (len(documents) - doc_freq + 0.5) / (doc_freq + 0.5))
                norm = k1 * (1 - b + b * len(document) / average)
                score += (1 + math.log(said)) * idf * counts[token] / (counts[token] + norm)
        scores.append(score)
    return scores


def asked(query: list[str]) -> Question:
    """Words that nothing else is read from."""
    return Question(" ".join(query), Kind.WORDS)


def table_of(index: Index, ids: list[str]) -> FileTable:
    """The files of an index of one segment."""
    starts = file_starts(IdColumn.from_ids(ids, 0))
    groups = Groups.from_starts(index._ranker.segments, [starts])
    return FileTable(groups, [ids[each].rpartition(":")[0] for each in starts.tolist()])


def expected_scores(files: list[list[list[str]]], query: list[str]) -> list[float]:
    spans = bm25([span for file in files for span in file], query, CODE_K1, CODE_B)
    whole = bm25([[w for span in file for w in span] for file in files], query, FILE_K1, FILE_B)
    scores, at = [], 0
    for file, of_file in zip(files, whole, strict=True):
        own = spans[at : at + len(file)]
        at += len(file)
        for place, score in enumerate(own):
            beside = max([0.0, *own[max(0, place - 1) : place], *own[place + 1 : place + 2]])
            total = score + FILE_SHARE * of_file + NEIGHBOUR_SHARE * beside
            scores.append(total if score > 0 else 0.0)
    return scores


@settings(max_examples=100, deadline=None)
@given(FILES, SPAN)
def test_scores_are_what_the_definition_says(
    files: list[list[list[str]]], query: list[str]
) -> None:
    ids = [f"f{n}.py:{i + 1}-{i + 1}" for n, file in enumerate(files) for i in range(len(file))]
    texts = [" ".join(span) for file in files for span in file]
    index = Index.build(
        [Document(text, each) for text, each in zip(texts, ids, strict=True)],
        analyzer="whitespace(stopwords=none)",
    )
    scored = score_spans(index, table_of(index, ids), asked(query), BM25)
    expected = expected_scores(files, query)
    assert scored.words.tolist() == pytest.approx(expected, rel=1e-5, abs=1e-6)
    for position, score in enumerate(expected):
        if score > 0:
            assert scored.parts(position).score == pytest.approx(score, rel=1e-5)
    best = scored.best(3)
    placed = [(rank, repeat) for rank, repeat in enumerate(best.repeats.tolist(), 1)]
    assert [scored.place(position) for position in best.positions.tolist()] == placed


@pytest.mark.parametrize(
    ("ids", "starts"),
    [
        ([], []),
        (["a:1-2", "a:3-4", "b:1-9"], [0, 2]),
        (["a:1-2", "a:b:1-2", "a:b:3-4", "a:5-6"], [0, 1, 3]),
        (["a:b:1-2", "a:1-2"], [0, 1]),
        (["a/b:1-2", "a/bc:3-4", "a/b:5-6"], [0, 1, 2]),
    ],
)
def test_a_file_begins_where_the_path_changes(ids: list[str], starts: list[int]) -> None:
    assert file_starts(IdColumn.from_ids(ids, 0)).tolist() == starts


FUNCTION = "def {name}():\n    {body}\n\n\n"


def test_a_function_is_found_by_what_its_file_is_about(tmp_path: Path) -> None:
    words = "invoice", "ledger", "balance", "currency"
    about = "".join(FUNCTION.format(name=f"check_{w}", body=f"return {w}_rate") for w in words)
    (tmp_path / "money.py").write_text(about + FUNCTION.format(name="close", body="return year"))
    (tmp_path / "doors.py").write_text(
        "".join(FUNCTION.format(name=f"open_{n}", body="return handle") for n in range(4))
        + FUNCTION.format(name="close", body="return door")
    )
    hits = Repository.open(tmp_path, directory=tmp_path / ".index").search(
        "close the invoice ledger"
    )
    closing = [hit for hit in hits if hit.symbol == "close"]
    assert [hit.path for hit in closing] == ["money.py", "doors.py"]
    assert closing[0].parts.file > closing[1].parts.file


def test_an_answer_is_the_same_however_the_index_came_about(tmp_path: Path) -> None:
    code, grown = tmp_path / "code", tmp_path / "grown"
    code.mkdir()
    for number in range(6):
        body = f"return thing_{number % 3} + other_{number % 2}"
        text = "".join(FUNCTION.format(name=f"part_{number}_{n}", body=body) for n in range(3))
        (code / f"m{number}.py").write_text(text)
        Repository.open(code, directory=grown).refresh()
    (code / "m2.py").write_text(FUNCTION.format(name="replaced", body="return thing_1"))
    (code / "m4.py").unlink()
    query = "thing_1 other_0 part replaced"
    found = Repository.open(code, directory=grown).search(query, 30)
    anew = Repository.open(code, directory=tmp_path / "anew").search(query, 30)
    assert [(hit.location, hit.parts) for hit in found] == [
        (hit.location, hit.parts) for hit in anew
    ]


def test_an_explanation_adds_up(project: Path) -> None:
    repository = Repository.open(project)
    query = "token upgrade connections"
    for hit in repository.search(query, 5):
        explained = repository.explain(query, hit.location)
        assert explained.parts == hit.parts
        assert explained.score == pytest.approx(hit.score)
        assert sum(term.contribution for term in explained.terms) == pytest.approx(hit.parts.span)
        assert sum(term.file_contribution for term in explained.terms) == pytest.approx(
            hit.parts.file
        )
        assert sum(term.neighbour_contribution for term in explained.terms) == pytest.approx(
            hit.parts.neighbour
        )
        assert (explained.neighbour is not None) == (hit.parts.neighbour > 0)
        assert hit.location in str(explained)


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("src/http/server.go", "code"),
        ("src/http/server_test.go", "test"),
        ("tests/runner.py", "test"),
        ("app/UserServiceTest.java", "test"),
        ("web/button.spec.tsx", "test"),
        ("src/contest.py", "code"),
        ("src/latest/attest.rs", "code"),
        ("docs/usage.py", "prose"),
        ("README.md", "prose"),
        ("LICENSE", "prose"),
        ("src/license.py", "code"),
        ("notes/design.rst", "prose"),
        ("conf/settings.yaml", "data"),
        ("locale/de/django.po", "data"),
        ("templates/base.html", "code"),
        ("Makefile", "build"),
        ("setup.py", "build"),
        ("src/setup.pyx", "code"),
        ("examples/shop/cart.py", "example"),
        ("benchmarks/sort.go", "example"),
        ("src/workbench/table.ts", "code"),
        ("bin/run", "code"),
    ],
)
def test_a_path_says_what_a_file_is_for(path: str, role: str) -> None:
    assert role_of(path).value == role


def test_tests_and_prose_count_half_unless_they_are_asked_for(tmp_path: Path) -> None:
    function = FUNCTION.format(name="rotate_token", body="return old_token")
    write(tmp_path, {"auth.py": function, "tests/test_auth.py": function, "docs/a.md": function})
    repository = Repository.open(tmp_path, directory=tmp_path.parent / "index")
    found = {hit.path: hit for hit in repository.search("rotate old token")}
    assert next(iter(found)) == "auth.py"
    assert {path: (hit.role, hit.parts.weight) for path, hit in found.items()} == {
        "auth.py": ("code", 1.0),
        "tests/test_auth.py": ("test", 0.5),
        "docs/a.md": ("prose", 0.5),
    }
    for hit in found.values():
        assert hit.score == pytest.approx(hit.parts.score)
    asked = {hit.path: hit.parts.weight for hit in repository.search("tests that rotate tokens")}
    assert asked == {"auth.py": 1.0, "tests/test_auth.py": 1.0, "docs/a.md": 0.5}
    explained = repository.explain("rotate old token", "docs/a.md:1")
    assert "times 0.5 since it is prose, not code" in str(explained)
    assert explained.rank == found["docs/a.md"].rank


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(SPAN, st.booleans()), min_size=1, max_size=40), SPAN, st.integers(1, 5))
def test_looking_up_few_roles_finds_what_looking_up_all_would(
    spans: list[tuple[list[str], bool]], query: list[str], count: int
) -> None:
    ids = [f"{'tests/' if test else ''}f{n}.py:1-1" for n, (_, test) in enumerate(spans)]
    index = Index.build(
        [Document(" ".join(text), each) for (text, _), each in zip(spans, ids, strict=True)],
        analyzer="whitespace(stopwords=none)",
    )
    scored = score_spans(index, table_of(index, ids), asked(query), BM25)
    weighted = [scored.parts(position).score for position in range(len(ids))]
    expected = sorted((-score, at) for at, score in enumerate(weighted) if score > 0)[:count]
    best = scored.best(count)
    assert best.positions.tolist() == [at for _, at in expected]
    assert best.scores.tolist() == pytest.approx([-score for score, _ in expected])


def test_paths_of_files_are_those_of_their_first_spans_in_every_segment() -> None:
    first = IdColumn.from_ids(["a.py:1-2", "a.py:3-4", "b:c.py:1-9"], 0)
    second = IdColumn.from_ids(["d.py:1-1"], 3)
    paths = FilePaths([(each, file_starts(each)) for each in (first, second)])
    assert list(paths) == paths[:] == ["a.py", "b:c.py", "d.py"]
    assert paths[2] == paths[2] == "d.py"
    with pytest.raises(IndexError):
        paths[3]
