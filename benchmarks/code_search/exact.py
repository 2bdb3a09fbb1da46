"""Questions with one exact answer: a message as the code spells it, a name that is defined once.

Whoever pastes an error or types a name means the one place that has it; anything else is noise.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.code_search.halves import Half, half_of
from benchmarks.code_search.questions import Question, RightFile
from qidf.repository.listing import list_repository
from qidf.syntax import detect_language, outline

# Fewer words are no message, and more are a text.
MESSAGE_WORDS = range(4, 25)
# What a program puts values into: %s, %-5d, {name}, {}, ${name}, #{name}, ...
PLACEHOLDER = re.compile(r"%[-+ #0]*\d*(?:\.\d+)?[a-zA-Z]|[$#]?\{[^{}]*\}|%\(\w+\)[a-z]")
# Values that stand where a placeholder was, as in an error that a person pastes.
_VALUES = ("foo", "42", "my_item", "None", "bar-1", "/tmp/x", "Example", "0x1f")
_STRING = re.compile(r"\"((?:[^\"\\\n]|\\.){15,200})\"|'((?:[^'\\\n]|\\.){15,200})'")
_ESCAPED = re.compile(r"\\.")
_PLAIN_NAME = re.compile(r"[A-Za-z_$][\w$]*[?!]?\Z")

Lines = dict[str, list[str]]


def sources(root: Path) -> Lines:
    """The lines of every file in a language with a grammar."""
    found: Lines = {}
    for path in list_repository(root).files:
        data = (root / path).read_bytes()
        language = detect_language(path, data[:8_000])
        if language is not None and language.grammar is not None and len(data) < 1_000_000:
            found[path] = data.decode("utf-8", "replace").split("\n")
    return found


def message_questions(root: Path, count: int, seed: int, half: Half) -> list[Question]:
    """String literals that stand in one line of the code, with their placeholders as they are."""
    return _chosen(_messages(root, lambda text, _: text), count, seed, half)


def error_questions(root: Path, count: int, seed: int, half: Half) -> list[Question]:
    """String literals with placeholders, each filled with a value, as a program would print it."""
    return _chosen(_messages(root, _filled), count, seed, half)


def name_questions(root: Path, count: int, seed: int, half: Half) -> list[Question]:
    """Names that are defined once; those inside another definition are asked for with it too."""
    return _chosen(_names(root), count, seed, half)


def _messages(
    root: Path, spelled: Callable[[str, random.Random], str | None]
) -> Iterator[tuple[str, str, RightFile]]:
    places: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for path, lines in sources(root).items():
        for number, line in enumerate(lines, 1):
            for match in _STRING.finditer(line):
                text = match[1] or match[2]
                if len(text.split()) in MESSAGE_WORDS and not _ESCAPED.search(text):
                    places[text].append((path, number))
    for text, found in places.items():
        if len(found) == 1 and _is_message(text):
            (place,) = found
            asked = spelled(text, random.Random(text))
            if asked is not None:
                yield text, asked, RightFile(place[0], ((place[1], place[1]),))


def _is_message(text: str) -> bool:
    """Whether a string is words for a person: mostly letters, few marks."""
    bare = PLACEHOLDER.sub("", text)
    words = re.findall(r"[A-Za-z]{2,}", bare)
    letters = sum(each.isalpha() or each == " " for each in bare)
    return len(words) >= MESSAGE_WORDS.start and letters >= 0.85 * len(bare)


def _filled(text: str, chance: random.Random) -> str | None:
    if not PLACEHOLDER.search(text):
        return None
    return PLACEHOLDER.sub(lambda _: chance.choice(_VALUES), text)


def _names(root: Path) -> Iterator[tuple[str, str, RightFile]]:
    defined = []
    for path, lines in sources(root).items():
        data = "\n".join(lines).encode("utf-8", "replace")
        language = detect_language(path, data[:8_000])
        if language is not None:
            defined += [(path, each) for each in outline(data, language).definitions]
    count = Counter(each.name for _, each in defined)
    for path, each in defined:
        if count[each.name] == 1 and _PLAIN_NAME.match(each.name):
            key = f"{path}:{each.name}"
            # Every second one that is inside something is asked for with what it is inside.
            qualified = hashlib.sha256(key.encode()).digest()[9] % 2
            parts = re.split(r"\.|::|#", each.symbol)
            asked = each.symbol if qualified and len(parts) > 1 else each.name
            yield key, asked, RightFile(path, ((each.line, each.line),))


def _chosen(
    found: Iterator[tuple[str, str, RightFile]], count: int, seed: int, half: Half
) -> list[Question]:
    """So many questions of one half, at most two a file, in the order of their ids."""
    kept = sorted((each for each in found if half_of(each[0]) is half), key=lambda each: each[0])
    random.Random(seed).shuffle(kept)
    per_file: Counter[str] = Counter()
    asked: dict[str, Question] = {}
    for key, text, right in kept:
        if len(asked) < count and per_file[right.path] < 2 and text not in asked:
            per_file[right.path] += 1
            identifier = hashlib.sha256(key.encode()).hexdigest()[:12]
            asked[text] = Question(identifier, text, (right,))
    return sorted(asked.values(), key=lambda question: question.id)
