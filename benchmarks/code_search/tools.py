"""The tools, each behind the same verbs: index a folder, ask a question, best spans first."""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from abc import ABC, abstractmethod
from pathlib import Path
from time import perf_counter, process_time

from qidf.analysis.stopwords import ENGLISH
from qidf.repository import Repository
from qidf.repository.listing import list_repository
from qidf.repository.reading import read_source

Span = tuple[str, int, int]

# Answers asked for: enough to fill 8,000 tokens with short functions.
DEPTH = 60
_WORD = re.compile(r"[A-Za-z_]\w{2,}")


class Tool(ABC):
    """Something that ranks spans of files for a question; whole files are spans too."""

    name: str
    note: str = ""

    @abstractmethod
    def index(self, root: Path) -> float | None:
        """Prepare to search a folder; seconds, or None where there is nothing to prepare."""

    @abstractmethod
    def ask(self, text: str) -> list[Span]:
        """Spans, best first."""

    @abstractmethod
    def cold(self, text: str) -> list[str]:
        """A command that answers a question from what `index` left on disk, run in the folder."""

    def cpu_seconds(self) -> float:
        """Processor time used so far; unlike the clock's, it doesn't depend on who else is busy."""
        return process_time()

    def cpu_base(self, before: float) -> float:
        """What `cpu_seconds` was before indexing, given this process's own."""
        return before

    def close(self) -> None:
        """Drop whatever was made."""
        return


class Qidf(Tool):
    """qidf itself; every question checks every file for changes first."""

    name = "qidf"
    note = "spans; brought up to date before every answer"

    def index(self, root: Path) -> float:
        self.folder = Path(tempfile.mkdtemp(prefix="qidf-"))
        self._before = _with_children()
        started = perf_counter()
        self.repository = Repository.open(root, directory=self.folder / "index")
        self.repository.refresh()
        return perf_counter() - started

    def ask(self, text: str) -> list[Span]:
        hits = self.repository.search(text, DEPTH)
        return [(hit.path, hit.start_line, hit.end_line) for hit in hits]

    def cold(self, text: str) -> list[str]:
        code = (
            "import sys; from qidf.repository import Repository;"
            "print(len(Repository.open('.', directory=sys.argv[1]).search(sys.argv[2])))"
        )
        return [sys.executable, "-c", code, str(self.folder / "index"), text]

    def cpu_seconds(self) -> float:
        # A first index has other processes to help it.
        return _with_children()

    def cpu_base(self, before: float) -> float:
        return self._before

    def close(self) -> None:
        shutil.rmtree(self.folder)


def _with_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return process_time() + used.ru_utime + used.ru_stime


class WholeFiles(Tool):
    """A tool over whole files."""

    def _read(self, root: Path) -> None:
        self.paths: list[str] = []
        self.texts: list[str] = []
        for path in list_repository(root).files:
            source = read_source(root, path)
            if not source.reason:
                self.paths.append(path)
                self.texts.append(source.text)

    def _spans(self, numbers: list[int]) -> list[Span]:
        return [(self.paths[number], 1, self.texts[number].count("\n") + 1) for number in numbers]


class Bm25sFiles(WholeFiles):
    """bm25s with its defaults."""

    name = "bm25s"
    note = "whole files; its default tokenizer and English stop words"

    def index(self, root: Path) -> float:
        import bm25s

        started = perf_counter()
        self._read(root)
        tokens = bm25s.tokenize(self.texts, stopwords="en", show_progress=False)
        self.retriever = bm25s.BM25()
        self.retriever.index(tokens, show_progress=False)
        seconds = perf_counter() - started
        self.folder = Path(tempfile.mkdtemp(prefix="bm25s-"))
        self.retriever.save(self.folder, show_progress=False)
        return seconds

    def ask(self, text: str) -> list[Span]:
        import bm25s

        tokens = bm25s.tokenize([text], stopwords="en", show_progress=False)
        k = min(DEPTH, len(self.paths))
        found, scores = self.retriever.retrieve(tokens, k=k, show_progress=False)
        return self._spans([int(n) for n, s in zip(found[0], scores[0], strict=True) if s > 0])

    def cold(self, text: str) -> list[str]:
        code = (
            "import sys, bm25s; found = bm25s.BM25.load(sys.argv[1], mmap=True);"
            "asked = bm25s.tokenize([sys.argv[2]], stopwords='en', show_progress=False);"
            "print(found.retrieve(asked, k=10, show_progress=False)[0])"
        )
        return [sys.executable, "-c", code, str(self.folder), text]

    def close(self) -> None:
        shutil.rmtree(self.folder)


class Fts5Files(WholeFiles):
    """SQLite's full-text index, with its stemmer."""

    name = "SQLite FTS5"
    note = "whole files; porter unicode61, any word may match, its own bm25()"

    def index(self, root: Path) -> float:
        self.folder = Path(tempfile.mkdtemp(prefix="fts5-"))
        started = perf_counter()
        self._read(root)
        self.database = sqlite3.connect(self.folder / "files.db")
        self.database.execute(
            "create virtual table files using fts5(path, text, tokenize='porter unicode61')"
        )
        rows = enumerate(zip(self.paths, self.texts, strict=True))
        self.database.executemany(
            "insert into files(rowid, path, text) values (?, ?, ?)",
            ((number, path, text) for number, (path, text) in rows),
        )
        self.database.commit()
        return perf_counter() - started

    _SEARCH = "select rowid from files where files match ? order by bm25(files) limit ?"

    def _query(self, text: str) -> str:
        words = [word for word in re.findall(r"\w+", text) if word.lower() not in ENGLISH]
        return " OR ".join(f'"{word}"' for word in dict.fromkeys(words))

    def ask(self, text: str) -> list[Span]:
        query = self._query(text)
        if not query:
            return []
        rows = self.database.execute(self._SEARCH, (query, DEPTH))
        return self._spans([row[0] for row in rows])

    def cold(self, text: str) -> list[str]:
        code = (
            "import sys, sqlite3; found = sqlite3.connect(sys.argv[1]);"
            "print(found.execute(sys.argv[2], (sys.argv[3], 10)).fetchall())"
        )
        database = str(self.folder / "files.db")
        return [sys.executable, "-c", code, database, self._SEARCH, self._query(text)]

    def close(self) -> None:
        self.database.close()
        shutil.rmtree(self.folder)


class Ripgrep(WholeFiles):
    """ripgrep for any of the words; files by how many different ones they hold, then how often."""

    name = "ripgrep"
    note = "whole files; one call for any of the words, ranked by distinct words, then matches"

    def index(self, root: Path) -> None:
        self.root = root
        self.program = os.environ.get("RIPGREP") or shutil.which("rg") or "rg"

    def cpu_seconds(self) -> float:
        return _with_children()

    def cold(self, text: str) -> list[str]:
        """The call for a question; it has nothing on disk, so that cold is as warm."""
        words = dict.fromkeys(word.lower() for word in _WORD.findall(text))
        kept = [word for word in words if word not in ENGLISH] or ["\\0"]
        options = ["--ignore-case", "--only-matching", "--no-heading", "--no-line-number", "--null"]
        return [self.program, *options, "--color=never", "-e", "|".join(kept), "."]

    def ask(self, text: str) -> list[Span]:
        done = subprocess.run(
            self.cold(text),
            cwd=self.root,
            capture_output=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        counts: dict[bytes, dict[bytes, int]] = {}
        for line in done.stdout.split(b"\n"):
            path, _, word = line.partition(b"\0")
            if word:
                found = counts.setdefault(path, {})
                found[word.lower()] = found.get(word.lower(), 0) + 1
        ranked = sorted(counts, key=lambda path: (-len(counts[path]), -sum(counts[path].values())))
        spans = []
        for path in ranked[:DEPTH]:
            name = os.fsdecode(path).removeprefix("./")
            lines = (self.root / name).read_bytes().count(b"\n") + 1
            spans.append((name, 1, lines))
        return spans


class Semble(Tool):
    """semble's lexical ranking with its own reranking, in an environment of its own."""

    name = "semble (lexical)"
    note = "its chunks, BM25 and reranking; its embedding model can't be downloaded here"

    def index(self, root: Path) -> float:
        self.folder = Path(tempfile.mkdtemp(prefix="semble-"))
        self.process = subprocess.Popen(
            [*self._runner(), "index", str(self.folder), str(root), str(DEPTH)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._told = self._line()
        return float(self._told["index_seconds"])

    def _runner(self) -> list[str]:
        python = os.environ.get("SEMBLE_PYTHON", sys.executable)
        return [python, str(Path(__file__).parent / "semble_runner.py")]

    def cold(self, text: str) -> list[str]:
        return [*self._runner(), "ask", str(self.folder), text]

    def cpu_seconds(self) -> float:
        return self._told["cpu_seconds"]

    def cpu_base(self, before: float) -> float:
        return 0.0

    def _line(self) -> dict[str, float]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("semble ended early; look at what it printed")
        answer: dict[str, float] = json.loads(line)
        return answer

    def ask(self, text: str) -> list[Span]:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(text) + "\n")
        self.process.stdin.flush()
        self._told = self._line()
        spans = self._told["spans"]
        return [(path, start, end) for path, start, end in spans]  # type: ignore[attr-defined]

    def close(self) -> None:
        if self.process.stdin is not None:
            self.process.stdin.close()
        self.process.wait(30)
        shutil.rmtree(self.folder)


TOOLS: tuple[type[Tool], ...] = (Qidf, Semble, Bm25sFiles, Fts5Files, Ripgrep)
