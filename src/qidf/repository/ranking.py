"""What a span scores: by its own words, by its file's, and by those of the span next to it.

A function shares few words with a question about it, while the file it is in, and its neighbours,
share many. All three are BM25 with the same weighting: spans as documents, and files as documents
made of their spans. Only spans that share a word with the question themselves are ranked, and those
that aren't code count half (`roles`). What the question gives by name (`question`) is added: paths
and frames of traces, names that are defined here (`leads`), words that stand together (`phrases`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import accumulate
from typing import TYPE_CHECKING, overload

import numpy as np

from qidf.errors import CorruptIndexError
from qidf.index import Groups, Index, Scoring, TokenScores, group_scores, summed
from qidf.records import dataclass
from qidf.repository.leads import (
    MAX_DEFINITIONS,
    FileTable,
    definitions,
    led_files,
    led_frames,
)
from qidf.repository.phrases import Phrase
from qidf.repository.question import Kind, Question
from qidf.repository.roles import (
    BESIDE_WEIGHT,
    Role,
    asked_roles,
    is_test_symbol,
    may_hold_tests,
    role_of,
)
from qidf.weighting import AUTO, Decision, Weighting

if TYPE_CHECKING:
    from qidf.index.columns import IdColumn
    from qidf.index.segment import Segment

# From a span's id to its text.
TextOf = Callable[[str], str]

# Chosen on doc comments taken out of six repositories, on the half of them that no run is measured
# on (benchmarks/code_search); means over the six of file NDCG@10, span NDCG@10, recall within 2,000
# and within 8,000 tokens. Spans alone with k1 = 2 and b = 0.9: .693 .266 .435 .617; with the file,
# .709 .301 .516 .705; with the neighbour too, .709 .312 .542 .727; with these k1 and b,
# .715 .339 .590 .749. Symbols asked for by name are found as well as before once a definition's
# name counts as often as `indexing` says.
CODE_K1, CODE_B = 4.0, 1.0
FILE_K1, FILE_B = 3.0, 0.9
FILE_SHARE = 0.8
NEIGHBOUR_SHARE = 0.2
# What a question adds by name, in shares of the highest score that words alone give, so that it is
# as much in a long question as in a short one. A path adds to each span of its file a share of what
# that has; a frame and a name to the function they are about. A name that is all of a question
# comes before everything that doesn't define it; one in a sentence is mentioned rather than asked
# for (doc comments of Rails and Django, span NDCG@10: .381 at 0, .375 at 0.1, .364 at 0.2).
PATH_SHARE = 0.3
FRAME_SHARE = 0.3
NAME_SHARE = 0.2
NAME_IN_SENTENCE = 0.0
# A text that stands in a span word by word adds as much as the best words could. Half of one is
# worth a quarter: half of its words stand together in many places.
PHRASE_SHARE = 1.0
PHRASE_POWER = 2.0
# Of the spans that hold most of a phrase's words, so many are read. String literals of four
# repositories asked for as they are, first place and within ten: 52% and 82% without a second look,
# 94% and nearly all with it.
SECOND_LOOK = 100
PHRASE_HELD = 0.6
MAX_PHRASES = 8
# The n-th span of a file counts this to the n-1, so that an answer isn't all of one file.
REPEAT = 0.97
# Tests and documents seldom hold more than three of four places.
_LOOKED_AT = 4


class FileTables:
    """Which spans belong to one file, in each state of an index; a segment is looked at once."""

    def __init__(self) -> None:
        """Know no segment yet."""
        self._known: dict[int, tuple[IdColumn, np.ndarray]] = {}
        self._table: tuple[Index | None, FileTable | None] = (None, None)

    def of(self, index: Index, segments: Sequence[Segment]) -> FileTable:
        """The files of an index, given by its segments."""
        known, table = self._table
        if table is None or known is not index:
            columns = [segment.ids for segment in segments]
            # A column is kept with its number, so that no other can come to have the same.
            self._known = {id(each): self._looked_at(each) for each in columns}
            looked = [self._known[id(each)] for each in columns]
            groups = Groups.from_starts(segments, [starts for _, starts in looked])
            table = FileTable(groups, FilePaths(looked))
            self._table = (index, table)
        return table

    def _looked_at(self, ids: IdColumn) -> tuple[IdColumn, np.ndarray]:
        return self._known.get(id(ids)) or (ids, file_starts(ids))


class FilePaths(Sequence[str]):
    """The paths of files by number, each read when it is first asked for: most never are."""

    def __init__(self, columns: Sequence[tuple[IdColumn, np.ndarray]]) -> None:
        """Take the ids of each segment, and the numbers of those that a file begins with."""
        self._columns = columns
        self._bases = list(accumulate((len(starts) for _, starts in columns), initial=0))
        self._read: dict[int, str] = {}

    def __len__(self) -> int:
        """How many files there are."""
        return self._bases[-1]

    @overload
    def __getitem__(self, number: int) -> str: ...
    @overload
    def __getitem__(self, number: slice) -> list[str]: ...
    def __getitem__(self, number: int | slice) -> str | list[str]:
        """The path of a file."""
        if isinstance(number, slice):
            return [self[each] for each in range(*number.indices(len(self)))]
        path = self._read.get(number)
        if path is None:
            if not 0 <= number < len(self):
                raise IndexError(number)
            segment = bisect_right(self._bases, number) - 1
            ids, starts = self._columns[segment]
            path = str(ids[int(starts[number - self._bases[segment]])]).rpartition(":")[0]
            self._read[number] = path
        return path


def file_starts(ids: IdColumn) -> np.ndarray:
    """The numbers of those ids (path:start-end) whose path isn't that of the one before."""
    starts = ids.prefix_starts(":")
    if starts is None:
        raise CorruptIndexError("the index holds an id that names no span; build it again")
    return starts


@dataclass(frozen=True, slots=True)
class Parts:
    """What a span's score is made of; shares are in these already.

    `path` is added where the question gives the file's path, `name` where it names what the span
    defines, `phrase` where its words stand together there. `weight` is 1 for code and for what the
    question asks for, and less for the rest; `repeat` is less than 1 from a file's second span on.
    """

    span: float
    file: float
    neighbour: float
    path: float
    name: float
    phrase: float
    weight: float
    repeat: float

    @property
    def score(self) -> float:
        """All of it."""
        words = self.span + self.file + self.neighbour + self.path
        return self.repeat * (self.weight * words + self.name + self.phrase)

    def to_dict(self) -> dict[str, float]:
        """The parts in JSON's types; these names are stable."""
        return asdict(self)


@dataclass(frozen=True, slots=True, eq=False)
class RankedSpans:
    """The best spans: their positions and scores, and what each is multiplied by for its place."""

    positions: np.ndarray
    scores: np.ndarray
    repeats: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class SpanScores:
    """Every span's score for one question before its role counts, and what goes into it.

    `words` is what the words of a span, its file and its neighbour give, and 0 for a span that
    shares none with the question; the arrays behind it are what names add.
    """

    index: Index
    decision: Decision
    question: Question
    table: FileTable
    words: np.ndarray
    spans: np.ndarray
    files: np.ndarray
    neighbours: np.ndarray
    paths: np.ndarray
    names: np.ndarray
    phrases: np.ndarray
    span_tokens: Sequence[TokenScores]
    file_tokens: Sequence[TokenScores]
    in_full: frozenset[Role]

    def role(self, position: int) -> Role:
        """What a span is for: what its file is, unless it is a test in a file of code."""
        path = self.table.paths[int(self.table.groups.numbers[position])]
        if may_hold_tests(path):
            (hit,) = self.index.hits(np.array([position]), np.zeros(1, np.float32))
            if is_test_symbol(str(hit.metadata.get("symbol", ""))):
                return Role.TEST
        return role_of(path)

    def weight(self, position: int) -> float:
        """What a span counts, given its role."""
        return 1.0 if self.role(position) in self.in_full else BESIDE_WEIGHT

    def parts(self, position: int, repeat: float = 1.0) -> Parts:
        """What the score of one span is made of."""
        beside = self.neighbours[position]
        return Parts(
            float(self.spans[position]),
            FILE_SHARE * float(self.files[self.table.groups.numbers[position]]),
            NEIGHBOUR_SHARE * float(self.spans[beside]) if beside >= 0 else 0.0,
            float(self.paths[position]),
            float(self.names[position]),
            float(self.phrases[position]),
            self.weight(position),
            repeat,
        )

    def matched(self, position: int) -> dict[str, float]:
        """What each token that is in a span adds to its own part of the score, most first."""
        found = {token.token: token.at(position)[1] for token in self.span_tokens}
        return dict(sorted(((k, v) for k, v in found.items() if v), key=lambda item: -item[1]))

    def added(self, position: int) -> dict[str, float]:
        """What each token, wherever it is found, and each other part add to the score of a span."""
        weight, number = self.weight(position), int(self.table.groups.numbers[position])
        beside = int(self.neighbours[position])
        added = {}
        for own, file in zip(self.span_tokens, self.file_tokens, strict=True):
            value = own.at(position)[1] + FILE_SHARE * file.at(number)[1]
            if beside >= 0:
                value += NEIGHBOUR_SHARE * own.at(beside)[1]
            added[own.token] = weight * value
        parts = self.parts(position)
        led = {"(path)": weight * parts.path, "(name)": parts.name, "(phrase)": parts.phrase}
        return {**added, **{part: value for part, value in led.items() if value}}

    def best(self, count: int) -> RankedSpans:
        """The best spans, ties in the order they are stored in.

        Roles and places only lower scores, so they are looked up for the first spans of the order
        without them, and for more until none behind can come before the last that is wanted.
        """
        most = np.where(self.words > 0, self.words + self.paths + self.names + self.phrases, 0)
        looked = _LOOKED_AT * count
        while True:
            near, behind = _highest(most, looked)
            weights = np.array([self.weight(each) for each in near.tolist()], np.float32)
            scores = (self.words[near] + self.paths[near]) * weights
            scores += self.names[near] + self.phrases[near]
            repeats = np.ones(len(near), np.float32)
            if self.question.is_long:
                repeats = _repeats(scores, self.table.groups.numbers[near], near)
            scores *= repeats
            places = np.lexsort((near, -scores))[:count]
            if behind <= 0 or scores[places[-1]] > behind:
                return RankedSpans(near[places], scores[places], repeats[places])
            looked *= _LOOKED_AT

    def place(self, position: int) -> tuple[int, float] | None:
        """The rank of a span from 1, and what its score is multiplied by; None if it is no hit."""
        if self.words[position] <= 0:
            return None
        ranked = self.best(len(self.words))
        (place,) = np.flatnonzero(ranked.positions == position).tolist()
        return place + 1, float(ranked.repeats[place])


def score_spans(
    index: Index,
    table: FileTable,
    question: Question,
    asked: Weighting,
    *,
    k1: float = CODE_K1,
    b: float = CODE_B,
    text_of: TextOf | None = None,
    ratios: Mapping[str, float] | None = None,
) -> SpanScores:
    """Score all spans; k1 and b are those of spans, and `text_of` gives the text of one.

    `ratios` are those of `idf_ratios`, where several indexes are ranked as one.
    """
    groups = table.groups
    weights = question.weights(index.analyzer)
    if ratios is not None:
        weights = {token: weight * ratios.get(token, 1.0) for token, weight in weights.items()}
    decision = index.decide(question.text, weighting=of_code(asked))
    chosen = decision.weighting
    once = index.token_scores(list(weights), weighting=chosen, k1=k1, b=b)
    span_tokens = _weighed(once, weights)
    by_file = group_scores(once, groups, chosen, Scoring(chosen, FILE_K1, FILE_B))
    file_tokens = _weighed(by_file, weights)
    spans = summed(span_tokens, len(groups.numbers))
    files = summed(file_tokens, len(groups.lengths))
    neighbours = _better_neighbours(spans, groups.numbers)
    words = np.zeros_like(spans)
    own = np.flatnonzero(spans > 0)
    beside = neighbours[own]
    words[own] = (
        spans[own]
        + np.float32(FILE_SHARE) * files[groups.numbers[own]]
        + np.float32(NEIGHBOUR_SHARE) * np.where(beside >= 0, spans[beside], 0)
    )
    scored = SpanScores(
        index,
        decision,
        question,
        table,
        words,
        spans,
        files,
        neighbours,
        np.zeros_like(words),
        np.zeros_like(words),
        np.zeros_like(words),
        span_tokens,
        file_tokens,
        asked_roles(() if question.is_pasted else weights),
    )
    if len(own) or question.names:
        _lead(scored)
        if text_of is not None:
            _look_closer(scored, text_of)
    return scored


def of_code(asked: Weighting) -> Weighting:
    """A weighting for spans: evidence that is left open is of texts about code, not of code."""
    return replace(asked, evidence=False) if asked.evidence == "auto" else asked


def idf_ratios(indexes: Sequence[Index], query: str) -> list[dict[str, float]]:
    """For each index, what each token's idf is over all of them, as a multiple of its idf there.

    With these, scores of several indexes compare: a word that is rare in one and common in another
    says the same in both.
    """
    ratios = []
    for index in indexes:
        tokens = list(dict.fromkeys(index.analyzer.tokens(query)))
        chosen = index.decide(query, weighting=of_code(AUTO)).weighting
        everywhere = np.sum([each.doc_freqs(tokens) for each in indexes], axis=0)
        here = chosen.idfs(np.maximum(index.doc_freqs(tokens), 1), max(len(index), 1))
        shared = chosen.idfs(np.maximum(everywhere, 1), max(sum(map(len, indexes)), 1))
        known = np.where(here > 0, shared / np.where(here > 0, here, 1.0), 1.0)
        ratios.append(dict(zip(tokens, known.tolist(), strict=True)))
    return ratios


def _weighed(scored: Sequence[TokenScores], weights: Mapping[str, float]) -> list[TokenScores]:
    """What tokens add when each counts as often as the question has it count."""
    return [
        each
        if weights[each.token] == 1
        else replace(
            each, factor=weights[each.token], scores=each.scores * np.float32(weights[each.token])
        )
        for each in scored
    ]


def _lead(scored: SpanScores) -> None:
    """Add what the question's paths, frames and names add."""
    index, question, table = scored.index, scored.question, scored.table
    top = float(scored.words.max(initial=0.0)) or 1.0
    for number, sureness in led_files(table, question.paths, question.frames).items():
        own = np.flatnonzero(table.groups.numbers == number)
        scored.paths[own] += np.float32(PATH_SHARE * sureness) * scored.words[own]
    for found in led_frames(index, table, question.frames):
        scored.names[found.position] += FRAME_SHARE * top * found.sureness
    alone = question.kind is Kind.NAME
    if question.kind is Kind.CODE:
        return
    share = NAME_IN_SENTENCE if question.kind is Kind.SENTENCE else NAME_SHARE
    for found in definitions(index, question.names, limit=None if alone else MAX_DEFINITIONS):
        position = found.position
        if alone:
            scored.names[position] = top * (1 + found.sureness)
            # Found by its name alone, if that is no word.
            scored.words[position] = max(scored.words[position], np.float32(1e-3))
        else:
            scored.names[position] += share * top * found.sureness * scored.weight(position)


def _look_closer(scored: SpanScores, text_of: TextOf) -> None:
    """Add what phrases add to the spans that may hold them, whose texts are read for that."""
    top = np.float32(scored.words.max(initial=0.0))
    if top <= 0:
        return
    known = {each.token: each for each in scored.span_tokens}
    texts: dict[int, str] = {}
    for said in scored.question.phrases[:MAX_PHRASES]:
        tokens = set(scored.index.analyzer.tokens(said)) & known.keys()
        phrase = Phrase.of(said, {token: known[token].idf for token in tokens})
        quoted = said in scored.question.quotes
        if len(phrase.words) < 2 and not quoted:
            continue
        held = np.zeros_like(scored.words)
        for token in tokens:
            held[known[token].docs] += np.float32(known[token].idf)
        # Of those that hold as many of its words, the better ones.
        held[held < PHRASE_HELD * held.max(initial=0.0)] = 0
        near = _highest(held * (1 + scored.words / (100 * top)), SECOND_LOOK)[0]
        for position in near.tolist():
            if position not in texts:
                texts[position] = text_of(str(scored.index.ids([position])[0]))
            share = phrase.match(texts[position]) ** PHRASE_POWER * phrase.strength
            if quoted and said in texts[position]:
                # To the letter, marks and all.
                share = 1.0
            added = np.float32(PHRASE_SHARE * share) * top
            scored.phrases[position] = max(scored.phrases[position], added)


def _highest(scores: np.ndarray, count: int) -> tuple[np.ndarray, float]:
    """Where the highest scores above zero are, and the highest of the rest."""
    matching = np.flatnonzero(scores > 0)
    if len(matching) <= count:
        return matching, 0.0
    found = -scores[matching]
    order = np.argpartition(found, count)
    return matching[order[:count]], -float(found[order[count]])


def _repeats(scores: np.ndarray, numbers: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """What each span counts as the n-th best of its file."""
    order = np.lexsort((positions, -scores, numbers))
    firsts = np.flatnonzero(np.diff(numbers[order], prepend=-1))
    place = np.arange(len(order)) - np.repeat(firsts, np.diff(firsts, append=len(order)))
    repeats = np.empty(len(order), np.float32)
    repeats[order] = np.float32(REPEAT) ** place.astype(np.float32)
    return repeats


def _better_neighbours(spans: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """The position of the better of the spans before and after each in its file; -1 if none.

    One that shares no word, or only common ones that count against it, is no neighbour.
    """
    neighbours = np.full(len(spans), -1, np.int64)
    if len(spans) < 2:
        return neighbours
    same = numbers[1:] == numbers[:-1]
    places = np.arange(len(spans))
    before = same & (spans[:-1] > 0)
    neighbours[1:][before] = places[:-1][before]
    after = same & (spans[1:] > 0)
    # The one before wins if both are as good.
    known = np.where(neighbours[:-1] >= 0, spans[neighbours[:-1]], 0)
    better = after & (spans[1:] > known)
    neighbours[:-1][better] = places[1:][better]
    return neighbours
