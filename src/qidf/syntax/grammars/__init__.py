"""The table of languages: one row each, grouped by family.

To add a language, write its row, a fixture of it in `tests/syntax/fixtures`, and look at the
outline that `UPDATE_OUTLINES=1 pytest tests/syntax` writes for it.
"""

from __future__ import annotations

from qidf.syntax.grammars.curly import CURLY
from qidf.syntax.grammars.declarative import DECLARATIVE
from qidf.syntax.grammars.ecmascript import ECMASCRIPT
from qidf.syntax.grammars.functional import FUNCTIONAL
from qidf.syntax.grammars.lisps import LISPS
from qidf.syntax.grammars.managed import MANAGED
from qidf.syntax.grammars.numeric import NUMERIC
from qidf.syntax.grammars.plain import PLAIN
from qidf.syntax.grammars.scripting import SCRIPTING
from qidf.syntax.language import Language

LANGUAGES: dict[str, Language] = {
    language.name: language
    for family in (
        SCRIPTING,
        ECMASCRIPT,
        CURLY,
        MANAGED,
        FUNCTIONAL,
        LISPS,
        NUMERIC,
        DECLARATIVE,
        PLAIN,
    )
    for language in family
}

__all__ = ["LANGUAGES"]
