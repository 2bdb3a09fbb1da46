"""Questions that people ask of code, as BEIR folders for `qidf study questions`.

    python -m benchmarks.questions go python ruby -o DIR --part 0.25 0.30
    python -m benchmarks.questions --changes python-django --changes incus -o DIR

From the functions of a language's pinned packages (benchmarks/corpora):

- `documentation-LANGUAGE`: the first paragraph of a function's documentation asks for the function;
- `name-LANGUAGE`: its name does, as the code writes it;
- `message-LANGUAGE`: a message that no other function holds asks for the function that does;
- `function-LANGUAGE`: the function asks for its documentation, as in the paper.

From upstream's later commits to a package (benchmarks/code_search/changes.py), `commit-PACKAGE`:
the message of a commit asks for the first file it changes, in the sources before it.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from benchmarks.code_search import changes
from benchmarks.code_search.halves import Half
from benchmarks.corpora import build, duplicates, pinned
from benchmarks.corpora.beir import write_texts
from benchmarks.corpora.extraction import extract
from benchmarks.corpora.functions import Function

# Four words between quotes are a message, not a key or a format.
_MESSAGE = re.compile(r"\"([^\"\\\n]*)\"|'([^'\\\n]*)'")
_WORD = re.compile(r"[A-Za-z]{2,}")
_LEAST_WORDS = 4
_ALL = 10_000


# Documents and questions by id, and the right document of each question.
Folder = tuple[Mapping[str, str], Mapping[str, str], Mapping[str, str]]


def message(code: str) -> str | None:
    """The longest message in a function, or None."""
    found = [first or second for first, second in _MESSAGE.findall(code)]
    said = [each for each in found if len(_WORD.findall(each)) >= _LEAST_WORDS]
    return max(said, key=len) if said else None


def name(function: Function) -> str:
    """A function's own name, without what it is in."""
    return function.symbol.rpartition(".")[2]


def folders(functions: Sequence[Function], num_queries: int) -> dict[str, Folder]:
    """Documents, questions and right answers of each kind of question."""
    code = {f"d{at}": each.stripped for at, each in enumerate(functions)}
    said = {f"d{at}": each.documentation for at, each in enumerate(functions)}
    names = {f"d{at}": name(each) for at, each in enumerate(functions)}
    messages = {key: found for key, text in code.items() if (found := message(text))}
    often = Counter(messages.values())
    known = Counter(names.values())
    asked = {
        "documentation": (code, said),
        "name": (code, {key: each for key, each in names.items() if known[each] == 1}),
        "message": (code, {key: each for key, each in messages.items() if often[each] == 1}),
        "function": (said, code),
    }
    made = {}
    for kind, (documents, texts) in asked.items():
        chosen = list(texts)[:num_queries]
        made[kind] = (
            documents,
            {f"q{key}": texts[key] for key in chosen},
            {f"q{key}": key for key in chosen},
        )
    return made


def functions_of(language: str, settings: build.Settings, num_docs: int) -> list[Function]:
    """Some functions of a language, none twice, in an order that knows nothing of them."""
    packages = pinned.part(pinned.read(pinned.list_path(language)), *settings.part)
    got = build.fetch(packages, settings)
    present = [(package, got.paths[package]) for package in packages if package in got.paths]
    memory = settings.cache / "functions"
    found, _ = extract(language, present, memory, processes=settings.processes)
    for side in ("documentation", "stripped"):
        found = duplicates.without_exact(found, side)
    found.sort(key=lambda each: hashlib.sha256(each.stripped.encode("utf-8", "replace")).digest())
    return found[:num_docs]


def write_changes(package: str, cache: Path, output: Path) -> None:
    """The commits of one package, over its files of code."""
    [source] = changes.sources([package])
    repository = changes.prepare(source, cache)
    documents = {
        path.relative_to(repository.root).as_posix(): path.read_text("utf-8", "replace")
        for path in sorted(repository.root.rglob("*"))
        if path.is_file() and changes.is_code(path.relative_to(repository.root).as_posix())
    }
    questions = [
        question for half in Half for question in changes.make_questions(repository, _ALL, half)
    ]
    asked = [each for each in questions if each.path in documents]
    write_texts(
        output / f"commit-{package}",
        documents,
        {f"q{each.id}": each.text for each in asked},
        {f"q{each.id}": each.path for each in asked},
    )


@click.command()
@click.argument("languages", nargs=-1)
@click.option("--changes", "packages", multiple=True, help="A package with commits; repeatable.")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True)
@click.option("--docs", type=int, default=20_000, show_default=True)
@click.option("--queries", type=int, default=1_000, show_default=True)
@click.option("--part", type=(float, float), default=(0.0, 1.0), show_default=True)
@click.option("--cache", type=click.Path(path_type=Path), default=build.CACHE)
def main(
    languages: tuple[str, ...],
    packages: tuple[str, ...],
    output: Path,
    docs: int,
    queries: int,
    part: tuple[float, float],
    cache: Path,
) -> None:
    """Write the folders."""
    for language in languages:
        functions = functions_of(language, build.Settings(cache, part=part, processes=1), docs)
        for kind, (documents, asked, right) in folders(functions, queries).items():
            write_texts(output / f"{kind}-{language}", documents, asked, right)
            click.echo(output / f"{kind}-{language}")
    for package in packages:
        write_changes(package, cache, output)
        click.echo(output / f"commit-{package}")


if __name__ == "__main__":
    main()
