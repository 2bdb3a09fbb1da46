"""What docs/reproduction.md and README.md say of the default, from a kept run of its studies."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

RUNS = Path(__file__).resolve().parent.parent / "benchmarks" / "runs"
RUN = RUNS / "weighting-2026-11-16-5d8fc27"
QUESTIONS_RUN = RUNS / "questions-2026-11-16-73997b2"
README_START, README_END = "<!-- weighting:start -->", "<!-- weighting:end -->"
LANGUAGES = {
    "go": "Go",
    "java": "Java",
    "javascript": "JavaScript",
    "php": "PHP",
    "python": "Python",
    "ruby": "Ruby",
}
TEXTS = {
    "nfcorpus": "NFCorpus",
    "scifact": "SciFact",
    "descriptions-at-length": "package descriptions, asking at length",
    "descriptions-in-a-line": "package descriptions, asking in a line",
}
KINDS = {
    "function": "a function asks for its documentation",
    "documentation": "documentation asks for its function",
    "message": "an error message or other text in quotes asks for the function it is in",
    "name": "a name asks for its definition",
    "commit": "a commit's message asks for the file it changes",
}
Row = Mapping[str, str]
Markdown = Callable[..., str]

DATA = (
    "Constants were fitted, and forms compared, on other packages of Go, JavaScript and Python and"
    " on other functions of Ruby, 44 of its 1,500 queries excepted; Java and PHP had no"
    " part at all ([which parts](../benchmarks/README.md)). The text sets did have one: that q"
    " stays at 0.9 or above for words, and which marks make a query code, was chosen on them,"
    " so that their rows show what the choice does and are no test of it. Package descriptions"
    " ([descriptions.py](../benchmarks/descriptions.py)) are prose in documents as short as doc"
    " comments; of the classical collections only NFCorpus and SciFact were at hand. Up to 60,000"
    " documents and 1,500 queries a set."
)


def rows(study: str, table: str, run: Path = RUN) -> list[dict[str, str]]:
    """A table of a kept run."""
    with (run / study / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def beyond_section(markdown: Markdown) -> str:
    """What opens the page on the paper."""
    weighed = rows("weighting", "weighting")
    code = [row for row in weighed if float(row["code"]) > 0.5]
    text = [row for row in weighed if float(row["code"]) <= 0.5]
    shares = [float(row["share"]) for row in code if row["share"]]
    return "\n\n".join(
        [
            "## Beyond the paper",
            "The default, `auto`, is not the paper's method. Measuring that showed what costs more"
            " than any q gains: repeats of a token in code count in full, ln_q of the odds is"
            " negative for common words, and words of the programming language weigh as much as"
            " rare names. `auto` weighs queries that are code by ln_q(1 + odds) at the predicted q,"
            " repeats saturated (k3 = 1), and by [evidence](../src/qidf/weighting/evidence.py) of"
            " what a token looks like; questions in words by ln_q(1 + odds) with q no lower than"
            f" 0.9. From [this run](../benchmarks/runs/{RUN.name}/weighting/README.md):",
            f"- **Code:** above BM25 with a 95% interval above zero on {sum(map(_gains, code))} of"
            f" {len(code)} sets; the mean share of what the best q at k3 = 1, chosen with labels,"
            f" gains is {sum(shares) / len(shares):.2f}, the least {min(shares):.2f}. It is above"
            " the best q *of each query*, chosen with labels at repeats in full, on"
            f" {sum(float(row['auto']) > float(row['each_full']) for row in code)} of them.\n"
            f"- **Text:** below BM25 with an interval below zero on {sum(map(_loses, text))} of"
            f" {len(text)} measurements, stop words dropped or kept; above on"
            f" {sum(map(_gains, text))}.",
            DATA,
            markdown([_code_row(row) for row in code], _CODE_HEADING),
            markdown([_text_row(row) for row in text], _TEXT_HEADING),
            "### Evidence, with its language left out",
            "What the evidence adds to the weighting without it: fitted on the other languages, and"
            " with the numbers in use, which are the same for all"
            f" ([all figures](../benchmarks/runs/{RUN.name}/learnt/README.md)).",
            markdown([_learnt_row(row) for row in rows("learnt", "learnt")], _LEARNT_HEADING),
            "### Which questions gain?",
            "BM25 → auto, means over languages or packages, and on how many of them auto is above"
            " BM25 with an interval above zero, or below with one below"
            f" ([each of them](../benchmarks/runs/{QUESTIONS_RUN.name}/questions/README.md))."
            " That evidence counts with the parts of identifiers too was decided on these very"
            " functions.",
            markdown(
                question_rows(rows("questions", "questions", QUESTIONS_RUN)), _QUESTION_HEADING
            ),
        ]
    )


_CODE_HEADING = (
    "code",
    "BM25",
    "paper",
    "best q (labels)",
    "best q, k3 = 1 (labels)",
    "auto",
    "auto to BM25",
    "share",
)
_TEXT_HEADING = ("text", "stop words", "taken for code", "BM25", "paper", "auto", "auto to BM25")
_LEARNT_HEADING = ("left out", "without", "with", "gain", "gain with the numbers in use")
_QUESTION_HEADING = ("question", "whole identifiers", "", "with their parts", "")


def readme_block(markdown: Markdown) -> str:
    """What README's first screen shows."""
    weighed = {(row["corpus"], row["stop_words"]): row for row in rows("weighting", "weighting")}
    shown = [
        [name, *_values(weighed[f"{key} (stripped)", "dropped"])] for key, name in LANGUAGES.items()
    ]
    shown += [
        [f"{name} (text)", *_values(weighed[key, "dropped"])]
        for key, name in TEXTS.items()
        if (key, "dropped") in weighed
    ]
    table = markdown(shown, ("NDCG@10", "BM25", "the paper's q", "auto", "auto to BM25, 95%"))
    return f"{README_START}\n{table}\n{README_END}"


def question_rows(found: Sequence[Row]) -> list[list[str]]:
    """A row for each kind of question, with both analyzers."""
    made = []
    for kind, name in KINDS.items():
        cells = [name]
        for analyzer in ("generic", "identifier"):
            of_kind = [
                row
                for row in found
                if row["corpus"].partition("-")[0] == kind and row["analyzer"] == analyzer
            ]
            bm25, auto = (
                sum(float(row[column]) for row in of_kind) / len(of_kind)
                for column in ("bm25", "auto")
            )
            cells.append(f"{bm25:.3f} → {auto:.3f}")
            cells.append(
                f"{sum(map(_gains, of_kind))} gain, {sum(map(_loses, of_kind))} lose"
                f" of {len(of_kind)}"
            )
        made.append(cells)
    return made


def with_block(readme: str, block: str) -> str:
    """README with its block exchanged."""
    before, _, rest = readme.partition(README_START)
    return before + block + rest.partition(README_END)[2]


def _values(row: Row) -> list[str]:
    return [*(f"{float(row[name]):.3f}" for name in ("bm25", "paper", "auto")), _interval(row)]


def _interval(row: Row) -> str:
    return f"[{float(row['low']):+.3f}, {float(row['high']):+.3f}]"


def _code_row(row: Row) -> list[str]:
    return [
        row["corpus"],
        f"{float(row['bm25']):.3f}",
        f"{float(row['paper']):.3f}",
        f"{float(row['best_full']):.3f} at {float(row['q_full']):g}",
        f"{float(row['best_k3']):.3f} at {float(row['q_k3']):g}",
        f"{float(row['auto']):.3f}",
        _interval(row),
        f"{float(row['share']):.2f}" if row["share"] else "–",
    ]


def _text_row(row: Row) -> list[str]:
    name = TEXTS.get(row["corpus"], row["corpus"])
    return [name, row["stop_words"], f"{float(row['code']):.1%}", *_values(row)]


def _learnt_row(row: Row) -> list[str]:
    return [
        row["corpus"],
        f"{float(row['plain']):.3f}",
        f"{float(row['learnt']):.3f}",
        row["ci95"],
        row["kept_ci95"],
    ]


def _gains(row: Row) -> bool:
    return float(row["low"]) > 0


def _loses(row: Row) -> bool:
    return float(row["high"]) < 0
