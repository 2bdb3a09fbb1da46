"""Questions with known answers: what commits say, asked of the code before them.

Debian's source packages hold upstream's sources and, beside them, commits that upstream made later.
Such a commit's message asks; the code that it changes is right. A commit counts when all that it
changes in code is in the sources as they are, so that none builds on another one.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import tarfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.code_search.halves import Half, half_of
from benchmarks.code_search.questions import Question, RightFile
from benchmarks.corpora import build, pinned
from benchmarks.corpora.contents import MAX_FILE_BYTES
from benchmarks.corpora.patches import Hunk, Patch, read_patches
from benchmarks.lookalikes.arena import Source, pair
from qidf.analysis.stopwords import ENGLISH
from qidf.errors import InputError
from qidf.repository.listing import list_repository
from qidf.repository.roles import Role, role_of
from qidf.syntax import detect_language

PACKAGES = Path(__file__).parent / "packages" / "changes.tsv"
# Fewer words say too little, and more files are a sweep through the code rather than a place in it.
MIN_WORDS = 6
MAX_FILES = 5
# What patch allows.
MAX_FUZZ = 2
# A screen of text: what a person would paste of a message.
MAX_CHARACTERS = 1_000
_BESIDE = re.compile(
    r"(^|/)(tests?|testing|testdata|testsuite|unittests?|specs?|benches|benchmarks?|examples?|samples"
    r"|docs?|debian|vendor|third_party|po|t)/"
    r"|(^|[/_.-])(tests?|spec)\.\w+$|(^|/)tests?_|Tests?\.\w+$|(^|/)(configure|setup\.py|conftest\.py)$"
)
_DROPPED_LINE = re.compile(
    r"^\s*\S.*\|\s+(\d+\s*[+-]*|Bin .*)$"
    r"|^\s*\d+ files? changed"
    r"|^\s*\(?(cherry[- ]picked|backported) from\b"
    r"|^\s*\[?(backport|cherry-pick)\w*\b.*\b[0-9a-f]{7,}"
    r"|^\s*commit [0-9a-f]{7,}|^\s*(create|delete) mode \d"
    r"|^\s*(follow[- ]up (to|for)|backport of) [0-9a-f]{7,}|^\s*thanks to\b"
    r"|^\s*[\w-]+(-by|-on|-to|-id|-bot|-debian|-update): |^\s*(origin|forwarded|author|bug|cc) ?:"
    r"|^\s*(?-i:[A-Z]\w*(-[A-Z]\w*)+): "
    r"|^\s*(fixes|closes|updates|see|ref|link)s?:? ?\S+$|^\s*for #\d+\.?$|^-- ?$",
    re.IGNORECASE,
)
_DROPPED_WORD = re.compile(r"https?://|^<?[\w.+-]+@[\w-]+\.\w|^\W*[0-9a-f]{12,40}\W*$")
_WORD = re.compile(r"[A-Za-z]{2,}")
_NUMBERED = re.compile(r"(CVE-\d{4}-\d+|GHSA(-\w{4}){3}|\w+-?#\d+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ChangedRepository:
    """Upstream's sources, unpacked, and the commits that came later."""

    name: str
    root: Path
    patches: tuple[Patch, ...]


def sources(only: Sequence[str] | None = None) -> list[Source]:
    """The source packages of the pinned list."""
    found = pair(pinned.read(PACKAGES))
    return [source for source in found if not only or source.original.name in only]


def prepare(source: Source, cache: Path) -> ChangedRepository:
    """Download a source package and unpack it, once."""
    name = source.original.name
    root = cache / "sources" / f"{name}-{source.original.sha256[:12]}"
    settings = build.Settings(cache=cache, progress=not root.is_dir())
    got = build.fetch([source.original, source.debian], settings)
    if got.failures:
        raise InputError(next(iter(got.failures.values())))
    if not root.is_dir():
        unpack(got.paths[source.original], root)
    return ChangedRepository(name, root, tuple(read_patches(got.paths[source.debian])))


def unpack(archive: Path, target: Path) -> None:
    """Write the regular files of a tarball without the folder that all of it is in.

    Files above a megabyte are left out: they are data, and no tool here should be judged by them.
    """
    scratch = target.with_name(target.name + ".new")
    shutil.rmtree(scratch, ignore_errors=True)
    with tarfile.open(archive, mode="r:*") as tar:
        for member in tar:
            name = member.name.removeprefix("./").partition("/")[2]
            if not member.isreg() or not name or member.size > MAX_FILE_BYTES:
                continue
            if ".." in name.split("/"):
                raise InputError(f"{archive.name} has a path outside itself; take another package")
            data = tar.extractfile(member)
            if data is not None:
                place = scratch / name
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(data.read())
    scratch.rename(target)


def make_questions(
    repository: ChangedRepository,
    count: int,
    half: Half = Half.MEASURING,
    *,
    whole: bool = False,
    counts: Callable[[str], bool] | None = None,
) -> list[Question]:
    """Up to so many questions of one half, in the order of their ids, which are hashes.

    A message is asked as one line of text, or `whole`: in its own lines, however long. `counts`
    says which changed files are right answers, by their path; code is by default.
    """
    listed = set(list_repository(repository.root).files)
    found: list[Question] = []
    for patch in repository.patches:
        key = f"{repository.name}:{patch.name}"
        if half_of(key) is not half or not patch.is_upstream:
            continue
        right = right_files(patch, repository.root, listed, counts or is_code)
        text = question_text(patch, [each.path for each in right], whole=whole)
        if right and num_words(text) >= MIN_WORDS:
            found.append(Question(hashlib.sha256(key.encode()).hexdigest()[:12], text, right))
    # Commits of one message can't be told apart by it: none of them is asked for.
    told = Counter(question.text for question in found)
    kept = [question for question in found if told[question.text] == 1]
    return sorted(kept, key=lambda question: question.id)[:count]


def num_words(text: str) -> int:
    """How many different words say something: no stop words, no numbers of bugs."""
    words = {word.lower() for word in _WORD.findall(_NUMBERED.sub("", text))}
    return len(words - ENGLISH)


def right_files(
    patch: Patch, root: Path, listed: set[str], counts: Callable[[str], bool] | None = None
) -> tuple[RightFile, ...]:
    """The code that a patch changes; none where there is too much or where it doesn't apply."""
    counts = counts or is_code
    by_path: dict[str, list[Hunk]] = {}
    for hunk in patch.hunks:
        if counts(hunk.path):
            by_path.setdefault(hunk.path, []).append(hunk)
    if len(by_path) > MAX_FILES or not by_path.keys() <= listed:
        return ()
    right = []
    for path, hunks in by_path.items():
        lines = (root / path).read_bytes().decode("utf-8", "replace").split("\n")
        moved = [moved_places(hunk, lines) for hunk in hunks]
        if any(places is None for places in moved):
            return ()
        places = sorted({place for each in moved for place in each or ()})
        if not places:
            return ()
        right.append(RightFile(path, tuple(places)))
    return tuple(right)


def is_code(path: str) -> bool:
    """Whether a path is of code that does the work: no test, documentation, build or packaging."""
    language = detect_language(path, b"")
    return language is not None and language.grammar is not None and not _BESIDE.search(path)


def is_test_or_prose(path: str) -> bool:
    """Whether a path is of a test or of documentation, by what qidf itself takes it for."""
    return role_of(path) in (Role.TEST, Role.PROSE)


def moved_places(hunk: Hunk, lines: Sequence[str]) -> tuple[tuple[int, int], ...] | None:
    """Where a hunk's places are in the file, which may have moved; None if its lines aren't there.

    As for patch, the nearest of several places with the same lines counts, and up to two lines of
    context at either end may differ.
    """
    if not hunk.lines or not hunk.places:
        return None
    found = [line.rstrip("\r") for line in lines]
    wanted = [line.rstrip("\r") for line in hunk.lines]
    before = hunk.places[0][0] - hunk.start
    after = hunk.start + len(wanted) - 1 - hunk.places[-1][1]
    for fuzz in range(MAX_FUZZ + 1):
        cut = min(fuzz, max(before, 0))
        kept = wanted[cut : len(wanted) - min(fuzz, max(after, 0))]
        start = hunk.start + cut
        shifts = [
            at + 1 - start
            for at in range(len(found) - len(kept) + 1)
            if found[at] == kept[0] and found[at : at + len(kept)] == kept
        ]
        if shifts:
            shift = min(shifts, key=abs)
            return tuple((first + shift, last + shift) for first, last in hunk.places)
    return None


def question_text(patch: Patch, paths: Sequence[str], *, whole: bool = False) -> str:
    """A patch's title and body without what names the changed files and what no one asks."""
    lines = [
        " ".join(
            word
            for word in line.split()
            if not _DROPPED_WORD.search(word) and not _names_one(word, paths)
        )
        for line in _lines(f"{patch.title}\n\n{patch.body}".splitlines(), paths)
    ]
    if whole:
        return "\n".join(lines).strip()
    text = " ".join(filter(None, lines))
    if len(text) > MAX_CHARACTERS:
        text = text[:MAX_CHARACTERS].rpartition(" ")[0]
    return text


def _lines(lines: Iterable[str], paths: Sequence[str]) -> Iterator[str]:
    """Lines without trailers, statistics and the entries of a GNU changelog about changed files."""
    within_entry = False
    for line in lines:
        if re.match(r"\s*\* ", line):
            within_entry = any(_names_one(word, paths) for word in line.split()[1:2])
        elif not line.strip():
            within_entry = False
        if not within_entry and not _DROPPED_LINE.search(line):
            yield line


def _names_one(word: str, paths: Sequence[str]) -> bool:
    """Whether a word has a changed file's name, or a path without the extension, or its end."""
    bare = word.strip("()[]{}<>`'\",:;.*")
    for path in paths:
        name, stem = path.rpartition("/")[2], path.rpartition(".")[0]
        if re.search(rf"(^|\W){re.escape(name)}($|\W)", word):
            return True
        if "/" in bare and (f"/{stem}".endswith(f"/{bare}") or f"/{stem}/" in f"/{bare}/"):
            return True
    return False
