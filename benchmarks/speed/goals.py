"""What has to be reached, and what a run's raw numbers say about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import median
from typing import Any

Run = dict[str, Any]
# Memory that building and searching a million documents may take.
LARGE_LIMIT_GB = 8.0
KIB_PER_GB = 1e9 / 1024
# Where both forms of bm25s's queries, ids and strings, are timed; all other points use the faster.
FORMS_POINT = "top-10 q=1"
# qidf's queries are looked up before the clock starts, as bm25s's ids are; this form looks them up.
FROM_TOKENS = ", from tokens"


class NotMeasuredError(Exception):
    """A row whose section was left out, or whose contender couldn't take part."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A row's numbers: the ratio of medians, its spread over the repeats, and what it is of."""

    value: float
    low: float
    high: float
    ours: str
    theirs: str
    cpu: float | None = None


@dataclass(frozen=True, slots=True)
class Goal:
    """A row: what is done, against what, the bound, and how the number follows from a run."""

    work: str
    against: str
    bound: float
    at_least: bool
    outcome: Callable[[Run], Outcome]
    unit: str = "x"

    def met(self, value: float) -> bool:
        """Whether a value reaches the bound."""
        return value >= self.bound if self.at_least else value <= self.bound

    @property
    def wanted(self) -> str:
        """The bound in words."""
        return f"{'at least' if self.at_least else 'at most'} {_plain(self.bound, self.unit)}"


def _plain(value: float, unit: str) -> str:
    return f"{100 * value:g}%" if unit == "%" else f"{value:g}{'' if unit == 'x' else ' '}{unit}"


def show(value: float, unit: str = "x") -> str:
    """A number as tables have it."""
    if unit == "%":
        return f"{100 * value:.3g}%"
    if unit == "x":
        return f"{value:.2f}x" if value < 10 else f"{value:.1f}x"
    return f"{value:.3g} {unit}"


def section(run: Run, name: str) -> dict[str, Any]:
    """A section's raw numbers, or the reason there are none."""
    found = run["sections"].get(name)
    if found is None:
        raise NotMeasuredError(f"section {name} was not run")
    if "error" in found:
        raise NotMeasuredError(str(found["error"]))
    return dict(found)


def samples(run: Run, name: str, contender: str, clock: str = "wall") -> list[float]:
    """Seconds of every repeat of one contender."""
    found = section(run, name)
    if contender not in found["samples"]:
        reasons = "; ".join(found.get("errors", {}).values())
        raise NotMeasuredError(reasons or f"{contender} was not measured")
    return list(found["samples"][contender].get(clock, []))


def fastest(run: Run, name: str, prefix: str) -> str:
    """Of a contender's forms, the one with the lowest median."""
    forms = [form for form in section(run, name)["samples"] if form.startswith(prefix)]
    if not forms:
        samples(run, name, prefix)
    medians = [(median(samples(run, name, form)), form) for form in forms]
    return str(min(medians)[1])


def bm25s_build(run: Run) -> tuple[str, str]:
    """bm25s's fastest tokenizer and its fastest way of building the matrix."""
    return fastest(run, "build", "bm25s tokenize"), fastest(run, "build", "bm25s index")


def seconds(value: float) -> str:
    """A time with a unit that suits it."""
    for size, unit in ((1.0, "s"), (1e-3, "ms")):
        # What rounds up to 1 of a unit is shown in it.
        if value >= 0.9995 * size:
            return (
                f"{value / size:.3g} {unit}" if value < 100 * size else f"{value / size:.0f} {unit}"
            )
    return f"{value * 1e6:.3g} µs"


def ratio(over: list[float], under: list[float]) -> tuple[float, float, float]:
    """Ratio of medians, and the lowest and highest ratio within a repeat."""
    pairs = [a / b for a, b in zip(over, under, strict=True)]
    return median(over) / median(under), min(pairs), max(pairs)


def _compare(
    run: Run, name: str, ours: str, theirs: Iterable[str], divide: int = 1, inverse: bool = False
) -> Outcome:
    """Their time over ours, or ours over theirs; several of theirs run one after another."""
    values: dict[str, tuple[list[float], list[float]]] = {}
    for clock in ("wall", "cpu"):
        parts = [samples(run, name, part, clock) for part in theirs]
        values[clock] = (
            samples(run, name, ours, clock),
            [sum(repeat) for repeat in zip(*parts, strict=True)],
        )
    mine, others = values["wall"]
    value, low, high = ratio(mine, others) if inverse else ratio(others, mine)
    cpu = None
    if values["cpu"][0]:
        mine_cpu, others_cpu = values["cpu"]
        cpu = ratio(mine_cpu, others_cpu)[0] if inverse else ratio(others_cpu, mine_cpu)[0]
    return Outcome(
        value,
        low,
        high,
        seconds(median(mine) / divide),
        seconds(median(others) / divide),
        cpu,
    )


def _build_bm25s(run: Run) -> Outcome:
    return _compare(run, "build", "qidf build", bm25s_build(run))


def _build_tantivy(run: Run) -> Outcome:
    return _compare(run, "build", "qidf build", ["tantivy build"])


def _search(point: str) -> Callable[[Run], Outcome]:
    def outcome(run: Run) -> Outcome:
        form = fastest(run, "search", f"bm25s {FORMS_POINT}, ").rpartition(", ")[2]
        theirs = f"bm25s {point}, {form}"
        queries = section(run, "search")["values"]["num_queries"]
        return _compare(run, "search", f"qidf {point}", [theirs], queries)

    return outcome


def _search_tantivy(run: Run) -> Outcome:
    queries = section(run, "search")["values"]["num_queries"]
    theirs = fastest(run, "search", "tantivy boosted")
    return _compare(run, "search", "qidf beside tantivy", [theirs], queries)


def _texts(run: Run) -> Outcome:
    queries = section(run, "search")["values"]["num_queries"]
    return _compare(run, "search", "qidf texts to hits", ["bm25s texts to hits"], queries)


def _two_threads(run: Run) -> Outcome:
    queries = section(run, "search")["values"]["num_queries"]
    return _compare(run, "search", "qidf batch, two threads", ["qidf batch"], queries)


def _one_text(q: str) -> Callable[[Run], Outcome]:
    def outcome(run: Run) -> Outcome:
        found = section(run, "search")["values"]["latency"]
        ours, theirs = (
            found.get(f"{engine} text to hits, q={q}", {}).get("p50")
            for engine in ("qidf", "bm25s")
        )
        if not ours or not theirs:
            raise NotMeasuredError("single texts were not measured")
        value, low, high = ratio(theirs, ours)
        return Outcome(value, low, high, seconds(median(ours)), seconds(median(theirs)))

    return outcome


def _add(run: Run) -> Outcome:
    return _compare(run, "add", "qidf add 1% and commit", ["qidf build and save"], inverse=True)


def _memory(backend: str) -> Callable[[Run], Outcome]:
    def outcome(run: Run) -> Outcome:
        peaks = section(run, "memory")["values"]["peak_rss_kb"]
        forms = [form for form in peaks if form.startswith(f"bm25s {backend}")]
        if not forms:
            raise NotMeasuredError(f"bm25s's {backend} backend was not measured")
        theirs = min(forms, key=lambda form: median(peaks[form]))
        value, low, high = ratio(peaks["qidf"], peaks[theirs])
        return Outcome(value, low, high, megabytes(peaks["qidf"]), megabytes(peaks[theirs]))

    return outcome


def megabytes(kilobytes: list[int]) -> str:
    """The median of peaks as the system counts them, in KiB."""
    return f"{median(kilobytes) * 1024 / 1e6:.0f} MB"


def _disk(run: Run) -> Outcome:
    sizes = section(run, "memory")["values"]["bytes_on_disk"]
    value = sizes["qidf"] / sizes["bm25s"]
    return Outcome(
        value, value, value, f"{sizes['qidf'] / 1e6:.1f} MB", f"{sizes['bm25s'] / 1e6:.1f} MB"
    )


def _cold(run: Run) -> Outcome:
    return _compare(run, "cold", "qidf search, a function", ["import numpy"], inverse=True)


def _growth(step: int) -> Callable[[Run], Outcome]:
    def outcome(run: Run) -> Outcome:
        small, large = section(run, "growth")["values"]["sizes"][step : step + 2]
        value, low, high = ratio(large["latency"]["p50"], small["latency"]["p50"])
        return Outcome(
            value,
            low,
            high,
            f"{seconds(median(large['latency']['p50']))} at {large['num_docs']:,}",
            f"{seconds(median(small['latency']['p50']))} at {small['num_docs']:,}",
        )

    return outcome


def _large(run: Run) -> Outcome:
    found = section(run, "large")["values"]
    peak = found["peak_rss_kb"] / KIB_PER_GB
    return Outcome(
        peak,
        peak,
        peak,
        f"{found['num_docs']:,} built in {seconds(found['build_seconds'])}",
        f"p50 {seconds(median(found['latency']['p50']))}",
    )


GOALS: tuple[Goal, ...] = (
    Goal(
        "analyze + build index",
        "bm25s tokenize + index, its fastest settings",
        25,
        True,
        _build_bm25s,
    ),
    Goal("analyze + build index", "tantivy-py, one writer thread", 6, True, _build_tantivy),
    Goal("top-10, q = 1", "bm25s numba", 4, True, _search("top-10 q=1")),
    Goal("top-10, q = auto", "bm25s numba, rescaled", 8, True, _search("top-10 q=auto")),
    Goal("top-10, q = 0.1", "bm25s numba, rescaled", 30, True, _search("top-10 q=0.1")),
    Goal("top-100, q = auto", "bm25s numba, rescaled", 4, True, _search("top-100 q=auto")),
    Goal("top-10, q = auto", "tantivy-py with per-term boosts", 10, True, _search_tantivy),
    Goal("one text to hits, q = 1", "bm25s numba: tokenize, retrieve", 3, True, _one_text("1")),
    Goal(
        "one text to hits, q = auto", "bm25s numba: tokenize, retrieve", 5, True, _one_text("auto")
    ),
    Goal("one text to hits, q = 0.1", "bm25s numba: tokenize, retrieve", 8, True, _one_text("0.1")),
    Goal("texts to hits, q = auto", "bm25s numba: tokenize, retrieve", 6, True, _texts),
    Goal("batch on two threads, q = auto", "one thread", 1.8, True, _two_threads),
    Goal("add 1% and commit", "full build and save", 0.05, False, _add, "%"),
    Goal("peak memory at query", "bm25s numba, as timed above", 1, False, _memory("numba")),
    Goal("peak memory at query", "bm25s numpy, its default", 1, False, _memory("numpy")),
    Goal("index size on disk", "bm25s", 1, False, _disk),
    Goal("cold `qidf search`", '`python -c "import numpy"`', 1.6, False, _cold),
    Goal("p50 at 10 times the documents", "itself", 4, False, _growth(0)),
    Goal("p50 at 10 times the documents, synthetic fill", "itself", 4, False, _growth(1)),
    Goal("peak memory, 1,000,000 documents", "synthetic fill", LARGE_LIMIT_GB, False, _large, "GB"),
)


def rows(run: Run) -> list[tuple[Goal, Outcome | str]]:
    """Every goal with its outcome, or the reason why there is none."""
    found: list[tuple[Goal, Outcome | str]] = []
    for goal in GOALS:
        try:
            found.append((goal, goal.outcome(run)))
        except NotMeasuredError as error:
            found.append((goal, str(error)))
    return found
