"""Functions of every package, two processes at a time, remembered for each package."""

from __future__ import annotations

import ast
import gzip
import hashlib
import json
import multiprocessing
import os
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks.corpora import contents, filters
from benchmarks.corpora.functions import Function
from benchmarks.corpora.languages import LANGUAGES
from benchmarks.corpora.pinned import PinnedPackage

Job = tuple[str, PinnedPackage, Path, Path]


def rules_checksum(language: str) -> str:
    """Checksum of the code that decides what is extracted: it changes, the memory is stale."""
    folder = Path(__file__).parent
    names = ["contents.py", "filters.py", "functions.py", "languages/language.py"]
    names.append("languages/comments.py")
    digest = hashlib.sha256()
    for name in [*names, f"languages/{language}.py"]:
        # The syntax tree, so that comments and layout change nothing.
        digest.update(ast.dump(ast.parse((folder / name).read_bytes())).encode())
    return digest.hexdigest()[:16]


def extract_package(job: Job) -> tuple[list[Function], Counter[str]]:
    """Functions and counts of one package, from memory when the rules are unchanged."""
    language_name, package, archive, memory = job
    if memory.exists():
        with gzip.open(memory, "rt", encoding="utf-8") as file:
            counts = Counter(json.loads(next(file)))
            return [Function(**json.loads(line)) for line in file], counts
    language = LANGUAGES[language_name]
    counts = Counter()
    functions: list[Function] = []
    for path, data in contents.source_files(archive, language.suffixes):
        functions += filters.functions_of_file(
            language, package.name, package.version, path, data, counts
        )
    memory.parent.mkdir(parents=True, exist_ok=True)
    partial = memory.with_name(f"{memory.name}.{os.getpid()}")
    with gzip.open(partial, "wt", encoding="utf-8", compresslevel=1) as file:
        file.write(json.dumps(counts) + "\n")
        file.writelines(json.dumps(asdict(function)) + "\n" for function in functions)
    os.replace(partial, memory)
    return functions, counts


def extract(
    language: str,
    archives: Sequence[tuple[PinnedPackage, Path]],
    memory: Path,
    *,
    processes: int = 2,
    progress: bool = True,
) -> tuple[list[Function], Counter[str]]:
    """Functions of all packages in the order of the list, with the counts of every step."""
    rules = rules_checksum(language)
    jobs: list[Job] = [
        (language, package, archive, memory / language / rules / f"{package.sha256[:16]}.jsonl.gz")
        for package, archive in archives
    ]
    functions: list[Function] = []
    counts: Counter[str] = Counter()
    with multiprocessing.Pool(processes) as pool:
        for done, (found, counted) in enumerate(pool.imap(extract_package, jobs, 4), start=1):
            functions += found
            counts += counted
            if progress and (done % 50 == 0 or done == len(jobs)):
                print(
                    f"\rextract {done}/{len(jobs)} packages, {len(functions)} functions",
                    end="\n" if done == len(jobs) else "",
                    file=sys.stderr,
                    flush=True,
                )
    return functions, counts
