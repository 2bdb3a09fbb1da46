"""The JVM at the other end of the pipe: found, started, asked, stopped."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote_plus, unquote_plus

from qidf.errors import (
    EngineRejectedError,
    EngineUnavailableError,
    IndexNotFoundError,
    UnsupportedError,
)

SOURCE = Path(__file__).with_name("LuceneWorker.java")
JARS_VARIABLE = "QIDF_LUCENE_JARS"
_NEEDED = ("lucene-core-*.jar", "lucene-analysis-common-*.jar")
# One JVM a connection: small, and ready soon rather than fast for hours.
_FLAGS = ("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")


class Worker:
    """Lucene's side of a connection; one request at a time."""

    def __init__(self, index: Path, analyzer: str, jars: str | os.PathLike[str] | None) -> None:
        """Start the JVM and open the index."""
        self._lock = threading.Lock()
        command = [
            _java(),
            *_FLAGS,
            "-cp",
            os.fspath(_folder(jars) / "*"),
            os.fspath(SOURCE),
            os.fspath(index),
            analyzer,
        ]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        )
        try:
            (self.version,) = self._answer(index)
        except BaseException:
            self.close()
            raise

    def ask(self, *words: str) -> list[str]:
        """Send one request and return the words of its answer."""
        line = "\t".join(map(quote_plus, words))
        with self._lock:
            pipe = self._process.stdin
            try:
                if pipe is None:
                    raise BrokenPipeError
                pipe.write(line + "\n")
                pipe.flush()
            except (OSError, ValueError):
                raise EngineUnavailableError(
                    "Lucene's JVM has stopped; connect to the index again."
                ) from None
            return self._answer(None)

    def close(self) -> None:
        """Stop the JVM, which ends when its input does."""
        with self._lock:
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    pipe.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _answer(self, opening: Path | None) -> list[str]:
        pipe = self._process.stdout
        line = "" if pipe is None else pipe.readline().rstrip("\n")
        kind, _, rest = line.partition("\t")
        if kind == "OK":
            # Empty is no words, not one empty word.
            return [unquote_plus(word) for word in rest.split("\t")] if rest else []
        if kind != "ERROR":
            raise EngineUnavailableError(
                "Lucene's JVM stopped without an answer; check that it is a JDK of version 11 or"
                " later and that the jars are of one version of Lucene."
            )
        name, message = (unquote_plus(word) for word in rest.split("\t"))
        if opening is not None and name in ("IndexNotFoundException", "NoSuchFileException"):
            raise IndexNotFoundError(f"there is no Lucene index at {opening}; check the path")
        if opening is not None and name == "ClassNotFoundException":
            raise EngineRejectedError(
                f"there is no analyzer {message}; use standard, whitespace, simple, keyword,"
                " english or the full name of a class in the jars"
            )
        raise EngineRejectedError(f"Lucene refuses: {name}: {message}.")


def _java() -> str:
    home = os.environ.get("JAVA_HOME")
    candidates = [] if home is None else [os.path.join(home, "bin", "java")]
    for candidate in (*candidates, "java"):
        found = shutil.which(candidate)
        if found is not None:
            return found
    raise UnsupportedError("Lucene needs a JDK of version 11 or later; install one.")


def _folder(jars: str | os.PathLike[str] | None) -> Path:
    """The folder with Lucene's jars."""
    named = os.environ.get(JARS_VARIABLE) if jars is None else jars
    if named is None:
        raise UnsupportedError(
            "Lucene's jars aren't part of qidf; put lucene-core and lucene-analysis-common into a"
            f" folder and name it with jars= or {JARS_VARIABLE}."
        )
    folder = Path(named)
    missing: Sequence[str] = [name for name in _NEEDED if not any(folder.glob(name))]
    if missing:
        raise UnsupportedError(f"there is no {missing[0]} in {folder}; put Lucene's jars there.")
    return folder
