"""Which language is a file in? By its name, else by the interpreter its first line names."""

from __future__ import annotations

import os
import re
from functools import lru_cache

from qidf.syntax.grammars import LANGUAGES
from qidf.syntax.language import Language

# Endings that several languages share, with what gives the rarer one away; the first that is
# found, else the last.
_CPP_HEADER = re.compile(
    rb"^\s*(?:class|namespace|template|using|public:|private:)\b", re.MULTILINE
)
_OBJC = re.compile(
    rb"^\s*(?:@(?:interface|implementation|protocol|class)\b|#import\b)", re.MULTILINE
)
_PROLOG = re.compile(rb"^\s*:-|^\w+\(.*\)\s*:-", re.MULTILINE)
_AMBIGUOUS: dict[str, tuple[tuple[re.Pattern[bytes], str | None], ...]] = {
    ".h": ((_OBJC, "objc"), (_CPP_HEADER, "cpp"), (re.compile(b""), "c")),
    ".m": ((_OBJC, "objc"), (re.compile(rb"^\s*(?:%|function\b)", re.MULTILINE), "matlab")),
    ".pl": ((_PROLOG, None), (re.compile(b""), "perl")),
    ".ts": ((re.compile(rb"\A\s*<\?xml|<!DOCTYPE TS"), "xml"), (re.compile(b""), "typescript")),
}
# Enough to meet a header's first declarations after its licence.
SNIFFED_BYTES = 16_384

_SHEBANG = re.compile(rb"#!\s*(?:\S*/)?env\s+(?:-\S+\s+)*(?:\w+=\S*\s+)*(\S+)|#!\s*(\S+)")


def detect_language(path: str, source: bytes = b"") -> Language | None:
    """The language of a file; its content is asked where the name isn't enough."""
    name = os.path.basename(path)
    by_name = _by_filename().get(name)
    if by_name is not None:
        return by_name
    stem, ending = os.path.splitext(name)
    if ending.lower() in _AMBIGUOUS:
        return _by_content(ending.lower(), source[:SNIFFED_BYTES])
    found = _by_extension().get(ending) or _by_extension().get(ending.lower())
    if found is not None or (ending and stem):
        # Dockerfile.dev and Makefile.am are what their stems say.
        return found or _by_filename().get(stem)
    return _by_interpreter(source[:256])


def _by_content(ending: str, source: bytes) -> Language | None:
    for pattern, language in _AMBIGUOUS[ending]:
        if pattern.search(source):
            return None if language is None else LANGUAGES[language]
    return None


def _by_interpreter(source: bytes) -> Language | None:
    match = _SHEBANG.match(source)
    if match is None:
        return None
    program = os.path.basename((match.group(1) or match.group(2)).decode("utf-8", "replace"))
    known = _interpreters()
    return known.get(program) or known.get(program.rstrip("0123456789."))


@lru_cache(maxsize=1)
def _by_extension() -> dict[str, Language]:
    return {ending: each for each in LANGUAGES.values() for ending in each.extensions}


@lru_cache(maxsize=1)
def _by_filename() -> dict[str, Language]:
    return {name: each for each in LANGUAGES.values() for name in each.filenames}


@lru_cache(maxsize=1)
def _interpreters() -> dict[str, Language]:
    return {name: each for each in LANGUAGES.values() for name in each.interpreters}
