"""Which analyzer suits a repository, by the way its languages write identifiers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from qidf.syntax import detect_language

IDENTIFIER = "identifier"


@dataclass(frozen=True, slots=True)
class AnalyzerChoice:
    """An analyzer's name and why it was chosen."""

    analyzer: str
    reason: str


def choose_analyzer(sizes: Mapping[str, int]) -> AnalyzerChoice:
    """Choose for files given by path and size."""
    camel, snake = 0, 0
    for path, size in sizes.items():
        language = detect_language(path)
        if language is None or language.grammar is None:
            continue
        if language.camel_case:
            camel += size
        else:
            snake += size
    code = camel + snake
    if not code:
        return AnalyzerChoice(
            IDENTIFIER, "there is no code to tell by, and names occur in prose too"
        )
    style = "camelCase" if camel >= snake else "snake_case"
    share = max(camel, snake) / code
    return AnalyzerChoice(
        IDENTIFIER, f"{share:.0%} of the code is in languages that write {style} identifiers"
    )
