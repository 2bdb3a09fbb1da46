"""Names that are asked for come first, paths lead to files, and phrases to where they stand."""

from __future__ import annotations

from pathlib import Path

import pytest
from projects import write

from qidf.repository import Repository
from qidf.repository.phrases import Phrase

# More than a class that is kept whole.
NOTES = "\n    ".join(f"Note {n} says something about rows." for n in range(30))
FILES = {
    "shop/query.py": '''class QuerySet:
    """Rows.

    {notes}
    """

    def get(self):
        return self.first()

    def get_or_create(self, **values):
        """Get the row or create it."""
        try:
            return self.get()
        except MissingRow:
            return self.create(**values)

    async def aget_or_create(self, **values):
        return await to_thread(self.get_or_create, get_or_create, create=values)


class F:
    """A field."""

    def resolve(self):
        return self.name


def is_(left, right):
    return left is right
'''.replace("{notes}", NOTES)
    + "\n\n".join(f"def other_{n}(row):\n    return row + {n} * 1000000007\n" for n in range(40)),
    "shop/lookup.py": '''def names_to_path(names, options):
    for name in names:
        if name not in options:
            available = sorted(options)
            raise FieldError(
                "Cannot resolve keyword '%s' into field. "
                "Choices are: %s" % (name, ", ".join(available))
            )


def resolve_field(field, keyword):
    """Resolve a keyword of a field into a keyword that the field can resolve."""
    return field.resolve(keyword)
''',
    "tests/test_query.py": """class TestGetOrCreate:
    def test_get_or_create(self):
        assert QuerySet().get_or_create(get_or_create=1)
""",
    "src/list.rs": """pub fn push_item(list: &mut List, item: Item) {
    list.items.push(item);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn push_item_grows_the_list() {
        let mut list = List::new();
        push_item(&mut list, Item::new());
        assert_eq!(list.len(), 1);
    }
}
""",
}


@pytest.fixture
def shop(tmp_path: Path) -> Repository:
    return Repository.open(write(tmp_path / "code", FILES), directory=tmp_path / "index")


@pytest.mark.parametrize(
    ("asked", "symbol"),
    [
        ("get_or_create", "QuerySet.get_or_create"),
        ("QuerySet.get_or_create", "QuerySet.get_or_create"),
        ("queryset.get_or_create()", "QuerySet.get_or_create"),
        ("aget_or_create", "QuerySet.aget_or_create"),
        ("TestGetOrCreate", "TestGetOrCreate"),
        ("F", "F"),
        ("shop.query.F", "F"),
        ("is_", "is_"),
    ],
)
def test_a_name_that_is_defined_comes_first(shop: Repository, asked: str, symbol: str) -> None:
    first = shop.search(asked)[0]
    assert first.symbol == symbol
    assert first.parts.name > 0


def test_a_name_inside_a_small_class_leads_to_the_class(shop: Repository) -> None:
    assert shop.search("test_get_or_create")[0].symbol == "TestGetOrCreate"
    assert shop.search("F.resolve")[0].symbol == "F"


@pytest.mark.parametrize(
    "asked",
    [
        "Cannot resolve keyword into field",
        "FieldError: Cannot resolve keyword 'colour' into field. Choices are: id, name",
        '"Cannot resolve keyword"',
        "why do I get `Cannot resolve keyword` when I filter",
    ],
)
def test_a_message_leads_to_the_code_that_holds_it(shop: Repository, asked: str) -> None:
    first = shop.search(asked)[0]
    assert first.symbol == "names_to_path"
    assert first.parts.phrase > 0


def test_quoted_text_is_taken_to_the_letter(tmp_path: Path) -> None:
    files = {
        "a.py": "def retry_on(code):\n    return retry, on, code, retry_on(code), on_retry(code)\n",
        "b.py": "def other(x):\n    total = x + 1\n    text = 'retry-on: code'\n    return x\n",
    }
    repository = Repository.open(write(tmp_path / "code", files), directory=tmp_path / "index")
    assert repository.search("retry on code")[0].path == "a.py"
    assert repository.search('"retry-on: code"')[0].path == "b.py"


def test_a_trace_leads_to_its_innermost_function(shop: Repository) -> None:
    trace = (
        "Filtering breaks\n\nTraceback (most recent call last):\n"
        '  File "app.py", line 1, in <module>\n'
        '  File "/usr/lib/shop/query.py", line 7, in get_or_create\n'
        '  File "/usr/lib/shop/lookup.py", line 5, in names_to_path\n'
        "shop.FieldError: it broke\n"
    )
    hits = shop.search(trace)
    assert hits[0].symbol == "names_to_path"
    assert {hit.path for hit in hits if hit.parts.path} == {"shop/query.py", "shop/lookup.py"}
    explained = shop.explain(trace, hits[0].location)
    assert "the question is a stack trace" in str(explained)
    assert "for its path" in str(explained)
    assert explained.question["frames"][0] == "/usr/lib/shop/lookup.py:5 names_to_path"


def test_tests_in_a_file_of_code_are_tests(shop: Repository) -> None:
    roles = {hit.symbol: hit.role for hit in shop.search("push item list grows")}
    assert roles["push_item"] == "code"
    assert next(role for symbol, role in roles.items() if symbol.startswith("tests")) == "test"


def test_further_spans_of_a_file_count_a_little_less_in_a_long_text(shop: Repository) -> None:
    text = "Resolving fails\n\nresolve a field by its keyword\n\n" + "and so on and on\n" * 30
    hits = [hit for hit in shop.search(text) if hit.path == "shop/lookup.py"]
    assert [round(hit.parts.repeat, 3) for hit in hits] == [1.0, 0.97]
    for hit in hits:
        assert hit.score == pytest.approx(hit.parts.score, rel=1e-5)
    assert {hit.parts.repeat for hit in shop.search("resolve a field by its keyword")} == {1.0}


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("raise Error('no room for %s in %s' % (a, b))", 0.6, 0.99),
        ("throw new Error(`no room for ${item} in ${cart}`)", 0.6, 0.99),
        ("no room for apples in cart", 1.0, 1.0),
        ("cart apples for room no", 0.0, 0.2),
        ("", 0.0, 0.0),
    ],
)
def test_a_phrase_is_found_with_its_values_or_without(text: str, least: float, most: float) -> None:
    phrase = Phrase.of("no room for apples in cart", {"room": 3.0, "cart": 2.0})
    assert least <= phrase.match(text) <= most


def test_copies_of_a_text_are_one_hit(tmp_path: Path) -> None:
    lines = (
        "def commit_root(root):",
        "    lanes = root.pending_lanes",
        "    return flush(root, lanes)",
    )
    body = "\n".join(lines) + "\n"
    builds = {f"build/{name}/dom.py": body for name in ("dev", "prod", "profiling")}
    others = {f"src/m{n}.py": f"def use_{n}(root):\n    commit_root({n})\n" for n in range(4)}
    root = write(tmp_path / "code", {**builds, **others, "tests/test_dom.py": body})
    repository = Repository.open(root, directory=tmp_path / "index")
    hits = repository.search("commit root", 4)
    assert [hit.rank for hit in hits] == [1, 2, 3, 4]
    (first,) = [hit for hit in hits if hit.path.startswith("build/")]
    assert first.copies == ("build/prod/dom.py:1-3", "build/profiling/dom.py:1-3")
    text = str(repository.context("commit root", 2_000))
    assert text.count("def commit_root") == 1


def test_a_header_is_no_span_of_its_own(tmp_path: Path) -> None:
    methods = "".join(
        f"    def route_{n}(self, model):\n" + f"        use(model, {n})\n" * 8 + "\n"
        for n in range(6)
    )
    files = {"router.py": f"################\nclass ConnectionRouter:\n{methods}"}
    repository = Repository.open(write(tmp_path / "code", files), directory=tmp_path / "index")
    first = repository.search("ConnectionRouter")[0]
    assert (first.symbol, first.end_line > 3) == ("ConnectionRouter", True)
    assert repository.search("ConnectionRouter.route_0")[0].location == first.location
