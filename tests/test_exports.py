"""The public interface, name by name: a change here is a change for users."""

from __future__ import annotations

import pytest

import qidf

PUBLIC = [
    "Advice",
    "Analyzer",
    "CodeHit",
    "Context",
    "CorpusStats",
    "Decision",
    "Document",
    "Explanation",
    "GammaIdf",
    "Hit",
    "Index",
    "LuceneIdf",
    "PreparedQueries",
    "QidfError",
    "Qlog1p",
    "QlogRsj",
    "Ranking",
    "Repository",
    "RsjIdf",
    "Weighting",
    "advise",
    "audit",
    "connect",
    "decide",
    "parse_analyzer",
    "parse_formula",
    "parse_weighting",
    "predict_q",
    "qlog",
    "rescale",
    "restore",
]


def test_the_public_names_are_exactly_these() -> None:
    assert qidf.__all__ == PUBLIC


@pytest.mark.parametrize("name", PUBLIC)
def test_each_name_leads_to_its_object(name: str) -> None:
    assert getattr(qidf, name).__name__ == name
    assert name in dir(qidf)


def test_other_names_do_not_exist() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        _ = qidf.nonsense  # type: ignore[attr-defined]


def test_every_error_is_a_qidf_error_and_has_a_place_in_the_drawn_tree() -> None:
    from qidf import errors

    drawn = errors.__doc__ or ""
    for name, value in vars(errors).items():
        if isinstance(value, type) and issubclass(value, Exception):
            assert issubclass(value, qidf.QidfError)
            assert name in drawn
