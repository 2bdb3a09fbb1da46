"""Cutting a file into what a search returns: definitions where there are any, windows elsewhere.

The chunks of a file partition its lines: none is in two chunks, and none that isn't blank in none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field, replace

from qidf.records import dataclass
from qidf.repository.windows import WINDOW_CHARACTERS, windows
from qidf.syntax import Definition, detect_language, outline
from qidf.syntax.detection import SNIFFED_BYTES

# Below this a class is one chunk with all its methods: a hit on any of them needs the others to be
# understood, and together they cost no more than one long function.
WHOLE_CLASS_CHARACTERS = 1_000
# A function up to twice a window stays whole: cutting it costs more meaning than it saves.
WHOLE_FUNCTION_CHARACTERS = 2 * WINDOW_CHARACTERS
# Lines between definitions that are fewer than this go with the definition after them; alone they
# would outrank it, being short.
CRUMB_CHARACTERS = 160

_FUNCTIONS = frozenset({"function", "method", "macro"})
# Lines that only close or separate what other lines say.
_CLOSERS = "{}()[];,#*=-/_~+. \t"
_CLOSING_WORDS = frozenset({"end", "fi", "done", "esac", "else", "endif", "#endif"})


@dataclass(frozen=True, slots=True)
class Chunk:
    """Lines of a file, counted from 1 and inclusive, with the definition that they belong to.

    `inside` are the symbols of further definitions in these lines.
    """

    start_line: int
    end_line: int
    symbol: str = ""
    kind: str = ""
    inside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChunkedFile:
    """A file's chunks, their texts, its language, and why its definitions weren't found if so."""

    language: str
    chunks: tuple[Chunk, ...]
    texts: tuple[str, ...]
    notice: str | None = None


def chunk_file(path: str, text: str, *, parse: bool = True) -> ChunkedFile:
    """Cut a file; without `parse`, or in a language without a grammar, into windows."""
    language = detect_language(path, text[:SNIFFED_BYTES].encode("utf-8", "surrogatepass"))
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    name = "" if language is None else language.name
    if language is None or language.grammar is None or not parse:
        prose = language is not None and language.prose
        chunks = [Chunk(*each) for each in windows(lines, 1, len(lines), prose=prose)]
        notice = None
    else:
        data = text.encode("utf-8", "surrogatepass")
        described = outline(data, language, documented=False)
        chunks, notice = _Cutter(lines).cut(described.definitions), described.notice
    chunks = _worthwhile(chunks, lines)
    texts = ["\n".join(lines[chunk.start_line - 1 : chunk.end_line]) for chunk in chunks]
    return ChunkedFile(name, tuple(chunks), tuple(texts), notice)


@dataclass(slots=True)
class _Node:
    """A definition and those inside it, clipped to lines that no earlier one has."""

    definition: Definition | None
    first: int
    last: int
    children: list[_Node]
    # Symbols of definitions that have no lines of their own.
    beside: list[str] = field(default_factory=list)


class _Cutter:
    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._chunks: list[Chunk] = []

    def cut(self, definitions: Sequence[Definition]) -> list[Chunk]:
        """Visit definitions from the outside in, without recursion: code may nest at any depth."""
        pending: list[_Node | Chunk] = [self._tree(definitions)]
        while pending:
            node = pending.pop()
            if isinstance(node, Chunk):
                self._chunks.append(node)
            elif node.definition is not None and self._stays_whole(node):
                chunk = self._chunk(node, node.first, node.last)
                self._chunks.append(replace(chunk, inside=_symbols_inside(node)))
            else:
                pending.extend(reversed(self._pieces(node)))
        return _tidied(self._chunks, self._lines)

    def _tree(self, definitions: Sequence[Definition]) -> _Node:
        root = _Node(None, 1, len(self._lines), [])
        around = [root]
        for definition in definitions:
            first, last = definition.start_line, min(definition.end_line, len(self._lines))
            while len(around) > 1 and around[-1].last < first:
                around.pop()
            # Definitions may share a line: `} else` ... or two on one.
            while len(around) > 1 and around[-1].last < last:
                around.pop()
            parent = around[-1]
            if parent.children:
                first = max(first, parent.children[-1].last + 1)
            first = max(first, parent.first)
            if first > last or (
                parent.definition is not None
                and (first, last)
                == (
                    parent.first,
                    parent.last,
                )
            ):
                parent.beside.append(definition.symbol)
                continue
            node = _Node(definition, first, last, [])
            parent.children.append(node)
            around.append(node)
        return root

    def _stays_whole(self, node: _Node) -> bool:
        # Joining lines counts their characters, a line feed for each, faster than adding up.
        size = len("\n".join(self._lines[node.first - 1 : node.last])) + 1
        if node.definition is not None and node.definition.kind in _FUNCTIONS:
            return size <= WHOLE_FUNCTION_CHARACTERS
        if not node.children:
            return size <= WINDOW_CHARACTERS
        return size <= WHOLE_CLASS_CHARACTERS

    def _pieces(self, node: _Node) -> list[_Node | Chunk]:
        """What a node is cut into: its children, and windows over the lines between them."""
        pieces: list[_Node | Chunk] = []
        line = node.first
        for child in node.children:
            pieces.extend(self._between(node, line, child.first - 1))
            pieces.append(child)
            line = child.last + 1
        pieces.extend(self._between(node, line, node.last))
        return pieces

    def _between(self, node: _Node, first: int, last: int) -> list[Chunk]:
        if first > last:
            return []
        ranges = windows(self._lines, first, last)
        return [self._chunk(node, *each) for each in ranges]

    def _chunk(self, node: _Node, first: int, last: int) -> Chunk:
        definition = node.definition
        if definition is None:
            return Chunk(first, last)
        return Chunk(first, last, definition.symbol, definition.kind)


def _symbols_inside(node: _Node) -> tuple[str, ...]:
    """The symbols of all definitions inside one, without recursion."""
    found, pending = list(node.beside), list(node.children)
    while pending:
        child = pending.pop()
        if child.definition is not None:
            found.append(child.definition.symbol)
        found += child.beside
        pending += child.children
    own = "" if node.definition is None else node.definition.symbol
    return tuple(dict.fromkeys(symbol for symbol in found if symbol != own))


def _tidied(chunks: Sequence[Chunk], lines: Sequence[str]) -> list[Chunk]:
    """Give lines that are too little alone to a neighbour.

    Blank lines and closing braces go to the chunk before them, crumbs to the definition behind.
    """
    tidy: list[Chunk] = []
    crumb: Chunk | None = None
    for chunk in chunks:
        if tidy and crumb is None and not _any_says_something(chunk, lines):
            last = tidy[-1]
            tidy[-1] = replace(last, end_line=chunk.end_line)
            continue
        if tidy and crumb is None and _is_header_of(tidy[-1], chunk, lines):
            header = tidy[-1]
            inside = dict.fromkeys((*header.inside, chunk.symbol, *chunk.inside))
            tidy[-1] = replace(header, end_line=chunk.end_line, inside=tuple(inside))
            continue
        if crumb is None:
            if _is_crumb(chunk, lines):
                crumb = chunk
            else:
                tidy.append(chunk)
            continue
        tidy.append(replace(chunk, start_line=crumb.start_line))
        crumb = None
    if crumb is not None:
        tidy.append(crumb)
    return tidy


def _is_crumb(chunk: Chunk, lines: Sequence[str]) -> bool:
    """Whether a chunk is too little to stand alone; a header, which holds a name, is no crumb."""
    if chunk.kind in _FUNCTIONS:
        return False
    own = lines[chunk.start_line - 1 : chunk.end_line]
    if sum(map(len, own)) >= CRUMB_CHARACTERS:
        return False
    name = re.split(r"\.|::", chunk.symbol)[-1]
    return not name or not any(name in line for line in own)


def _is_header_of(header: Chunk, chunk: Chunk, lines: Sequence[str]) -> bool:
    """Whether a chunk is the first thing in a class of which all else so far is a line or two.

    Such a header alone would outrank the code, being short, and say nothing.
    """
    if header.kind in _FUNCTIONS or not header.symbol or header.inside:
        return False
    if not re.match(re.escape(header.symbol) + r"(\.|::|#)", chunk.symbol):
        return False
    own = sum(map(len, lines[header.start_line - 1 : header.end_line]))
    both = sum(map(len, lines[header.start_line - 1 : chunk.end_line]))
    return own < CRUMB_CHARACTERS and both <= WHOLE_FUNCTION_CHARACTERS


def _any_says_something(chunk: Chunk, lines: Sequence[str]) -> bool:
    return _says_something(lines[chunk.start_line - 1]) or any(
        map(_says_something, lines[chunk.start_line : chunk.end_line])
    )


def _says_something(line: str) -> bool:
    word = line.strip()
    return word.strip(_CLOSERS) != "" and word.rstrip(";") not in _CLOSING_WORDS


def _worthwhile(chunks: Sequence[Chunk], lines: Sequence[str]) -> list[Chunk]:
    """Chunks without blank lines at their ends; those of nothing else are dropped."""
    trimmed = []
    for chunk in chunks:
        first, last = chunk.start_line, chunk.end_line
        while first <= last and not lines[first - 1].strip():
            first += 1
        while last >= first and not lines[last - 1].strip():
            last -= 1
        if (first, last) == (chunk.start_line, chunk.end_line):
            trimmed.append(chunk)
        elif first <= last:
            trimmed.append(replace(chunk, start_line=first, end_line=last))
    return trimmed
