"""Functions without their docstrings."""

from __future__ import annotations

import pytest

from qidf.datasets import strip_docstring


@pytest.mark.parametrize(
    ("code", "stripped"),
    [
        ('def f():\n    """Doc."""\n    return 1\n', "def f():\n    \n    return 1\n"),
        ("def f():\n    'Doc.'\n    return 1\n", "def f():\n    \n    return 1\n"),
        ('def f(): "Doc."; return 1', "def f(): ; return 1"),
        (
            'async def f(a=(1, 2),\n  b=")"):\n        r"""Doc\n\n        more."""\n        go()',
            'async def f(a=(1, 2),\n  b=")"):\n        \n        go()',
        ),
        (
            'def f():\n    """caf\xe9 \u2028 x"""\n    return "\xe9"',
            'def f():\n    \n    return "\xe9"',
        ),
        ('@wraps(g)\ndef f():\n    """Doc."""\n    pass', "@wraps(g)\ndef f():\n    \n    pass"),
    ],
)
def test_the_docstring_goes_and_nothing_else(code: str, stripped: str) -> None:
    assert strip_docstring(code) == stripped


@pytest.mark.parametrize(
    "code",
    [
        "def f():\n    return '''not a docstring'''\n",
        "x = 1",
        "",
        "func main() { }",
        "class A:\n    '''Doc.'''\n",
        "def f():\n    x = 1\n    '''a string in passing'''\n",
    ],
)
def test_code_without_a_docstring_stays_as_it_is(code: str) -> None:
    assert strip_docstring(code) == code


@pytest.mark.parametrize(
    ("code", "stripped"),
    [
        ('def f(x):\n    """Doc."""\n    print x\n', "def f(x):\n    \n    print x\n"),
        ("def f(x):\n    u'''Doc\n    more'''\n    exec x\n", "def f(x):\n    \n    exec x\n"),
        (
            '    def f(x):\n        """Doc."""\n        go()\n',
            "    def f(x):\n        \n        go()\n",
        ),
    ],
)
def test_python_2_and_indented_methods_are_stripped_too(code: str, stripped: str) -> None:
    assert strip_docstring(code) == stripped
