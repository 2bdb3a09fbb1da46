"""Lucene as the contract suite meets it, built and asked by a Java program of its own."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote_plus, unquote_plus

import pytest
from engine_reference import Conventions, byte4
from engines_under_test import UnderTest

PROGRAM = Path(__file__).with_name("LuceneBench.java")


@cache
def bench() -> Any:
    """Start the program, once for all tests; they are skipped where it can't run."""
    jars = os.environ.get("QIDF_LUCENE_JARS")
    if jars is None:
        pytest.skip("no jars of Lucene; fetch them with: export QIDF_LUCENE_JARS=$(.ci/lucene)")
    if shutil.which("java") is None:
        pytest.skip("there is no JDK")
    process = subprocess.Popen(
        ["java", "-XX:TieredStopAtLevel=1", "-cp", f"{jars}/*", str(PROGRAM)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    atexit.register(process.kill)
    return process


def ask(*words: str) -> list[str]:
    """Ask one question of the program."""
    process = bench()
    process.stdin.write("\t".join(map(quote_plus, words)) + "\n")
    process.stdin.flush()
    line = process.stdout.readline()
    assert line, "the Java program has died"
    return line.rstrip("\n").split("\t") if line != "\n" else []


class Lucene(UnderTest):
    name = "lucene"
    conventions = Conventions(1.2, 0.75, False, False, stored_length=byte4)
    options: ClassVar[dict[str, Any]] = {}

    def __init__(self, documents: dict[str, str], folder: Path) -> None:
        ask("build", str(folder), *(word for pair in documents.items() for word in pair))
        self.folder = folder
        self.target = f"lucene:{folder}?field=body&id=id"

    def _search(self, k: int, terms: list[tuple[str, str]]) -> list[tuple[Any, float]]:
        words = [word for pair in terms for word in pair]
        found = (hit.split(" ") for hit in ask("search", str(self.folder), str(k), *words))
        return [(unquote_plus(doc_id), float(score)) for doc_id, score in found]

    def own_ranking(self, text: str, tokens: list[str], k: int) -> list[tuple[Any, float]]:
        return self._search(k, [(token, "") for token in tokens])

    def run_native(self, query: Any, k: int) -> list[tuple[Any, float]]:
        terms = [(term, "" if boost is None else repr(boost)) for term, boost in query.terms]
        return self._search(k, terms)

    def filter_to(self, ids: list[str]) -> Any:
        return {"id": ids}

    def delete(self, ids: list[str]) -> bool:
        ask("delete", str(self.folder), *ids)
        return True
