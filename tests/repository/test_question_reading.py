"""How a question is read: its kind, and what in it is a title, a name, a message, a place."""

from __future__ import annotations

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidf.analysis import parse_analyzer
from qidf.repository.frames import Frame, common_end, frames, mentioned_paths
from qidf.repository.phrases import words_of
from qidf.repository.question import LONG_WORDS, TITLE_WEIGHT, Kind, read_question

PYTHON = """Traceback (most recent call last):
  File "manage.py", line 10, in <module>
    main()
  File "/usr/lib/python3/site-packages/shop/db/cart.py", line 125, in add_item
    raise CartError("no room for %s" % item)
shop.errors.CartError: no room for apples
"""


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("F", Kind.NAME),
        ("QuerySet.get_or_create", Kind.NAME),
        ("std::vec::Vec", Kind.NAME),
        ("save!", Kind.NAME),
        ("open()", Kind.NAME),
        ("retry with backoff", Kind.WORDS),
        ("how are connections put back into the pool", Kind.SENTENCE),
        ('"no room for"', Kind.QUOTE),
        (PYTHON, Kind.TRACEBACK),
        (f"It fails with\n{PYTHON}", Kind.TRACEBACK),
        (f"Adding fails\n\nI call it\nlike this\nand then\nit fails:\n\n{PYTHON}", Kind.ISSUE),
        ("Carts lose items\n\nSteps:\n\n1. Add one.\n2. Look at the cart.\n", Kind.ISSUE),
        ("word " * 60, Kind.ISSUE),
        ("def add(a, b):\n    total = a + b\n    return total\n", Kind.CODE),
        ("int add(int a) {\n  return a + 1;\n}\n", Kind.CODE),
    ],
)
def test_a_question_has_a_kind(text: str, kind: Kind) -> None:
    assert read_question(text).kind is kind


def test_the_first_line_of_an_issue_is_its_title() -> None:
    read = read_question("# Carts lose items\n\nI add one.\n\nThen it is gone.\n")
    assert read.title == "Carts lose items"
    assert read_question("carts lose items").title == ""


def test_a_word_said_often_counts_less_than_as_often_and_a_title_counts_more() -> None:
    analyzer = parse_analyzer("identifier")
    short = read_question("cart site site site site").weights(analyzer)
    assert short == pytest.approx({"cart": 1.0, "site": 1 + log(4)})
    body = " ".join(f"word{n}" for n in range(LONG_WORDS))
    long = read_question(f"cart loses\n\ncart {body}\n\nend\n").weights(analyzer)
    assert long["cart"] == pytest.approx(1 + log(2) + TITLE_WEIGHT)
    assert long["word7"] == 1.0
    # All words of a short text were chosen with care.
    assert set(read_question("cart loses\n\nits last\n\nitem\n").weights(analyzer).values()) == {1}


def test_names_are_words_that_no_prose_has() -> None:
    read = read_question(
        "The CartView calls get_or_create and `total` before reload(), says Ann. Then it stops."
    )
    assert set(read.names) == {"CartView", "get_or_create", "total", "reload", "Ann"}


def test_error_messages_and_quoted_text_are_phrases() -> None:
    read = read_question(f'It says "there is no cart" and stops.\n\nThen:\n\n{PYTHON}')
    assert read.phrases == ("no room for apples", "there is no cart", "no room for %s")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            PYTHON,
            [
                ("/usr/lib/python3/site-packages/shop/db/cart.py", 125, "add_item", 0),
                ("manage.py", 10, "", 1),
            ],
        ),
        ("    at Cart.add (/app/lib/cart.js:10:5)", [("/app/lib/cart.js", 10, "add", 0)]),
        ("    at async file:///app/run.mjs:3:1", [("/app/run.mjs", 3, "", 0)]),
        ("\tat com.shop.Cart.add(Cart.java:12)", [("Cart.java", 12, "add", 0)]),
        ("   at Shop.Cart.Add(Int32 x) in /src/Cart.cs:line 12", [("/src/Cart.cs", 12, "Add", 0)]),
        (
            "#0  0x00007f in cart_add (c=0x0) at ../src/cart.c:12",
            [("../src/cart.c", 12, "cart_add", 0)],
        ),
        ("    #1 0x55d in cart_add /src/cart.c:12:3", [("/src/cart.c", 12, "cart_add", 0)]),
        ("#0 /var/www/Cart.php(12): Cart->add()", [("/var/www/Cart.php", 12, "add", 0)]),
        ("lib/cart.rb:12:in `add'", [("lib/cart.rb", 12, "add", 0)]),
        (
            "main.(*Cart).Add(0xc0000)\n\t/go/src/shop/cart.go:12 +0x1d",
            [("/go/src/shop/cart.go", 12, "Add", 0)],
        ),
        (
            "   3: cart::store::add\n             at ./src/cart.rs:12:5",
            [("./src/cart.rs", 12, "add", 0)],
        ),
    ],
)
def test_frames_of_many_languages_are_read(
    text: str, found: list[tuple[str, int, str, int]]
) -> None:
    assert list(frames(text)) == [Frame(*each) for each in found]


def test_paths_in_running_text_are_found() -> None:
    text = "See src/shop/cart.py, utils.js and https://example.org/shop/blob/main/lib/cart.rb#L12."
    assert mentioned_paths(text) == (
        "src/shop/cart.py",
        "utils.js",
        "example.org/shop/blob/main/lib/cart.rb",
    )


@pytest.mark.parametrize(
    ("mention", "path", "both"),
    [
        ("site-packages/shop/db/cart.py", "shop/db/cart.py", 3),
        ("cart.py", "shop/db/cart.py", 1),
        ("./db/cart.py", "shop/db/cart.py", 2),
        ("C:\\code\\shop\\db\\cart.py", "shop/db/cart.py", 3),
        ("my/cart.py", "shop/db/cart.py", 0),
        ("db/carts.py", "shop/db/cart.py", 0),
    ],
)
def test_a_mention_means_a_path_if_one_is_the_end_of_the_other(
    mention: str, path: str, both: int
) -> None:
    assert common_end(mention, path) == both


@given(st.text(st.sampled_from("ab'1_ %{s}A$#(\né\x01"), max_size=40))
def test_words_of_ascii_are_read_as_those_of_any_text(text: str) -> None:
    # One letter beyond ASCII takes the other way.
    *words, last = words_of(f"{text} é")
    assert last == "é"
    assert words_of(f"{text} ") == tuple(words)
