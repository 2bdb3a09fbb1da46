"""How each language documents a function; one file of rules for each.

A language gives its file suffixes, its grammar, `find(source)` that yields every function,
documented or not, and the names and paths that CodeSearchNet's filters leave out.
"""

from __future__ import annotations

from benchmarks.corpora.languages.go import GO
from benchmarks.corpora.languages.java import JAVA
from benchmarks.corpora.languages.javascript import JAVASCRIPT
from benchmarks.corpora.languages.language import Language
from benchmarks.corpora.languages.php import PHP
from benchmarks.corpora.languages.python import PYTHON
from benchmarks.corpora.languages.ruby import RUBY

LANGUAGES: dict[str, Language] = {
    language.name: language for language in (GO, JAVA, JAVASCRIPT, PHP, PYTHON, RUBY)
}

__all__ = ["LANGUAGES", "Language"]
