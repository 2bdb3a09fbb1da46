"""What does this file define, and where? Definitions and their documentation, by tree-sitter.

`outline(source, language)` is the whole of it; `detect_language` says which language a file is in.
A language is one row of `grammars`; nothing else here knows any language by name, except for the
few endings that several languages share (`detection.py`).
"""

from __future__ import annotations

from qidf.syntax.definitions import Definition, Outline, outline
from qidf.syntax.detection import detect_language
from qidf.syntax.documentation import Documentation
from qidf.syntax.grammars import LANGUAGES
from qidf.syntax.language import Language

__all__ = [
    "LANGUAGES",
    "Definition",
    "Documentation",
    "Language",
    "Outline",
    "detect_language",
    "outline",
]
