"""python -m benchmarks.code_search.analyzers [--repository NAME ...] [--questions N]."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.code_search.asking import RUNS, SEED, quality, question_sets, run_name
from benchmarks.code_search.halves import Half
from benchmarks.code_search.questions import Question
from benchmarks.code_search.report import QUALITY, overall, write_raw
from benchmarks.code_search.tools import DEPTH
from qidf.repository import Repository
from qidf.repository.analyzers import IDENTIFIER

# The analyzer of an engine for prose, and those that know identifiers, with the values of q that
# each might be used at.
CHOICES: tuple[tuple[str, float | str], ...] = (
    ("generic", 1.0),
    ("generic", "auto"),
    ("identifier", 1.0),
    (IDENTIFIER, 1.0),
    (IDENTIFIER, 0.9),
    (IDENTIFIER, 0.7),
    ("subtoken", 1.0),
    ("subtoken(plurals=fold)", 1.0),
)


def main() -> None:
    """Ask every question of the measured half once for each choice."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repository", action="append", help="only this one; repeatable")
    parser.add_argument("--questions", type=int, default=100)
    chosen = parser.parse_args()
    name = run_name("code-search-analyzers")
    results: list[dict[str, Any]] = []
    for kind, repository, root, questions in question_sets(
        Half.MEASURING, chosen.questions, chosen.repository
    ):
        for analyzer in dict.fromkeys(analyzer for analyzer, _ in CHOICES):
            results += [
                {"repository": repository, "kind": kind, "questions": len(questions), **row}
                for row in measure(root, analyzer, questions)
            ]
        print(repository, kind, flush=True)
        settings = {"questions": chosen.questions, "seed": SEED}
        write_raw(results, settings, Half.MEASURING, RUNS / name)
        (RUNS / f"{name}.md").write_text("\n".join(table(results, name)) + "\n")
    print(RUNS / f"{name}.md")


def measure(root: Path, analyzer: str, questions: Sequence[Question]) -> list[dict[str, Any]]:
    """Index once, and ask at every q that is listed for this analyzer."""
    rows = []
    with tempfile.TemporaryDirectory(prefix="qidf-") as folder:
        repository = Repository.open(root, analyzer=analyzer, directory=folder)
        repository.refresh()
        for q in (q for name, q in CHOICES if name == analyzer):
            answers = [
                [
                    (hit.path, hit.start_line, hit.end_line)
                    for hit in repository.search(question.text, DEPTH, q=q, refresh=False)
                ]
                for question in questions
            ]
            number = repository.index.decide(q=q).weighting.q
            shown = f"{analyzer}, q = {q}" + (f" ({number:.2f})" if q == "auto" else "")
            rows.append({"tool": f"{analyzer}, q = {q}", "shown": shown})
            rows[-1] |= quality(root, answers, questions)
    return rows


def table(results: Sequence[dict[str, Any]], name: str) -> list[str]:
    """The results for a person."""
    lines = [
        f"# {name}",
        "",
        "qidf's ranking of spans with other analyzers and other q. What is measured:",
        "benchmarks/code_search/README.md.",
        "",
        *overall(results),
        "",
        "| repository | questions | analyzer | file NDCG@10 | span NDCG@10 | recall 2K |"
        " recall 8K |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in results:
        cells = [row["repository"], f"{row['questions']} {row['kind']}", row["shown"]]
        lines.append("| " + " | ".join([*cells, *(f"{row[key]:.3f}" for key in QUALITY)]) + " |")
    return lines


if __name__ == "__main__":
    main()
