"""Records as `dataclasses` makes them, in a quarter of the time.

A process that searches makes sixty classes before it does anything. `dataclasses` compiles up to
six methods for each, which was a tenth of a whole `qidf search`; here one is compiled, and the
others are the same for every record. What else `dataclasses` does with a record works with these.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass as dataclass
else:

    def dataclass(
        *, frozen: bool = False, slots: bool = False, eq: bool = True, repr: bool = True
    ) -> Callable[[type], type]:
        """Make a class a record, as the function of this name in `dataclasses` does."""

        def made(cls: type) -> type:
            own = cls.__dict__
            record = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots)(cls)
            record.__init__ = _constructor(record, frozen)
            if repr and "__repr__" not in own:
                record.__repr__ = _repr
            if eq:
                record.__eq__ = own.get("__eq__", _eq)
                # What can be changed has no hash, as with any class that defines __eq__ alone.
                record.__hash__ = own.get("__hash__") or (_hash if frozen else None)
            if frozen:
                record.__setattr__, record.__delattr__ = _refuse_setting, _refuse_deleting
                if slots:
                    record.__getstate__, record.__setstate__ = _getstate, _setstate
            return record

        return made


def _constructor(record: type, frozen: bool) -> Any:
    """The compiled __init__: frozen records set attributes past their own __setattr__."""
    names: dict[str, Any] = {"_set": object.__setattr__, "_MISSING": dataclasses.MISSING}
    parameters, body = ["self"], []
    for field in dataclasses.fields(record):
        name = parameter = value = field.name
        if field.default is not dataclasses.MISSING:
            names[f"_default_{name}"] = field.default
            parameter = f"{name}=_default_{name}"
        elif field.default_factory is not dataclasses.MISSING:
            names[f"_make_{name}"] = field.default_factory
            parameter = f"{name}=_MISSING"
            value = f"_make_{name}() if {name} is _MISSING else {name}"
        parameters.append(parameter)
        body.append(f" _set(self, {name!r}, {value})" if frozen else f" self.{name} = {value}")
    if hasattr(record, "__post_init__"):
        body.append(" self.__post_init__()")
    text = f"def __init__({', '.join(parameters)}):\n" + ("\n".join(body) or " pass")
    exec(text, names)
    made = names["__init__"]
    made.__qualname__ = f"{record.__qualname__}.__init__"
    made.__module__ = record.__module__
    made.__annotations__ = {each.name: each.type for each in dataclasses.fields(record)}
    return made


def _compared(record: Any) -> tuple[Any, ...]:
    fields = record.__dataclass_fields__.values()
    return tuple(getattr(record, each.name) for each in fields if each.compare)


def _eq(self: Any, other: object) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    return _compared(self) == _compared(other)


def _hash(self: Any) -> int:
    return hash(_compared(self))


def _repr(self: Any) -> str:
    fields = [each for each in dataclasses.fields(self) if each.repr]
    shown = ", ".join(f"{each.name}={getattr(self, each.name)!r}" for each in fields)
    return f"{self.__class__.__qualname__}({shown})"


def _refuse_setting(self: Any, name: str, value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_deleting(self: Any, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _getstate(self: Any) -> list[Any]:
    return [getattr(self, each) for each in self.__dataclass_fields__]


def _setstate(self: Any, state: list[Any]) -> None:
    for name, value in zip(self.__dataclass_fields__, state, strict=True):
        object.__setattr__(self, name, value)
