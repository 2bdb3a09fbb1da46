"""Questions with known answers: doc comments, taken out of the code that is searched."""

from __future__ import annotations

import hashlib
import os
import random
import re
import shutil
from pathlib import Path

from benchmarks.code_search.halves import Half, half_of
from benchmarks.code_search.questions import Question, RightFile
from qidf.repository.listing import list_repository
from qidf.syntax import Definition, detect_language, outline

# A shorter sentence says too little to find anything by.
MIN_WORDS = 6
MAX_CHARACTERS = 400
FUNCTIONS = frozenset({"function", "method"})
_TEST = re.compile(r"(^|/)(tests?|testdata|spec|specs|benches|examples?|vendor)(/|$)|_test\.|test_")


def make_questions(
    source: Path, target: Path, count: int, seed: int, half: Half = Half.MEASURING
) -> list[Question]:
    """Copy a repository, blank the documentation of some functions, and ask for them by it.

    Only functions of one half are asked for, and only their documentation is blanked.
    Blank lines take the place of what is blanked, so that every other line keeps its number. The
    function's own name is dropped from the question: with it, any search for a name would do.
    """
    if target.exists():
        shutil.rmtree(target)
    found: list[tuple[str, Definition]] = []
    sources: dict[str, bytes] = {}
    for path in list_repository(source).files:
        data = (source / path).read_bytes()
        place = target / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        language = detect_language(path, data)
        if language is None or language.grammar is None or _TEST.search(path):
            continue
        sources[path] = data
        found.extend(
            (path, each)
            for each in outline(data, language).definitions
            if half_of(f"{path}:{each.line}") is half
        )
    chance = random.Random(seed)
    chance.shuffle(found)
    questions: list[Question] = []
    asked: set[str] = set()
    per_file: dict[str, int] = {}
    for path, definition in found:
        question = _question(path, definition)
        if question is None or question.text in asked or per_file.get(path, 0) >= 2:
            continue
        asked.add(question.text)
        per_file[path] = per_file.get(path, 0) + 1
        _blank(target / path, definition)
        questions.append(question)
        if len(questions) == count:
            break
    return sorted(questions, key=lambda question: question.id)


def _question(path: str, definition: Definition) -> Question | None:
    documentation = definition.documentation
    if definition.kind not in FUNCTIONS or documentation is None:
        return None
    if definition.end_line - definition.line < 2:
        return None
    paragraph = re.split(r"\n\s*\n|\n\s*[@:#=]", documentation.text, maxsplit=1)[0]
    words = [word for word in paragraph.split() if definition.name not in re.split(r"\W+", word)]
    text = " ".join(words)[:MAX_CHARACTERS]
    if len(words) < MIN_WORDS or not text.isascii():
        return None
    key = f"{path}:{definition.line}"
    right = RightFile(path, ((definition.line, definition.line),))
    return Question(hashlib.sha256(key.encode()).hexdigest()[:12], text, (right,))


def _blank(path: Path, definition: Definition) -> None:
    """Replace the documentation by as many line ends; all other bytes stay where they are."""
    documentation = definition.documentation
    if documentation is None:
        return
    data = path.read_bytes()
    start, end = documentation.start_byte, documentation.end_byte
    kept = bytes(byte if byte in b"\r\n" else 0x20 for byte in data[start:end])
    path.write_bytes(data[:start] + kept + data[end:])
    os.utime(path, (1_600_000_000, 1_600_000_000))
