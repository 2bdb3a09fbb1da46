"""What fits in a prompt: whole spans, best first, counted as they are printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from qidf.errors import InvalidArgumentError
from qidf.repository import Repository
from qidf.token_counts import token_counter


@pytest.mark.parametrize("budget", [1, 30, 60, 100, 200, 1000])
def test_a_context_stays_within_its_budget_and_accounts_for_every_hit(
    project: Path, budget: int
) -> None:
    repository = Repository.open(project)
    query = "token upgrade rows connection install"
    context = repository.context(query, budget)
    counter = token_counter(exact=False)
    assert context.tokens == counter.count(context.text) <= budget
    assert context.counter == counter.name
    hits = repository.search(query, 200)
    for hit in hits:
        inside = [
            span
            for span in context.spans
            if span.path == hit.path and span.start_line <= hit.start_line <= span.end_line
        ]
        tried = hit.location in {each.location for each in context.left_out}
        assert not (inside and tried)
        assert inside or tried or not context.complete
    assert context.complete == (budget == 1000)
    assert [span.rank for span in context.spans] == sorted(span.rank for span in context.spans)
    for span in context.spans:
        assert span.location in context.text
        assert span.text in context.text


def test_spans_that_touch_are_joined(tmp_path: Path) -> None:
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "a.py").write_text(
        "def alpha_one():\n    return 1\n\n\ndef alpha_two():\n    return 2\n"
    )
    context = Repository.open(tmp_path / "r").context("alpha", 1000)
    (span,) = context.spans
    assert (span.start_line, span.end_line) == (1, 6)
    assert set(span.symbols) == {"alpha_one", "alpha_two"}
    assert span.text.count("def ") == 2


def test_fences_are_longer_than_any_inside(tmp_path: Path) -> None:
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "a.md").write_text("# Fences\n\n```sh\n# run\nrun\n```\n")
    text = Repository.open(tmp_path / "r").context("fences", 1000).text
    assert text.startswith("### a.md:1-6\n````markdown\n")
    assert text.endswith("\n````\n")


@pytest.mark.parametrize("budget", [0, -1, 1.5, True, "8000"])
def test_a_budget_that_is_no_number_of_tokens_is_refused(project: Path, budget: object) -> None:
    with pytest.raises(InvalidArgumentError, match="budget"):
        Repository.open(project).context("upgrade", budget)  # type: ignore[arg-type]


def test_a_budget_is_filled_however_many_spans_that_takes(tmp_path: Path) -> None:
    code = tmp_path / "r"
    code.mkdir()
    for n in range(400):
        (code / f"m{n:03}.py").write_text(f"def part_{n}():\n    return alpha + {n}\n")
    repository = Repository.open(code, directory=tmp_path / "index")
    context = repository.context("alpha", 8_000)
    assert 0.95 * 8_000 < context.tokens <= 8_000
    assert not context.complete
    everything = repository.context("alpha", 100_000)
    assert len(everything.spans) == 400
    assert everything.complete


def test_what_can_not_fit_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = tmp_path / "r"
    code.mkdir()
    (code / "long.py").write_text("def alpha():\n" + "    beta = alpha\n" * 200)
    repository = Repository.open(code, directory=tmp_path / "index")
    repository.refresh()
    monkeypatch.setattr(repository, "lines", lambda *_: pytest.fail("read"))
    hits = repository.hits_in_order("beta")
    from qidf.repository.context import pack

    assert not pack(hits, 30, token_counter(exact=False), repository.lines).spans
