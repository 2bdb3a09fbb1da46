"""The demo's corpus: docstrings, each with the code it describes."""

from __future__ import annotations

from pathlib import Path

import pytest

from qidf.corpora import StandardLibrary
from qidf.errors import InputError

MODULE = '''
"""A module."""

def plain(): return 1

class Widget:
    @property
    def colour(self):
        """Return the colour of the widget.

        It may be None.
        """
        return self._colour

    def terse(self):
        """Too short."""

if True:
    try:
        async def fetch(url):
            """Fetch one page,
            or fail."""
            def inner():
                """This stays inside of fetch."""
            return url
    except Exception:
        def fetch(url):
            """Fetch one page, or fail."""
'''


def test_documented_functions_are_found_and_their_code_holds_no_docstring(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "mod.py").write_text(MODULE)
    library = StandardLibrary(tmp_path)
    colour, fetch = list(library)
    assert (colour.id, colour.text) == ("pkg/mod.py:8", "Return the colour of the widget.")
    assert colour.metadata["symbol"] == "Widget.colour"
    assert colour.metadata["path"] == str(tmp_path / "pkg" / "mod.py")
    assert colour.metadata["code"].split() == ["def", "colour(self):", "return", "self._colour"]
    assert (fetch.id, fetch.text) == ("pkg/mod.py:20", "Fetch one page, or fail.")
    assert "Fetch one page" not in fetch.metadata["code"]
    assert "inner" in fetch.metadata["code"]
    assert library.skipped == {"function without a docstring": 2, "repeated docstring": 1}


def test_tests_installed_packages_and_broken_modules_are_left_out(tmp_path: Path) -> None:
    for folder in ("site-packages", "test", "json/tests"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "mod.py").write_text('def f():\n    """One two three four."""\n')
    (tmp_path / "broken.py").write_text("def (:")
    library = StandardLibrary(tmp_path)
    assert list(library) == []
    assert library.skipped == {"unreadable module": 1}


def test_no_sources_at_all_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no Python sources"):
        list(StandardLibrary(tmp_path))


def test_the_running_python_has_thousands(tmp_path: Path) -> None:
    documents = list(StandardLibrary())
    assert len(documents) > 2_000
    assert len({document.id for document in documents}) == len(documents)
