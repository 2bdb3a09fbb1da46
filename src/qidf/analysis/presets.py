"""The analyzers that have names, and names for all the others.

A preset prints as its bare name, any other analyzer as the nearest preset and what differs:
`identifier(stopwords=none)`. To add a preset, add it to `PRESETS`; a saved index holds the name,
so a preset's meaning never changes once it is released.
"""

from __future__ import annotations

import json
import re
from dataclasses import fields
from types import MappingProxyType
from typing import Any

from qidf.analysis.analyzer import Analyzer
from qidf.errors import InvalidArgumentError

PRESETS: MappingProxyType[str, Analyzer] = MappingProxyType(
    {
        # T0 of the paper's tokenizer ablation: what bm25s does by default.
        "generic": Analyzer(),
        # T1, "whitespace-only": no stop list. The paper doesn't say whether it folds case; we do,
        # as the other three do, and `whitespace(lowercase=false)` is the other reading.
        "whitespace": Analyzer(words="whitespace", stopwords="none"),
        # T2: whole identifiers and their parts.
        "identifier": Analyzer(parts="both"),
        # T3: parts alone.
        "subtoken": Analyzer(parts="only"),
    }
)

_FIELDS = tuple(field.name for field in fields(Analyzer))
_CALL = re.compile(r"\s*([\w-]+)\s*(?:\((.*)\))?\s*", re.DOTALL)
_OPTION = re.compile(r"\s*(\w+)\s*=\s*")
_BARE_VALUE = re.compile(r"[\w-]+")
_BOOLEANS = {"true": True, "false": False}


def format_analyzer(analyzer: Analyzer) -> str:
    """Write an analyzer as the preset with the fewest differences, and those differences."""
    name, changes = min(
        ((name, _changes(analyzer, preset)) for name, preset in PRESETS.items()),
        key=lambda candidate: len(candidate[1]),
    )
    return f"{name}({', '.join(changes)})" if changes else name


def parse_analyzer(spec: str | Analyzer) -> Analyzer:
    """Read what `Analyzer.spec` wrote, such as `generic` or `identifier(stopwords=none)`."""
    if isinstance(spec, Analyzer):
        return spec
    call = _CALL.fullmatch(spec) if isinstance(spec, str) else None
    if call is None:
        raise _unreadable(spec)
    name, options = call.groups()
    if name not in PRESETS:
        raise InvalidArgumentError(
            f"no analyzer is called {name!r}; choose one of: {', '.join(PRESETS)}"
        )
    values: dict[str, Any] = {field: getattr(PRESETS[name], field) for field in _FIELDS}
    values.update(_parse_options(options or "", spec))
    return Analyzer(**values)


def _changes(analyzer: Analyzer, preset: Analyzer) -> list[str]:
    return [
        f"{field}={_format_value(getattr(analyzer, field))}"
        for field in _FIELDS
        if getattr(analyzer, field) != getattr(preset, field)
    ]


def _format_value(value: str | bool | tuple[str, ...]) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    # JSON quotes words that hold commas, parentheses or lone surrogates.
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def _parse_options(text: str, spec: str) -> dict[str, object]:
    options: dict[str, object] = {}
    position = 0
    while text[position:].strip():
        option = _OPTION.match(text, position)
        if option is None or option[1] in options:
            raise _unreadable(spec)
        if option[1] not in _FIELDS:
            raise InvalidArgumentError(
                f"an analyzer has no option {option[1]!r}; choose from: {', '.join(_FIELDS)}"
            )
        options[option[1]], position = _parse_value(text, option.end(), spec)
        rest = text[position:].lstrip()
        if rest and not rest.startswith(","):
            raise _unreadable(spec)
        position = len(text) - len(rest) + 1
    return options


def _parse_value(text: str, position: int, spec: str) -> tuple[object, int]:
    if text[position : position + 1] == "[":
        try:
            words, end = json.JSONDecoder().raw_decode(text, position)
        except json.JSONDecodeError as error:
            raise _unreadable(spec) from error
        return tuple(words), end
    value = _BARE_VALUE.match(text, position)
    if value is None:
        raise _unreadable(spec)
    return _BOOLEANS.get(value[0], value[0]), value.end()


def _unreadable(spec: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"can't read the analyzer {spec!r}; write a name such as generic, "
        "or a name with options such as identifier(stopwords=none)"
    )
