"""Taking a Python function's docstring out of its code."""

from __future__ import annotations

import ast
import io
import re
import textwrap
import warnings

# For code that this Python can't parse, such as Python 2's: the first triple-quoted string after
# the colon that ends the signature.
_DOCSTRING = re.compile(
    r"""(?P<head>\A.*?\bdef\b[^\n]*?\(.*?\)[^\n:]*:[^\n]*\n\s*)"""
    r"""(?P<doc>[rRuUbB]*(?P<quotes>\"\"\"|''').*?(?P=quotes))""",
    re.DOTALL,
)


def strip_docstring(code: str) -> str:
    """Return a function without its docstring; code that isn't a Python function stays as it is."""
    span = _parsed_span(code)
    if span is None:
        match = _DOCSTRING.match(code)
        if match is None:
            return code
        span = match.span("doc")
    return code[: span[0]] + code[span[1] :]


def _parsed_span(code: str) -> tuple[int, int] | None:
    """Where the docstring stands, by the parser; None where there is none or it can't tell."""
    source = textwrap.dedent(code)
    if source != code:
        return None
    try:
        with warnings.catch_warnings():
            # Escapes that newer Pythons frown at are none of our business.
            warnings.simplefilter("ignore")
            body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if not body or not isinstance(body[0], ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    first = body[0].body[0]
    if not (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    ):
        return (0, 0)
    # The parser's lines end where a file's do, not at all that Unicode calls a break.
    lines = list(io.StringIO(code, newline=""))
    return _offset(lines, first.lineno, first.col_offset), _offset(
        lines, first.end_lineno or first.lineno, first.end_col_offset or 0
    )


def _offset(lines: list[str], line: int, column: int) -> int:
    """A character's place in the code; the parser counts bytes of UTF-8 within a line."""
    before = lines[line - 1].encode("utf-8")[:column]
    return sum(map(len, lines[: line - 1])) + len(before.decode("utf-8"))
