"""Draws docs/idf_curves.svg: what a rare term is worth, under the logarithm and under q-log.

Run it again after changing it: `.venv/bin/python docs/idf_curves.py`; a test compares the two.
"""

from __future__ import annotations

import math
from pathlib import Path

from qidf.weights import Qlog1p

NUM_DOCS = 100_000
# Weights are shown against that of a term in 100 documents: a name used all over one subsystem.
REFERENCE = 100
CURVES = [
    (1.0, "BM25 (q = 1)"),
    (0.8, "q = 0.8"),
    (0.6, "q = 0.6"),
    (0.3, "q = 0.3"),
    (0.1, "q = 0.1"),
]
COLOURS = ["#8b8b8b", "#56b4e9", "#009e73", "#e69f00", "#d55e00"]

WIDTH, HEIGHT = 760, 400
LEFT, RIGHT, TOP, BOTTOM = 64, 110, 46, 52
MAX_DOC_FREQ = 10_000
LOWEST, HIGHEST = 0.01, 100.0

STYLE = """
text { font: 13px system-ui, sans-serif; fill: #333; }
.title { font-size: 15px; font-weight: 600; }
.grid { stroke: #ddd; stroke-width: 1; }
path { fill: none; stroke-width: 2.5; }
@media (prefers-color-scheme: dark) { text { fill: #ccc; } .grid { stroke: #444; } }
"""


def x(doc_freq: float) -> float:
    """Where a document frequency lies, rare terms on the right."""
    share = math.log(doc_freq) / math.log(MAX_DOC_FREQ)
    return WIDTH - RIGHT - share * (WIDTH - LEFT - RIGHT)


def y(ratio: float) -> float:
    """Where a ratio of weights lies."""
    share = math.log(ratio / LOWEST) / math.log(HIGHEST / LOWEST)
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def ratio(doc_freq: float, q: float) -> float:
    """A term's weight against that of the reference term."""
    formula = Qlog1p(q)
    return formula.weight(doc_freq, NUM_DOCS) / formula.weight(REFERENCE, NUM_DOCS)


def text(left: float, top: float, words: str, anchor: str = "middle", extra: str = "") -> str:
    """A piece of text."""
    place = f'x="{left:.1f}" y="{top:.1f}" text-anchor="{anchor}"'
    return f"<text {place}{extra}>{words}</text>"


def curve(q: float, label: str, colour: str) -> list[str]:
    """One curve and the name at its end."""
    steps = [MAX_DOC_FREQ ** (step / 80) for step in range(81)]
    points = " L".join(f"{x(df):.1f},{y(ratio(df, q)):.1f}" for df in steps)
    dashes = ' stroke-dasharray="7 4"' if q == 1.0 else ""
    end = y(ratio(1, q)) + 4
    name = f' style="fill:{colour};font-weight:600"'
    return [
        f'<path d="M{points}" stroke="{colour}"{dashes}/>',
        text(x(1) + 8, end, label, "start", name),
    ]


def draw() -> str:
    """The whole picture."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
        ' aria-label="Weight of a term against its document frequency, for several q">',
        f"<style>{STYLE}</style>",
        text(LEFT, 24, f"What a term is worth, against one in {REFERENCE} documents", "start",
             ' class="title"'),
    ]  # fmt: skip
    for doc_freq in (1, 10, 100, 1_000, 10_000):
        left = x(doc_freq)
        parts.append(f'<line class="grid" x1="{left:.1f}" y1="{TOP}" x2="{left:.1f}"'
                     f' y2="{HEIGHT - BOTTOM}"/>')  # fmt: skip
        parts.append(text(left, HEIGHT - BOTTOM + 18, f"{doc_freq:,}"))
    for level in (0.01, 0.1, 1, 10, 100):
        top = y(level)
        parts.append(f'<line class="grid" x1="{LEFT}" y1="{top:.1f}" x2="{WIDTH - RIGHT}"'
                     f' y2="{top:.1f}"/>')  # fmt: skip
        parts.append(text(LEFT - 8, top + 4, f"{level:g}×", "end"))
    middle = (LEFT + WIDTH - RIGHT) / 2
    caption = f"documents that hold the term, of {NUM_DOCS:,} (rarer to the right)"
    parts.append(text(middle, HEIGHT - 12, caption))
    for (q, label), colour in zip(CURVES, COLOURS, strict=True):
        parts.extend(curve(q, label, colour))
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    Path(__file__).with_suffix(".svg").write_text(draw(), encoding="utf-8")
