"""Places in code that a text names: files by their paths, and the frames of a stack trace.

Each kind of trace is one row of a table: a pattern, and whether the call that failed comes last.
"""

from __future__ import annotations

import re

from qidf.records import dataclass


@dataclass(frozen=True, slots=True)
class Frame:
    """A place in a stack trace; `depth` counts from 0 at the call that failed, outwards."""

    path: str
    line: int
    function: str
    depth: int


# A path as it stands in a trace: no white space, no brackets, no quotes, and a name with an ending.
_PATH = r"(?P<path>[^\s\"'()\[\]<>,:]*[^\s\"'()\[\]<>,:/\\]\.\w{1,10})"
_FUNCTION = r"(?P<function>[^\s()]+)"
# Python prints the call that failed last; all others print it first.
_LAST = re.compile(rf'File "(?P<path>[^"\n]+)", line (?P<line>\d+)(?:, in {_FUNCTION})?')
_FIRST = (
    # JavaScript: at handle (lib/server.js:10:5); C#: at Shop.Cart.Add() in Cart.cs:line 12
    re.compile(rf"^\s*at (?:async )?(?:{_FUNCTION} )?\(?(?:file://)?{_PATH}:(?P<line>\d+)", re.M),
    re.compile(rf"^\s*at {_FUNCTION}\([^)\n]*\) in {_PATH}:line (?P<line>\d+)", re.M),
    # Java, Kotlin, Scala: at shop.Cart.add(Cart.java:12)
    re.compile(rf"^\s*at {_FUNCTION}\({_PATH}:(?P<line>\d+)\)", re.M),
    # gdb and sanitizers: #1 0x55d in add (cart=0x0) at cart.c:12, #1 0x55d in add /src/cart.c:12:3
    re.compile(
        rf"^\s*#\d+\s+(?:0x[0-9a-fA-F]+ in )?{_FUNCTION}(?: ?\([^\n]*\))?(?: at)? {_PATH}"
        r":(?P<line>\d+)",
        re.M,
    ),
    # PHP: #0 /src/Cart.php(12): Cart->add()
    re.compile(rf"^\s*#\d+ {_PATH}\((?P<line>\d+)\): {_FUNCTION}", re.M),
    # Ruby: lib/cart.rb:12:in `add'
    re.compile(rf"{_PATH}:(?P<line>\d+):in [`']{_FUNCTION[:-1]}?)'", re.M),
    # Go: a line with the function, then one with the place; Rust: 3: cart::add, then at src/cart.rs
    re.compile(rf"^(?P<function>\S+)\([^()\n]*\)\n\s+{_PATH}:(?P<line>\d+)", re.M),
    re.compile(rf"^\s*\d+:\s+{_FUNCTION}\n\s+at {_PATH}:(?P<line>\d+)", re.M),
)
# A path in running text: folders, or a name with an ending that files of code have.
_MENTION = re.compile(
    r"(?<![\w@])(?:[\w.@+~-]+[/\\])+[\w@+~-]+(?:\.\w+)*|(?<![\w/\\.])[\w-]+(?:\.[\w-]+)*\.[A-Za-z]\w{0,9}\b"
)


def frames(text: str) -> tuple[Frame, ...]:
    """The frames of all stack traces in a text, each trace's failing call at depth 0."""
    found = [(match, True) for match in _LAST.finditer(text)]
    for pattern in _FIRST:
        found += [(match, False) for match in pattern.finditer(text)]
    last = [match for match, is_last in found if is_last]
    first = sorted((match for match, is_last in found if not is_last), key=lambda m: m.start())
    ordered = [*reversed(last), *first]
    seen: dict[tuple[str, int], Frame] = {}
    depths = {True: 0, False: 0}
    for match in ordered:
        path, line = match["path"], int(match["line"])
        if (path, line) not in seen:
            is_last = match.re is _LAST
            function = _bare(match["function"] or "")
            seen[path, line] = Frame(path, line, function, depths[is_last])
            depths[is_last] += 1
    return tuple(seen.values())


def mentioned_paths(text: str) -> tuple[str, ...]:
    """What looks like the path of a file in a text, each once, frames included."""
    return tuple(dict.fromkeys(match.group().strip(".") for match in _MENTION.finditer(text)))


def common_end(mention: str, path: str) -> int:
    """How many names at the end of a path a mention has, if one of the two is all of it; else 0.

    `site-packages/django/db/utils.py` is django/db/utils.py, and so is `utils.py`; `my/utils.py`
    is not.
    """
    said = [part for part in re.split(r"[/\\]", mention) if part not in ("", ".", "..", "~")]
    real = path.split("/")
    both = 0
    while both < min(len(said), len(real)) and said[-1 - both] == real[-1 - both]:
        both += 1
    return both if both in (len(said), len(real)) else 0


def _bare(function: str) -> str:
    """The last name of a function as traces spell it: no module, no closure, no arrow."""
    plain = re.sub(r"<[^>]*>|\{\{?[^}]*\}\}?|::h[0-9a-f]{16}$|\(\*?(\w+)\)", r"\1", function)
    parts = [part for part in re.split(r"\.|::|->|#|/|\$", plain) if part.strip("<>(){}*")]
    return parts[-1].strip("<>(){}*") if parts else ""
