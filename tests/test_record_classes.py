"""Records behave as those of `dataclasses` do."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from qidf import records


def _declared(dataclass: Callable[..., Any]) -> tuple[type, type]:
    @dataclass(frozen=True, slots=True)
    class Span:
        path: str
        start: int = 1
        notes: list[str] = dataclasses.field(default_factory=list, compare=False, repr=False)

        def __post_init__(self) -> None:
            if self.start < 1:
                raise ValueError("lines count from 1")

    @dataclass(slots=True, eq=False)
    class Counted:
        count: int
        names: dict[str, int] = dataclasses.field(default_factory=dict)

    return Span, Counted


@records.dataclass(frozen=True, slots=True)
class Stored:
    """A record that a process can be sent."""

    name: str
    size: int = 0


OURS, THEIRS = _declared(records.dataclass), _declared(dataclasses.dataclass)


@pytest.mark.parametrize("number", [0, 1])
def test_a_record_shows_and_lists_its_fields_as_a_dataclass_does(number: int) -> None:
    ours, theirs = (made[number]("a") for made in (OURS, THEIRS))
    assert repr(ours) == repr(theirs)
    assert dataclasses.asdict(ours) == dataclasses.asdict(theirs)
    assert [each.name for each in dataclasses.fields(ours)] == list(theirs.__slots__)
    assert OURS[number].__match_args__ == THEIRS[number].__match_args__
    assert not hasattr(ours, "__dict__")


def test_records_are_equal_when_what_is_compared_is() -> None:
    span = OURS[0]
    assert span("a", 2, ["x"]) == span("a", 2, ["y"])
    assert hash(span("a", 2, ["x"])) == hash(span("a", 2, ["y"]))
    assert span("a", 2) != span("a", 3)
    assert span("a") != THEIRS[0]("a")
    assert OURS[1](1) != OURS[1](1)


def test_a_frozen_record_stays_as_it_was_made() -> None:
    made = OURS[0]("a")
    with pytest.raises(dataclasses.FrozenInstanceError, match="start"):
        made.start = 2
    with pytest.raises(dataclasses.FrozenInstanceError, match="start"):
        del made.start
    assert dataclasses.replace(made, start=2) == OURS[0]("a", 2)


def test_a_record_checks_itself_and_makes_its_own_defaults() -> None:
    with pytest.raises(ValueError, match="count from 1"):
        OURS[0]("a", 0)
    first, second = OURS[1](1), OURS[1](2)
    first.names["x"] = 1
    assert second.names == {}
    with pytest.raises(TypeError, match="path"):
        OURS[0]()


def test_a_frozen_record_can_be_sent_to_another_process() -> None:
    assert pickle.loads(pickle.dumps(Stored("a", 3))) == Stored("a", 3)
