"""Which analyzer suits a repository, by the way its languages write identifiers."""

from __future__ import annotations

from collections.abc import Mapping

from qidf.records import dataclass
from qidf.syntax import detect_language

# Questions name things in the plural that code names in the singular; asked by their doc comments,
# functions of six repositories are found better with plurals folded (benchmarks/code_search; means
# of span NDCG@10 .279 to .298, of recall within 2,000 tokens .487 to .501, within 8,000 .677 to
# .692).
IDENTIFIER = "identifier(plurals=fold)"


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
