"""Globs mean what they say, take no time, and are refused with a sentence."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qidf.errors import InputError
from qidf.repository.globs import compile_globs
from qidf.repository.matching import path_matcher

SEGMENTS = st.lists(st.sampled_from(["a", "*", "?", "[ab]", "[!a]", "b"]), min_size=1, max_size=4)
GLOBS = st.lists(st.one_of(SEGMENTS.map("".join), st.just("**")), min_size=1, max_size=5)
PATHS = st.lists(st.text("abc", min_size=1, max_size=4), min_size=1, max_size=5).map("/".join)


def naive(glob: str, path: str) -> bool:
    """The same by trying everything."""
    pattern = ""
    meant = {"*": "[^/]*", "?": "[^/]", "[!a]": "[^a/]"}
    for piece in re.findall(r"(?:^|(?<=/))\*{2,}/|(?:^|(?<=/))\*{2,}$|\[.*?\]|.", glob):
        if piece.startswith("**"):
            pattern += "(?:[^/]+/)*" if piece.endswith("/") else ".+"
        else:
            pattern += meant.get(piece, piece)
    return re.fullmatch(pattern, path) is not None


@given(parts=GLOBS, path=PATHS)
@settings(max_examples=1000, deadline=None)
def test_not_going_back_finds_what_trying_everything_finds(parts: list[str], path: str) -> None:
    glob = "/".join(parts)
    assert (compile_globs([glob]).fullmatch(path) is not None) == naive(glob, path), glob


@pytest.mark.parametrize(
    "glob",
    ["**/" * 1000 + "b", "*a" * 1000 + "b", "a/**/" * 500 + "c/*", "?*" * 1000 + "x", "**" * 999],
)
def test_no_glob_takes_long(glob: str) -> None:
    matches = path_matcher([glob])
    assert matches is not None
    for path in ("a" * 4000, "a/" * 2000 + "a", "ab" * 1000 + "/c"):
        assert matches(path) in (True, False)


@pytest.mark.parametrize(
    ("glob", "told"),
    [
        ("[^]", "has a [ without a ] behind it"),
        ("src/[a-", "has a [ without a ] behind it"),
        ("[[:nothing:]]", "names the class 'nothing'"),
        ("src\\", "ends with a backslash"),
        ("*" * 5000, "has more than 4,096 characters"),
    ],
)
def test_a_glob_that_cannot_match_is_told(glob: str, told: str) -> None:
    with pytest.raises(InputError, match=re.escape(told)) as error:
        path_matcher([glob])
    assert "write a glob like" in str(error.value)


@pytest.mark.parametrize(
    ("glob", "path", "expected"),
    [
        ("*.py", "src/a.py", True),
        ("src", "src/deep/a.py", True),
        ("src/", "src/deep/a.py", True),
        ("./src/*.py", "src/a.py", True),
        ("src/*.py", "src/deep/a.py", False),
        ("src/**/a.py", "src/a.py", True),
        ("src/**/a.py", "src/b/c/a.py", True),
        ("**", "a", True),
        ("", "a/b", True),
        ("[a-c]?.py", "b1.py", True),
        ("[^a]*", "b/a", True),
        ("\\*.py", "*.py", True),
        ("\\*.py", "a.py", False),
        ("é?", "éñ", True),
    ],
)
def test_a_path_means_names_folders_and_what_is_in_them(
    glob: str, path: str, expected: bool
) -> None:
    matches = path_matcher([glob])
    assert matches is not None
    assert matches(path) is expected
