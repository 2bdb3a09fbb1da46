"""Corpora that every engine's parity is tested on: Python's library as code and as text."""

from __future__ import annotations

from functools import cache
from itertools import islice

import numpy as np

from qidf.corpora.standard_library import StandardLibrary

CODE_DOCS = 1_000
DOCSTRINGS = 800
SYNTHETIC_DOCS = 300
NAMES = ("code", "text")


@cache
def corpus(name: str) -> dict[str, str]:
    """Documents by id: functions, or docstrings with synthetic texts of all lengths."""
    library = list(islice(StandardLibrary(), max(CODE_DOCS, DOCSTRINGS)))
    if name == "code":
        return {f"f{at}": str(doc.metadata["code"]) for at, doc in enumerate(library[:CODE_DOCS])}
    texts = {f"t{at}": doc.text for at, doc in enumerate(library[:DOCSTRINGS])}
    random = np.random.default_rng(11)
    words = np.array([f"w{letters(number)}" for number in range(4_000)])
    odds = 1 / np.arange(1, len(words) + 1) ** 1.1
    odds /= odds.sum()
    # Long ones too: engines that keep a length in one byte are exact only to 40.
    for at, length in enumerate(random.integers(1, 600, SYNTHETIC_DOCS)):
        # A word that every second text has, so that its weight turns negative.
        start = "often " if at % 3 else ""
        texts[f"s{at}"] = start + " ".join(random.choice(words, int(length), p=odds))
    return {key: f"often {text}" if key[0] == "t" else text for key, text in texts.items()}


def letters(number: int) -> str:
    """A number in letters: DuckDB's tokenizer drops digits."""
    name = ""
    while True:
        number, rest = divmod(number, 26)
        name = chr(ord("a") + rest) + name
        if not number:
            return name
