"""The kernel does what the plain definition does, number for number."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from qidf.analysis import PRESETS, Analyzer, TermTable, analyze_batch, look_up
from qidf.analysis import batch as batch_module
from qidf.errors import InvalidArgumentError

# Letters whose lowercase form is longer, ASCII, or depends on what follows; digits of other
# scripts; marks that end a word; every ASCII control character; lone surrogates.
AWKWARD = "İıßẞſKΣσςǅⅧ²٣५𝟜ªʰ数の\u0301\u0307\u200d\u00a0\u0085\u2028\ud800\udfff_-.'’—" + "".join(
    map(chr, range(33))
)
CODE = st.text(alphabet="aAbBsSzZ019_ .s", max_size=30)
ANY = st.text(st.characters(exclude_categories=()), max_size=30)
# Endings that plurals are told by, in words with and without parts, and plurals of stop words;
# each beside ASCII alone or beside what isn't.
PLURALS = st.lists(
    st.sampled_from(
        [
            "queries",
            "Queries",
            "ties",
            "maxQueriesLeft",
            "allEntries",
            "classes",
            "addressES",
            "boxes",
            "shoes",
            "trees",
            "status",
            "class",
            "ids",
            "IDs",
            "getUserIDs",
            "userKeys",
            "get_users",
            "das",
            "thes",
            "é",
            "été's",
            "naïves",
            "éX/getUsers",
            "süßes",
            "toThis",
            "thisIs",
            "axes",
            "xes",
            "ies",
            "sses",
            "as",
            "es",
            "s",
            "glasses",
            "cookies",
            "movies",
            "eies",
            "aies",
            "theirs",
            "toTheirs",
            "thats",
        ]
    ).flatmap(lambda word: st.sampled_from([word, f"é/{word}", f"{word}—", f"é_{word}"])),
    max_size=8,
).map(" ".join)
MIXED = st.text(st.sampled_from(AWKWARD + "aAbBsS01_ thetoIDs"), max_size=30)
TEXTS = st.lists(st.one_of(CODE, ANY, MIXED, st.text(st.characters(max_codepoint=127))), max_size=8)

ANALYZERS = {
    **PRESETS,
    "every word": Analyzer(stopwords="none"),
    "singular": Analyzer(plurals="fold"),
    "singular parts": Analyzer(parts="both", plurals="fold"),
    "singular parts only": Analyzer(parts="only", plurals="fold", stopwords=("the", "query")),
    "singular as written": Analyzer(words="whitespace", lowercase=False, plurals="fold"),
    "as written": Analyzer(lowercase=False, stopwords=("The", "ID", "数の")),
    "whitespace parts": Analyzer(words="whitespace", parts="both", stopwords=("a", "is")),
    "whitespace parts only": Analyzer(words="whitespace", parts="only", lowercase=False),
}


def number_by_definition(
    analyzer: Analyzer, texts: list[str], known: dict[str, int], *, grow: bool = True
) -> list[list[int]]:
    """Number tokens with a dictionary, document by document."""
    numbered = []
    for text in texts:
        tokens = analyzer.tokens(text)
        if grow:
            for token in tokens:
                known.setdefault(token, len(known))
        numbered.append([known.get(token, -1) for token in tokens])
    return numbered


def numbers(stream: batch_module.TokenStream) -> list[list[int]]:
    return [part.tolist() for part in np.split(stream.term_ids, stream.doc_offsets[1:-1])][
        : stream.num_docs
    ]


@pytest.mark.parametrize("name", ANALYZERS)
@settings(max_examples=300, deadline=None)
@given(texts=TEXTS)
@example(
    texts=["HTTPServer userIDs URLsX XAs", "Straße HTTPServer", "", "parseJSON2 i18n __init__"]
)
@example(
    texts=["\x1c\x1d\x1e\x1f\x85 a\x0bb", "a\u2028b\x00c", "İstanbul ISTANBUL", "\ud800aa \udfff"]
)
def test_the_kernel_agrees_with_the_definition_on_arbitrary_unicode(
    name: str, texts: list[str]
) -> None:
    analyzer, known, table = ANALYZERS[name], {}, TermTable.empty()
    expected = number_by_definition(analyzer, texts, known)
    assert numbers(analyze_batch(analyzer, texts, table)) == expected
    assert table.tokens() == list(known)


@pytest.mark.parametrize("name", ANALYZERS)
@settings(max_examples=100, deadline=None)
@given(texts=st.lists(PLURALS, max_size=4))
@example(texts=["theirs", "“theirs”", "éX/queries"])
def test_the_kernel_folds_plurals_as_the_definition_does(name: str, texts: list[str]) -> None:
    analyzer, known, table = ANALYZERS[name], {}, TermTable.empty()
    expected = number_by_definition(analyzer, texts, known)
    assert numbers(analyze_batch(analyzer, texts, table)) == expected
    assert table.tokens() == list(known)


@pytest.mark.parametrize("name", ANALYZERS)
@settings(max_examples=50, deadline=None)
@given(first=TEXTS, second=TEXTS)
def test_a_second_batch_goes_on_where_the_first_ended(
    name: str, first: list[str], second: list[str]
) -> None:
    analyzer, known, table = ANALYZERS[name], {}, TermTable.empty()
    for texts in (first, second):
        expected = number_by_definition(analyzer, texts, known)
        assert numbers(analyze_batch(analyzer, texts, table)) == expected


@settings(max_examples=100, deadline=None)
@given(first=TEXTS, second=TEXTS)
def test_without_growth_unknown_tokens_are_kept_as_minus_one(
    first: list[str], second: list[str]
) -> None:
    analyzer, known, table = PRESETS["identifier"], {}, TermTable.empty()
    number_by_definition(analyzer, first, known)
    analyze_batch(analyzer, first, table)
    frozen = TermTable.from_arrays(**table.arrays())
    expected = number_by_definition(analyzer, second, known, grow=False)
    assert numbers(analyze_batch(analyzer, second, frozen, grow=False)) == expected
    assert numbers(analyze_batch(analyzer, second, table, grow=False)) == expected
    assert table.tokens() == list(known)


@pytest.mark.parametrize("name", ANALYZERS)
@settings(max_examples=50, deadline=None)
@given(known=TEXTS, texts=TEXTS)
def test_texts_are_looked_up_in_several_tables_at_once(
    name: str, known: list[str], texts: list[str]
) -> None:
    analyzer, tables, expected = ANALYZERS[name], [], []
    for part in (known[::2], known[1::2]):
        tables.append(TermTable.empty())
        analyze_batch(analyzer, part, tables[-1])
        numbered: dict[str, int] = {}
        number_by_definition(analyzer, part, numbered)
        expected.append(number_by_definition(analyzer, texts, numbered, grow=False))
    for asked in (texts, *([text] for text in texts)):
        offsets, ids = look_up(analyzer, asked, tables)
        found = [numbers(batch_module.TokenStream(each, offsets)) for each in ids]
        if asked is texts:
            assert found == expected
        else:
            place = texts.index(asked[0])
            assert found == [[each[place]] for each in expected]


@settings(max_examples=50, deadline=None)
@given(texts=TEXTS, size=st.integers(1, 40))
def test_the_size_of_chunks_changes_nothing(texts: list[str], size: int) -> None:
    analyzer = PRESETS["identifier"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batch_module, "CHUNK_CHARACTERS", size)
        chunked = analyze_batch(analyzer, texts, TermTable.empty())
    whole = analyze_batch(analyzer, texts, TermTable.empty())
    assert numbers(chunked) == numbers(whole)


def test_one_word_longer_than_everything_before_it_fits() -> None:
    word = "FooBar" * 50_000
    known: dict[str, int] = {}
    table = TermTable.empty()
    texts = ["one", word, "é " + word]
    expected = number_by_definition(PRESETS["identifier"], texts, known)
    assert numbers(analyze_batch(PRESETS["identifier"], texts, table)) == expected
    assert table.tokens() == list(known)


def test_texts_may_be_any_sequence_of_strings() -> None:
    stream = analyze_batch(Analyzer(), ("alpha beta", "beta"), TermTable.empty())
    assert stream.term_ids.dtype == np.int32
    assert stream.doc_offsets.dtype == np.int64
    assert numbers(stream) == [[0, 1], [1]]


def test_no_texts_and_empty_texts_have_no_tokens() -> None:
    assert analyze_batch(Analyzer(), [], TermTable.empty()).doc_offsets.tolist() == [0]
    assert analyze_batch(Analyzer(), ["", ""], TermTable.empty()).doc_offsets.tolist() == [0, 0, 0]


def test_what_is_not_a_list_of_strings_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="put this one in a list"):
        analyze_batch(Analyzer(), "alpha", TermTable.empty())
    with pytest.raises(InvalidArgumentError, match="not bytes"):
        analyze_batch(Analyzer(), ["alpha", b"beta"], TermTable.empty())  # type: ignore[list-item]
    with pytest.raises(InvalidArgumentError, match="not int"):
        analyze_batch(Analyzer(), ["alpha", 3], TermTable.empty())  # type: ignore[list-item]
    table = TermTable.from_arrays(**TermTable.from_tokens(["alpha"]).arrays())
    with pytest.raises(InvalidArgumentError, match="copy"):
        analyze_batch(Analyzer(), ["beta"], table)


@settings(max_examples=200, deadline=None)
@given(texts=TEXTS)
def test_generic_is_what_bm25s_does_by_default(texts: list[str]) -> None:
    bm25s = pytest.importorskip("bm25s")
    theirs = bm25s.tokenize(texts, show_progress=False)
    table = TermTable.empty()
    assert numbers(analyze_batch(PRESETS["generic"], texts, table)) == theirs.ids
    assert table.tokens() == list(theirs.vocab)
    assert [PRESETS["generic"].tokens(text) for text in texts] == bm25s.tokenize(
        texts, return_ids=False, show_progress=False
    )
