"""`python -m benchmarks.speed.report RUN.json [--readme README.md]`: tables from a run."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from statistics import median
from typing import Any

import click

from benchmarks.speed.goals import (
    FORMS_POINT,
    FROM_TOKENS,
    Outcome,
    bm25s_build,
    fastest,
    rows,
    samples,
    seconds,
    section,
    show,
)

START, END = "<!-- benchmarks:start -->", "<!-- benchmarks:end -->"
RUNS = Path(__file__).resolve().parents[1] / "runs"
Run = dict[str, Any]
# A thread that has a core to itself takes hardly more wall time than CPU time.
WAITING = 1.2


def newest(paths: Iterable[Path]) -> Path | None:
    """The last of some runs that was made for keeping; names begin with the date."""
    for path in sorted(paths, reverse=True):
        if not json.loads(path.read_text(encoding="utf-8"))["quick"]:
            return path
    return None


def goal_table(run: Run, full: bool = True) -> list[str]:
    """Every row of the goal: wanted, measured, met or missed."""
    head = ["Work", "Against", "Goal", "Measured", ""]
    if full:
        head += ["Spread", "CPU time", "qidf", "the other"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for goal, outcome in rows(run):
        cells = [goal.work, goal.against, goal.wanted]
        if isinstance(outcome, Outcome):
            verdict = "met" if goal.met(outcome.value) else "**missed**"
            cells += [show(outcome.value, goal.unit), verdict]
            if full:
                spread = (
                    f"{show(outcome.low, goal.unit)} to {show(outcome.high, goal.unit)}"
                    if outcome.low != outcome.high
                    else ""
                )
                cpu = "" if outcome.cpu is None else show(outcome.cpu, goal.unit)
                cells += [spread, cpu, outcome.ours, outcome.theirs]
        else:
            cells += ["not measured", outcome if full else ""] + ["", "", "", ""] * full
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def postings_table(run: Run) -> list[str]:
    """What a search touches as q falls."""
    found = run["sections"].get("postings")
    if found is None or "error" in found:
        return []
    values = found["values"]
    queries, all_postings = values["num_queries"], values["query_postings"]
    counted = [name for name in values["profile"][0] if name not in ("q", "postings")]
    lines = [
        "| q | Postings read | "
        + " | ".join(name.replace("_", " ").capitalize() for name in counted)
        + " | Time per query |",
        "|---" * (len(counted) + 3) + "|",
    ]
    for entry in sorted(values["profile"], key=lambda entry: -entry["q"]):
        time = median(found["samples"][f"qidf q={entry['q']}"]["wall"]) / queries
        auto = " (auto)" if entry["q"] == values["q_auto"] else ""
        cells = [
            f"{entry['q']:.3g}{auto}",
            f"{100 * entry['postings'] / all_postings:.1f}%",
            *(f"{entry[name] / queries:,.0f}" for name in counted),
            seconds(time),
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def provenance(run: Run) -> str:
    """One sentence on where the numbers come from."""
    machine, versions, corpus = run["machine"], run["versions"], run["corpus"]
    peers = ", ".join(
        f"{name} {versions[name]}" for name in ("bm25s", "tantivy") if name in versions
    )
    return (
        f"{run['started'][:10]}, commit {(run['commit']['id'] or 'unknown')[:7]}, "
        f"{machine['cpu']}, one thread; {corpus['num_docs']:,} documents and "
        f"{corpus['num_queries']:,} queries ({corpus['name']}); {peers}, "
        f"Python {versions['python']}."
    )


def readme_region(run: Run, name: str) -> str:
    """What stands between the markers in the README."""
    parts = [
        *goal_table(run, full=False),
        "",
        f"{provenance(run)} Medians of repeats in one run; [every value, spreads and what is "
        f"unfair to whom](benchmarks/runs/{name}.md).",
    ]
    profile = postings_table(run)
    if profile:
        parts += ["", "Exact pruned search gets faster as q falls:", "", *profile]
    return "\n".join(parts)


def replace_region(readme: str, region: str) -> str:
    """A README with the region between the markers replaced."""
    before, start, rest = readme.partition(START)
    _, end, after = rest.partition(END)
    if not start or not end:
        raise click.ClickException(f"the README has no {START} and {END}; add both, one to a line")
    return f"{before}{START}\n{region}\n{END}{after}"


def page(run: Run) -> str:
    """A whole run as Markdown."""
    lines = ["# Speed and memory", "", provenance(run), ""]
    lines += [
        "Measured is the ratio of medians by wall clock, the spread the lowest and highest ratio "
        "within one repeat, CPU time the same ratio by processor time of all threads. "
        f"Load average {run['load_before']} before and {run['load_after']} after; "
        f"{_disturbed(run)}",
        "",
        *goal_table(run),
        "",
        *_notes(run),
    ]
    profile = postings_table(run)
    if profile:
        lines += ["", "## Exact pruned search gets faster as q falls", "", *profile, ""]
        lines += [
            "Postings read are a share of the postings of each query's distinct terms, which is "
            "what exhaustive scoring reads; the other counts are per query, top-10.",
        ]
    lines += _latency_table(run) + _sample_table(run) + _memory_table(run) + _size_table(run)
    lines += _checks(run)
    return "\n".join(lines) + "\n"


def _disturbed(run: Run) -> str:
    """How often something else held a contender up, so that a reader can tell a quiet run."""
    found = [
        wall > WAITING * cpu
        for name, section in run["sections"].items()
        if name != "add"  # It waits for the disk, and means to.
        for values in section.get("samples", {}).values()
        for wall, cpu in zip(values["wall"], values.get("cpu", []), strict=False)
    ]
    return (
        f"{sum(found)} of {len(found)} timings took over {WAITING:g} times their CPU time, which "
        "is rare on a quiet machine."
    )


def _section(run: Run, name: str) -> dict[str, Any] | None:
    found = run["sections"].get(name)
    return None if found is None or "error" in found else dict(found)


def _notes(run: Run) -> list[str]:
    """What was compared with what, and whom it favours."""
    notes = ["## What is compared, and what is unfair", ""]
    if _section(run, "build"):
        tokenizer, indexer = bm25s_build(run)
        notes += [
            "- Build: from a list of strings to an index in memory. bm25s in its fastest form "
            f"here, {tokenizer} followed by {indexer}, each timed alone.",
            "- **Unfair to both:** tantivy's default tokenizer gives other tokens (it splits at "
            "underscores and keeps stop words). It indexes on a thread of its own while Python "
            "makes the documents, which wall time doesn't show and CPU time does; its time "
            "includes the commit of a format made for disk.",
        ]
    if _section(run, "search"):
        form = fastest(run, "search", f"bm25s {FORMS_POINT}, ").rpartition(", ")[2]
        looked_up = f"qidf {FORMS_POINT}{FROM_TOKENS}" in run["sections"]["search"]["samples"]
        ours = "prepared queries" if looked_up else "strings and looks them up itself"
        notes += [
            f"- Search: all queries in one call, tokenized before. qidf takes {ours}; "
            f"bm25s takes {form}, the faster of its two forms here."
            + (_from_tokens(run) if looked_up else ""),
            "- **Unfair to bm25s:** it fills and scans an array as long as the corpus for every "
            "query by design and keeps no bounds to prune with.",
            "- **Unfair to tantivy:** a boost per term makes queries of some forty clauses, which "
            "its pruning isn't made for, and each is a call of its own. It searches an index of "
            "qidf's tokens with k1 = 1.2 and rounded lengths. The row takes the fastest of its "
            "forms: queries made before the clock starts or within, matches counted or not.",
        ]
    if _section(run, "memory"):
        notes += [
            "- Memory: a new process opens the index, searches all queries in one batch and "
            "reports its peak, pages of mapped files included; each row takes the lower of "
            "loading and mapping. **Unfair to bm25s's numba backend:** it compiles in every "
            "process, which the numpy figures leave out; those search only 1,000 queries.",
        ]
    if _section(run, "add"):
        notes += [
            "- Add: the last 1% goes to a stored index of the rest, opened before; files are "
            "synced within the time on both sides.",
        ]
    if _section(run, "growth") or _section(run, "large"):
        notes += [
            "- Synthetic fill: the first half of one document's tokens and the second half of "
            "another's, tokens that occur once replaced by fresh ones; none repeats another. Rare "
            "words gain postings faster than in a real corpus, which makes growth look worse; "
            "what a call costs at any size makes p50 look better, and the batch column has none "
            "of it.",
        ]
    return notes


def _from_tokens(run: Run) -> str:
    """What qidf takes when it has to look tokens up within the time."""
    queries = section(run, "search")["values"]["num_queries"]
    times = []
    for name in run["sections"]["search"]["samples"]:
        if name.startswith("qidf ") and name.endswith(FROM_TOKENS):
            point = name.removeprefix("qidf ").removesuffix(FROM_TOKENS)
            times.append(f"{point} {seconds(median(samples(run, 'search', name)) / queries)}")
    return f" From token strings, looked up within the time, qidf takes {', '.join(times)} a query."


def _latency_table(run: Run) -> list[str]:
    found = _section(run, "search")
    if found is None:
        return []
    lines = ["", "## One query in a call", "", "| | p50 | p95 | mean |", "|---|---|---|---|"]
    for name, values in found["values"]["latency"].items():
        cells = [seconds(median(values[key])) for key in ("p50", "p95", "mean")]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines


def _sample_table(run: Run) -> list[str]:
    lines = [
        "",
        "## Every contender",
        "",
        "| | wall | lowest | highest | CPU |",
        "|---|---|---|---|---|",
    ]
    for name, found in run["sections"].items():
        for contender, values in found.get("samples", {}).items():
            wall, cpu = values["wall"], values.get("cpu")
            lines.append(
                f"| {name}: {contender} | {seconds(median(wall))} | {seconds(min(wall))} "
                f"| {seconds(max(wall))} | {seconds(median(cpu)) if cpu else ''} |"
            )
    return lines


def _memory_table(run: Run) -> list[str]:
    found = _section(run, "memory")
    if found is None:
        return []
    peaks = {name: median(values) for name, values in found["values"]["peak_rss_kb"].items()}
    lines = ["", "## Peak memory at query", "", "| | Peak | beyond its imports |", "|---|---|---|"]
    for name, peak in peaks.items():
        own = peaks["qidf, imports alone" if name.startswith("qidf") else "bm25s, imports alone"]
        lines.append(
            f"| {name} | {peak * 1024 / 1e6:.0f} MB | {(peak - own) * 1024 / 1e6:.0f} MB |"
        )
    return lines


def _size_table(run: Run) -> list[str]:
    growth, large = _section(run, "growth"), _section(run, "large")
    sizes = (growth["values"]["sizes"] if growth else []) + ([large["values"]] if large else [])
    if not sizes:
        return []
    lines = [
        "",
        "## Sizes",
        "",
        "| Documents | htok | q | Build | p50 | p95 | Batch, per query | Peak memory |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for size in sizes:
        batch = median(size["batch"]["wall"]) / size["num_queries"]
        lines.append(
            f"| {size['num_docs']:,} | {size['htok']:.4f} | {size['q_auto']:.3f} "
            f"| {seconds(size['build_seconds'])} | {seconds(median(size['latency']['p50']))} "
            f"| {seconds(median(size['latency']['p95']))} | {seconds(batch)} "
            f"| {size['peak_rss_kb'] * 1024 / 1e9:.2f} GB |"
        )
    return lines


def _checks(run: Run) -> list[str]:
    lines = ["", "## Checks that passed", ""]
    for found in run["sections"].values():
        for check in found.get("checks", []):
            details = {key: value for key, value in check.items() if key != "check"}
            shown = ", ".join(
                f"{key.replace('_', ' ')} {value:g}" for key, value in details.items()
            )
            lines.append(f"- {check['check']}: {shown}")
    return lines if len(lines) > 3 else []


@click.command()
@click.argument("path", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--readme", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def main(path: Path, readme: Path | None) -> None:
    """Print a run as Markdown, or put its table into a README."""
    run = json.loads(path.read_text(encoding="utf-8"))
    if readme is None:
        click.echo(page(run), nl=False)
        return
    if run["quick"]:
        raise click.ClickException("a --quick run measures nothing; make a full one")
    text = readme.read_text(encoding="utf-8")
    readme.write_text(replace_region(text, readme_region(run, path.stem)), encoding="utf-8")


if __name__ == "__main__":
    main()
