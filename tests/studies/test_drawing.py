from __future__ import annotations

import sys
from pathlib import Path

import pytest

from qidf.errors import InvalidArgumentError, MissingExtraError
from qidf.studies import Figure, Panel, Series
from qidf.studies.drawing import draw

FIGURE = Figure(
    "every-kind",
    "One of each",
    (
        Panel(
            "lines",
            "documents",
            "NDCG@10",
            (
                Series(
                    "ours", "line", (1e3, 1e4), (0.2, 0.3), "go", low=(0.1, 0.2), high=(0.3, 0.4)
                ),
                Series("paper", "line", (1e3, 1e4), (0.2, 0.25), "go", paper=True),
            ),
            log_x=True,
            mark_x=2e3,
        ),
        Panel(
            "points",
            "predicted q",
            "best q",
            (Series("go", "points", (0.5,), (0.1,), 0, low=(0.05,), high=(0.2,)),),
            diagonal=True,
        ),
        Panel(
            "bars",
            "",
            "NDCG@10",
            (
                Series("BM25", "bars", ("T0", "T1"), (0.2, 0.3), low=(0.1, 0.2), high=(0.3, 0.4)),
                Series("paper", "bars", ("T1",), (0.25,), 1, paper=True),
            ),
            zero_line=True,
        ),
        Panel(
            "boxes",
            "form",
            "recovery",
            (Series("ours", "boxes", ("A", "A", "A", "B"), (-9.0, 0.1, 0.5, 0.3)),),
            clip=(-1.0, 1.0),
        ),
    ),
)


def test_the_same_figure_gives_the_same_bytes(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
        names = [path.name for path in draw(FIGURE, folder)]
        assert names == ["every-kind.svg", "every-kind.png"]
    for name in names:
        assert (first / name).read_bytes() == (second / name).read_bytes()


def test_the_svg_carries_no_date_and_the_png_is_one(tmp_path: Path) -> None:
    svg, png = draw(FIGURE, tmp_path)
    assert "<dc:date>" not in svg.read_text()
    assert png.read_bytes().startswith(b"\x89PNG")


def test_a_figure_survives_json() -> None:
    import json

    assert Figure.from_dict(json.loads(json.dumps(FIGURE.to_dict()))) == FIGURE


def test_a_series_needs_as_many_x_as_y() -> None:
    with pytest.raises(InvalidArgumentError, match="has 2 x for 1 y"):
        Series("ours", "line", (1.0, 2.0), (1.0,))
    with pytest.raises(InvalidArgumentError, match="can't be drawn as 'pie'"):
        Series("ours", "pie", (), ())  # type: ignore[arg-type]


def test_without_matplotlib_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'qidf\[plots\]'"):
        draw(FIGURE, tmp_path)
