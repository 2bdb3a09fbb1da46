"""Figures as data: panels of series, drawn by drawing.py in one style for all studies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from qidf.errors import InvalidArgumentError

Kind = Literal["line", "points", "bars", "boxes"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Series:
    """Values y at x, called `label` in the legend.

    Lines and points have numbers for x, bars and boxes have names of categories; a box is made of
    the values that share a name. `low` and `high` are 95% intervals. `colour` is a language's name
    or a number in the palette; what is the paper's is drawn hollow and dashed.
    """

    label: str
    kind: Kind
    x: tuple[float | str, ...]
    y: tuple[float, ...]
    colour: str | int = 0
    paper: bool = False
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        """Check kind and lengths."""
        if self.kind not in KINDS:
            raise InvalidArgumentError(
                f"a series can't be drawn as {self.kind!r}; choose from {', '.join(KINDS)}"
            )
        if len(self.x) != len(self.y) or any(
            len(bound) not in (0, len(self.y)) for bound in (self.low, self.high)
        ):
            raise InvalidArgumentError(
                f"the series {self.label!r} has {len(self.x)} x for {len(self.y)} y; give as many"
            )


@dataclass(frozen=True, slots=True)
class Panel:
    """One pair of axes.

    `diagonal` draws y = x, `mark_x` a dotted line at an x, `clip` bounds y and marks boxes that go
    beyond.
    """

    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    log_x: bool = False
    zero_line: bool = False
    diagonal: bool = False
    mark_x: float | None = None
    clip: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Figure:
    """Panels side by side, saved as <name>.svg and <name>.png."""

    name: str
    title: str
    panels: tuple[Panel, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return it in JSON's types, for `from_dict`."""
        return asdict(self)

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Figure:
        """Read what `to_dict` wrote."""
        return cls(saved["name"], saved["title"], tuple(map(_panel, saved["panels"])))


def _panel(saved: Mapping[str, Any]) -> Panel:
    series = tuple(Series(**_tuples(each)) for each in saved["series"])
    return Panel(**{**_tuples(saved), "series": series})


def _tuples(saved: Mapping[str, Any]) -> dict[str, Any]:
    """Undo what JSON makes of tuples."""
    return {key: tuple(value) if isinstance(value, list) else value for key, value in saved.items()}
