"""What a question is: its kind, and what in it is a title, a name, a message, a path, a frame.

Everything that depends on how a question is written is decided here, once, from its text alone;
`ranking` does with it what it says. `explain` shows it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from enum import Enum

from qidf.analysis import Analyzer
from qidf.analysis.identifiers import split_identifier
from qidf.records import dataclass
from qidf.repository.frames import Frame, frames, mentioned_paths


class Kind(Enum):
    """How a question is put; its value is what a person reads."""

    NAME = "a name"
    QUOTE = "quoted text"
    WORDS = "a few words"
    SENTENCE = "a sentence"
    ISSUE = "an issue"
    TRACEBACK = "a stack trace"
    CODE = "code"


# A question with more words than these is no sentence that somebody typed, but a text that somebody
# pasted, and its words about tests and documents don't ask for any.
SENTENCE_WORDS = 40
FEW_WORDS = 5
# A first line beyond this is a paragraph, not a title.
TITLE_CHARACTERS = 150
# What a title's words count beside what all words count for being said: 1 + ln of how often. Bug
# reports find their files more often with it (issues of twelve projects: first in 52.6% against
# 49.4%). Not so in a short text, all of whose words were chosen with care: messages of commits find
# theirs within ten in 69% of cases with it and in 80% without.
TITLE_WEIGHT = 2.0
LONG_WORDS = 100
# From so many frames on, a text in which most lines belong to a trace is one.
_TRACE_FRAMES = 2
# Quoted text of fewer words is a word set off, not a text to look for.
_QUOTE_WORDS = 2

_WORD = re.compile(r"\w+")
_JOINT = r"(?:\.|::|#|->)"
_IDENTIFIER = r"[^\W\d][\w$]*"
_QUALIFIED = re.compile(rf"[$@]{{0,2}}{_IDENTIFIER}(?:{_JOINT}{_IDENTIFIER})*[?!]?")
_NAME = re.compile(rf"[$@]{{0,2}}{_IDENTIFIER}(?:{_JOINT}{_IDENTIFIER})*[?!]?(?:\(\))?|[$_]")
_HUMP = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]|[^_]_+[^_]|[.:#>]")
_QUOTED = re.compile(r'"([^"\n]+)"|“([^”\n]+)”|`([^`\n]+)`|(?<!\w)\'([^\'\n]+)\'(?!\w)')
_BACKTICKED = re.compile(r"`([^`\n]+)`")
_FENCE = re.compile(r"^\s*(```|~~~)", re.M)
_MESSAGE = re.compile(
    r"^\W*(?:[\w.:]*(?:Error|Exception|Warning|Fault|Failure)|panicked at|panic|fatal|error|warning"
    r"|ERROR|FATAL|WARNING)(?:\[\w+\])?:\s*(?P<message>\S.*)$|panicked at '(?P<panic>[^']+)'",
    re.M,
)
_CODE_LINE = re.compile(
    r"[{};]\s*$|^\s*(?:[)\]}]|//|#include|@\w|(?:def|class|fn|func|function|public|private|static"
    r"|const|let|var|return|import|from|if|for|while|else|elif|end|use|package)\b.*[^.?!]$)"
    r"|^\s*[\w.\[\]]+\s*(?::?=|\+=|\()|^\s*</?\w+"
)
_TRACE_LINE = re.compile(
    r"^\s*(?:File \"|at |#\d+|\d+: |Traceback|goroutine |[\w.]+(?:Error|Exception)\b)"
    r"|:\d+(?::\d+)?\b"
)


@dataclass(frozen=True, slots=True)
class Question:
    """A question as it was read.

    `names` are identifiers that may be defined here; `phrases` are runs of words that may stand in
    the code as they stand here; `quotes` are texts that stand there to the letter.
    """

    text: str
    kind: Kind
    title: str = ""
    names: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    frames: tuple[Frame, ...] = ()

    @property
    def is_pasted(self) -> bool:
        """Whether it is a text about something rather than words that ask for something."""
        return self.kind in (Kind.ISSUE, Kind.TRACEBACK, Kind.CODE)

    @property
    def is_long(self) -> bool:
        """Whether it is a text of which most words may be beside the point."""
        return self.is_pasted and len(_WORD.findall(self.text)) >= LONG_WORDS

    def weights(self, analyzer: Analyzer) -> dict[str, float]:
        """What each distinct token counts, in the order of first occurrence.

        A token said f times counts 1 + ln f, so that a trace or a sample that says one word forty
        times doesn't drown the rest; those of a title count more.
        """
        counts = Counter(analyzer.tokens(self.text))
        title = set(analyzer.tokens(self.title))
        if not self.is_long:
            title = set()
        return {
            token: 1 + math.log(count) + TITLE_WEIGHT * (token in title)
            for token, count in counts.items()
        }

    def spelled(self, analyzer: Analyzer) -> dict[str, str]:
        """Tokens as the question spells them: what is folded to `alia` was `aliases` there."""
        words: dict[str, str] = {}
        for word in _WORD.findall(self.text):
            for piece in (word, *split_identifier(word)):
                for token in analyzer.tokens(piece)[:1]:
                    words.setdefault(token, piece.lower())
        return words

    def to_dict(self) -> dict[str, object]:
        """What was read, in JSON's types; these names are stable."""
        return {
            "kind": self.kind.value,
            "title": self.title or None,
            "names": list(self.names),
            "phrases": list(self.phrases),
            "paths": list(self.paths),
            "frames": [f"{each.path}:{each.line} {each.function}".rstrip() for each in self.frames],
        }


def read_question(text: str) -> Question:
    """Tell what kind of question a text is, and what is in it."""
    bare = text.strip()
    quoted = re.fullmatch(r'"([^"]+)"|“([^”]+)”|\'([^\']+)\'|`([^`]+)`', bare)
    if quoted is not None:
        inner = next(filter(None, quoted.groups()))
        if not _NAME.fullmatch(inner):
            return Question(text, Kind.QUOTE, quotes=(inner,), phrases=(inner,))
        bare = inner
    found, paths = frames(bare), mentioned_paths(bare)
    if _NAME.fullmatch(bare):
        return Question(text, Kind.NAME, names=(bare.removesuffix("()"),), paths=paths)
    kind = _kind(bare, found)
    title = _title(bare) if kind is Kind.ISSUE else ""
    names = _names(bare)
    quotes = tuple(
        dict.fromkeys(
            inner
            for match in _QUOTED.finditer(bare)
            if len((inner := next(filter(None, match.groups()))).split()) >= _QUOTE_WORDS
        )
    )
    messages = [match["message"] or match["panic"] for match in _MESSAGE.finditer(bare)]
    phrases = [*messages, *quotes]
    if kind in (Kind.WORDS, Kind.SENTENCE):
        phrases.insert(0, bare)
    return Question(text, kind, title, names, tuple(dict.fromkeys(phrases)), quotes, paths, found)


def _kind(text: str, found: tuple[Frame, ...]) -> Kind:
    lines = [line for line in text.split("\n") if line.strip()]
    words = len(_WORD.findall(text))
    if len(found) >= _TRACE_FRAMES:
        # Python and others print a line of code under each frame.
        traced = 2 * sum(map(bool, map(_TRACE_LINE.search, lines)))
        return Kind.TRACEBACK if traced >= len(lines) else Kind.ISSUE
    if len(lines) > 2 and not _FENCE.search(text):
        coded = sum(map(bool, map(_CODE_LINE.search, lines)))
        if 2 * coded > len(lines):
            return Kind.CODE
    if len(lines) > 2 or words > SENTENCE_WORDS:
        return Kind.ISSUE
    return Kind.WORDS if words <= FEW_WORDS else Kind.SENTENCE


def _title(text: str) -> str:
    """The first line, if it is short and not all there is."""
    first, _, rest = text.lstrip().partition("\n")
    first = first.strip("#= \t\r")
    return first if rest.strip() and len(first) <= TITLE_CHARACTERS else ""


def _names(text: str) -> tuple[str, ...]:
    """Words that look like identifiers: humps, underscores, joints, calls, or between backticks."""
    found: dict[str, None] = {}
    for match in _BACKTICKED.finditer(text):
        inner = match[1].strip().removesuffix("()")
        if _QUALIFIED.fullmatch(inner):
            found[inner] = None
    for match in _QUALIFIED.finditer(text):
        word = match.group()
        called = text[match.end() : match.end() + 1] == "("
        begins = match.start() == 0 or text[match.start() - 1] in "\n" or _starts(text, match)
        capital = word[:1].isupper() and not begins
        if called or capital or _HUMP.search(word):
            found[word.rstrip("?!.")] = None
    return tuple(found)


def _starts(text: str, match: re.Match[str]) -> bool:
    """Whether a word begins a sentence, so that its capital says nothing."""
    before = text[max(match.start() - 3, 0) : match.start()].rstrip()
    return not before or before[-1] in ".!?:;*-|>#"
