"""How each language documents a function; one file of rules for each.

A language gives its file suffixes, its grammar, `find(source, tree)` that yields every documented
or undocumented function, and the names and paths that CodeSearchNet's filters leave out.
"""

from __future__ import annotations

from benchmarks.corpora.languages.go import GO
from benchmarks.corpora.languages.language import Language

LANGUAGES: dict[str, Language] = {language.name: language for language in (GO,)}

__all__ = ["LANGUAGES", "Language"]
