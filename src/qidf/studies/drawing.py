"""Figures as SVG and PNG, all in one style: matplotlib, which is an extra, without a display."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from qidf.errors import MissingExtraError
from qidf.studies.figures import Figure, Panel, Series

# Okabe and Ito's palette, which people who don't see red and green apart can read; black is last,
# for lines that need no name.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#E69F00", "#CC79A7", "#56B4E9", "#555555", "#000000")
# A language has one colour in every figure.
COLOURS = {
    "go": "#0072B2",
    "java": "#E69F00",
    "ruby": "#009E73",
    "python": "#D55E00",
    "php": "#CC79A7",
    "javascript": "#555555",
    # Beside Python's other form.
    "python (published)": "#F0A080",
    "nfcorpus": "#56B4E9",
    "scifact": "#56B4E9",
    "arguana": "#56B4E9",
}
PICTURES = (".svg", ".png")
_STYLE: dict[str, Any] = {
    "axes.grid": True,
    "axes.labelsize": 9,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 10,
    "figure.dpi": 100,
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "grid.alpha": 0.25,
    "grid.linewidth": 0.5,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "lines.linewidth": 1.4,
    "lines.markersize": 4.5,
    "savefig.dpi": 150,
    "svg.fonttype": "path",
    # A fixed salt and no date: the same findings give the same bytes.
    "svg.hashsalt": "qidf",
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
}
_WIDTH, _HEIGHT = 4.4, 3.3
# More would be too narrow to read side by side.
_PER_ROW = 3
_CLUSTER = 0.8
# Inches for a category's name, and for each of its bars.
_PER_CATEGORY, _PER_BAR = 0.3, 0.13
# More names than this would cover the curves they belong to.
_NAMES_INSIDE = 5
# Of a legend below the panels, in inches: what a letter takes at its size, and the mark before.
_LETTER, _MARK = 0.075, 0.6


def draw(figure: Figure, folder: Path) -> list[Path]:
    """Write <name>.svg and <name>.png into a folder."""
    try:
        import matplotlib as mpl
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure as Canvas
    except ImportError:
        raise MissingExtraError("matplotlib", "plots") from None
    settings: Any = {**dict[Any, Any](mpl.rcParamsDefault), **_STYLE}
    with mpl.rc_context(settings):
        columns = min(len(figure.panels), _PER_ROW)
        rows = -(-len(figure.panels) // columns)
        width = max(_WIDTH, *map(_bars_width, figure.panels))
        canvas = Canvas(figsize=(width * columns, _HEIGHT * rows), layout="constrained")
        FigureCanvasAgg(canvas)
        axes = canvas.subplots(rows, columns, squeeze=False).ravel()
        for panel, area in zip(figure.panels, axes, strict=False):
            _draw_panel(panel, area)
        for area in axes[len(figure.panels) :]:
            area.set_axis_off()
        _add_legend(canvas, axes)
        paths = [folder / f"{figure.name}{suffix}" for suffix in PICTURES]
        canvas.savefig(paths[0], metadata={"Date": None, "Creator": None})
        canvas.savefig(paths[1], metadata={"Software": None})
    return paths


def _bars_width(panel: Panel) -> float:
    """What bars or boxes need to be told apart."""
    kinds = [series for series in panel.series if series.kind in ("bars", "boxes")]
    return len(_categories(kinds)) * (_PER_CATEGORY + _PER_BAR * len(kinds))


def _draw_panel(panel: Panel, area: Any) -> None:
    area.set_title(panel.title)
    area.set_xlabel(panel.x_label)
    area.set_ylabel(panel.y_label)
    if panel.log_x:
        area.set_xscale("log")
    if panel.zero_line:
        area.axhline(0, color="#999999", linewidth=0.8)
    if panel.diagonal:
        area.axline((0, 0), slope=1, color="#999999", linewidth=0.8, linestyle=":")
        # Both axes are q.
        area.set(xlim=(-0.03, 1.05), ylim=(-0.03, 1.05))
    if panel.mark_x is not None:
        area.axvline(panel.mark_x, color="#999999", linewidth=0.8, linestyle=":")
    for kind, paint in (("bars", _bars), ("boxes", _boxes)):
        chosen = [each for each in panel.series if each.kind == kind]
        if chosen:
            paint(chosen, area, panel)
    for series in panel.series:
        if series.kind in ("line", "points"):
            _curve(series, area)
    if panel.clip is not None:
        area.set_ylim(*panel.clip)
    names = sum(bool(series.label) for series in panel.series)
    if 0 < names <= _NAMES_INSIDE and not _categories(panel.series):
        area.legend()


def _add_legend(canvas: Any, axes: Any) -> None:
    """Where panels have no room for a legend, as among bars, it is one below them all."""
    named: dict[str, Any] = {}
    for area in axes:
        if area.get_legend() is None:
            for handle, label in zip(*area.get_legend_handles_labels(), strict=True):
                named.setdefault(label, handle)
    if named:
        room = canvas.get_size_inches()[0] / (_LETTER * max(map(len, named)) + _MARK)
        canvas.legend(
            named.values(),
            named.keys(),
            loc="outside lower center",
            ncols=max(1, min(len(named), int(room))),
        )


def _curve(series: Series, area: Any) -> None:
    colour = _colour(series)
    low, high = np.array(series.low), np.array(series.high)
    if series.kind == "line" and len(low):
        area.fill_between(series.x, low, high, color=colour, alpha=0.18, linewidth=0)
    style = "none" if series.kind == "points" else ("--" if series.paper else "-")
    area.plot(
        series.x,
        series.y,
        color=colour,
        linestyle=style,
        marker="o",
        markerfacecolor="white" if series.paper else colour,
        label=series.label or None,
    )
    if series.kind == "points" and len(low):
        y = np.array(series.y)
        area.errorbar(
            series.x, y, yerr=[y - low, high - y], fmt="none", ecolor=colour, elinewidth=1
        )


def _categories(chosen: Sequence[Series]) -> list[str]:
    named = (series for series in chosen if series.kind in ("bars", "boxes"))
    return list(dict.fromkeys(str(name) for series in named for name in series.x))


def _bars(chosen: Sequence[Series], area: Any, panel: Panel) -> None:
    names = _categories(chosen)
    width = _CLUSTER / len(chosen)
    for number, series in enumerate(chosen):
        at = [names.index(str(name)) for name in series.x]
        offset = (number - (len(chosen) - 1) / 2) * width
        y = np.array(series.y)
        errors = [y - np.array(series.low), np.array(series.high) - y] if series.low else None
        area.bar(
            np.array(at) + offset,
            y,
            width * 0.92,
            yerr=errors,
            color="white" if series.paper else _colour(series),
            edgecolor=_colour(series),
            hatch="////" if series.paper else None,
            linewidth=0.8,
            error_kw={"elinewidth": 0.8},
            label=series.label or None,
        )
    _name_ticks(area, names)


def _boxes(chosen: Sequence[Series], area: Any, panel: Panel) -> None:
    names = _categories(chosen)
    width = _CLUSTER / len(chosen)
    for number, series in enumerate(chosen):
        offset = (number - (len(chosen) - 1) / 2) * width
        groups = [
            [y for x, y in zip(series.x, series.y, strict=True) if str(x) == name] for name in names
        ]
        colour = _colour(series)
        drawn = area.boxplot(
            groups,
            positions=np.arange(len(names)) + offset,
            widths=width * 0.8,
            whis=(0, 100),
            patch_artist=True,
            manage_ticks=False,
            medianprops={"color": colour, "linewidth": 1.6},
            boxprops={"facecolor": "white" if series.paper else f"{colour}33", "edgecolor": colour},
            whiskerprops={"color": colour, "linestyle": "--" if series.paper else "-"},
            capprops={"color": colour},
        )
        if series.label:
            drawn["boxes"][0].set_label(series.label)
        floor = panel.clip[0] if panel.clip is not None else -np.inf
        for at, group in enumerate(groups):
            if group and min(group) < floor:
                area.plot(at + offset, floor, marker="v", color=colour, clip_on=False)
    _name_ticks(area, names)


def _name_ticks(area: Any, names: Sequence[str]) -> None:
    area.set_xticks(range(len(names)), names)
    if sum(map(len, names)) > 40:
        area.tick_params(axis="x", rotation=30)
        for label in area.get_xticklabels():
            label.set_horizontalalignment("right")
    area.grid(False, axis="x")


def _colour(series: Series) -> str:
    if isinstance(series.colour, str):
        return COLOURS.get(series.colour, PALETTE[-1])
    return PALETTE[series.colour % len(PALETTE)]
