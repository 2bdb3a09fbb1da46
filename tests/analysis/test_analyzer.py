"""What each analyzer makes of text, and how analyzers are named."""

from __future__ import annotations

import dataclasses
import pickle
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidf.analysis import PRESETS, Analyzer, format_analyzer, parse_analyzer
from qidf.analysis.identifiers import split_identifier
from qidf.analysis.plurals import fold_plural
from qidf.errors import InvalidArgumentError

SENTENCE = "The HTTPServer in net_http parses userIDs and x1; Σίσυφος!"

ANALYZERS = st.builds(
    Analyzer,
    words=st.sampled_from(["unicode", "whitespace"]),
    lowercase=st.booleans(),
    stopwords=st.one_of(
        st.sampled_from(["english", "none"]),
        st.lists(st.text(st.characters(exclude_categories=()), min_size=1), max_size=4).map(tuple),
    ),
    parts=st.sampled_from(["none", "both", "only"]),
    plurals=st.sampled_from(["keep", "fold"]),
)


@pytest.mark.parametrize(
    ("name", "tokens"),
    [
        ("generic", "httpserver net_http parses userids x1 σίσυφος"),
        ("whitespace", "the httpserver in net_http parses userids and x1; σίσυφος!"),
        (
            "identifier",
            "httpserver http server net_http net http parses userids user ids x1 σίσυφος",
        ),
        ("subtoken", "http server net http parses user ids x1 σίσυφος"),
        ("generic(lowercase=false)", "The HTTPServer net_http parses userIDs x1 Σίσυφος"),
        ("subtoken(stopwords=none)", "the http server in net http parses user ids and x1 σίσυφος"),
        ('generic(stopwords=["x1","PARSES"])', "the httpserver in net_http userids and σίσυφος"),
        ("whitespace(parts=only)", "the http server in net http parses user ids and x1; σίσυφος"),
    ],
)
def test_a_sentence_has_these_tokens(name: str, tokens: str) -> None:
    assert parse_analyzer(name).tokens(SENTENCE) == tokens.split()


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("server", "server"),
        ("Server", "Server"),
        ("SERVER", "SERVER"),
        ("handleWebSocketUpgrade", "handle Web Socket Upgrade"),
        ("max_retry_count", "max retry count"),
        ("MAX_RETRY_COUNT", "MAX RETRY COUNT"),
        ("__init__", "init"),
        ("HTTPServer", "HTTP Server"),
        ("parseJSONResponse2", "parse JSON Response"),
        ("newX509Certificate", "new 509 Certificate"),
        ("sha256sum", "sha 256 sum"),
        ("Base64URL", "Base 64 URL"),
        ("utf8Decode", "utf Decode"),
        ("userIDs", "user IDs"),
        ("URLsAndAPIs", "URLs And APIs"),
        ("URLset", "UR Lset"),
        ("getHTTPSURL", "get HTTPSURL"),
        ("aB", ""),
        ("x1", ""),
        ("a_b", ""),
        ("__", ""),
        ("2D", ""),
        ("naïveÉtage", "naïve Étage"),
        ("größeÜber", "größe Über"),
        ("ΟΔΟΣname", "ΟΔΟ Σname"),
        ("数据Base", "数据 Base"),
        ("HTTP服务器", "HTTP 服务器"),
        ("count٣٤٥x", "count ٣٤٥"),
        ("ǅungla", "ǅungla"),
        ("a.bcd::ef-Gh", "bcd ef Gh"),
    ],
)
def test_an_identifier_breaks_into_these_parts(word: str, parts: str) -> None:
    assert split_identifier(word) == parts.split()


@given(st.text(st.characters(exclude_categories=()), max_size=40))
def test_parts_occur_in_the_word_in_order_and_never_overlap(word: str) -> None:
    position = 0
    for part in split_identifier(word):
        position = word.index(part, position) + len(part)


@given(st.text(st.characters(exclude_categories=()), max_size=40))
def test_identifier_is_subtoken_with_whole_words_added(text: str) -> None:
    whole = Analyzer(parts="both", stopwords="none")
    only = Analyzer(parts="only", stopwords="none")
    both = whole.tokens(text)
    for token in only.tokens(text):
        assert token in both


@given(ANALYZERS)
def test_every_name_reads_back(analyzer: Analyzer) -> None:
    assert parse_analyzer(analyzer.spec) == analyzer
    assert repr(analyzer) == analyzer.spec == format_analyzer(analyzer)
    assert pickle.loads(pickle.dumps(analyzer)) == analyzer


@given(ANALYZERS, st.text(max_size=30))
def test_stop_words_never_come_out(analyzer: Analyzer, text: str) -> None:
    kept = replace(analyzer, plurals="keep")
    assert analyzer.stopword_set.isdisjoint(kept.tokens(text))


@pytest.mark.parametrize(
    ("word", "folded"),
    [
        ("files", "file"),
        ("queries", "query"),
        ("ties", "tie"),
        ("classes", "class"),
        ("addresses", "address"),
        ("indexes", "index"),
        ("caches", "cache"),
        ("shoes", "shoes"),
        ("trees", "trees"),
        ("class", "class"),
        ("status", "status"),
        ("tls", "tls"),
        ("is", "is"),
        ("s", "s"),
        ("", ""),
        ("naïves", "naïves"),
    ],
)
def test_a_plural_is_folded_into_its_singular(word: str, folded: str) -> None:
    assert fold_plural(word) == folded


@given(st.text(st.sampled_from("aeioxyus"), max_size=9))
def test_folding_twice_is_folding_once(word: str) -> None:
    assert fold_plural(fold_plural(word)) == fold_plural(word)


def test_identifiers_stay_whole_where_plurals_are_folded() -> None:
    both = Analyzer(parts="both", plurals="fold")
    assert both.tokens("getUserIDs keys") == ["getuserids", "get", "user", "ids", "key"]
    assert both.tokens("maxQueries") == ["maxqueries", "max", "query"]
    assert Analyzer(plurals="fold").tokens("get_users THESE Boxes") == ["get_user", "box"]


def test_presets_print_as_their_bare_names() -> None:
    assert [repr(preset) for preset in PRESETS.values()] == list(PRESETS)
    assert {name: parse_analyzer(name) for name in PRESETS} == dict(PRESETS)
    assert Analyzer() == PRESETS["generic"]


@pytest.mark.parametrize(
    ("analyzer", "name"),
    [
        (Analyzer(stopwords="none"), "generic(stopwords=none)"),
        (Analyzer(parts="both", stopwords="none"), "identifier(stopwords=none)"),
        (
            Analyzer(words="whitespace", lowercase=False),
            "generic(words=whitespace, lowercase=false)",
        ),
        (Analyzer(parts="both", plurals="fold"), "identifier(plurals=fold)"),
        (Analyzer(stopwords=("fn", "Let")), 'generic(stopwords=["fn","let"])'),
    ],
)
def test_others_print_as_the_nearest_preset_and_what_differs(analyzer: Analyzer, name: str) -> None:
    assert repr(analyzer) == name


def test_equal_stop_lists_have_one_form() -> None:
    assert Analyzer(stopwords=("b", "A", "b")) == Analyzer(stopwords=("a", "b"))
    assert Analyzer(stopwords=()) == Analyzer(stopwords="none")
    assert Analyzer(stopwords=tuple(Analyzer().stopword_set)) == Analyzer()


def test_names_may_be_written_loosely() -> None:
    expected = Analyzer(parts="both", stopwords=("a,b", "c)"))
    assert parse_analyzer(' identifier ( stopwords = ["a,b", "c)"] ) ') == expected
    assert parse_analyzer("identifier()") == PRESETS["identifier"]
    assert parse_analyzer(expected) is expected


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("porter", "choose one of: generic, whitespace, identifier, subtoken"),
        ("generic(stem=true)", "choose from: words, lowercase, stopwords, parts, plurals"),
        ("generic(parts=some)", "choose one of: none, both, only"),
        ("generic(plurals=some)", "choose one of: keep, fold"),
        ("generic(words=bytes)", "choose one of: unicode, whitespace"),
        ("generic(lowercase=maybe)", "choose one of: True, False"),
        ("generic(stopwords=french)", "choose one of: english, none, a tuple of words"),
        ("generic(stopwords=[1])", "non-empty strings"),
        ('generic(stopwords=[""])', "non-empty strings"),
        ("generic(stopwords=[)", "can't read"),
        ("generic(stopwords=)", "can't read"),
        ("generic(parts=both parts=only)", "can't read"),
        ("generic(parts=both, parts=only)", "can't read"),
        ("generic(", "can't read"),
        ("", "can't read"),
    ],
)
def test_what_can_not_be_read_is_refused_with_what_can(name: str, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=re.escape(message)):
        parse_analyzer(name)


def test_a_name_that_is_no_string_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="can't read the analyzer None"):
        parse_analyzer(None)  # type: ignore[arg-type]


def test_a_stop_list_that_is_no_list_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="stopwords can't be 7"):
        Analyzer(stopwords=7)  # type: ignore[arg-type]


def test_analyzers_are_frozen_and_compose() -> None:
    analyzer = dataclasses.replace(PRESETS["identifier"], stopwords="none")
    assert analyzer.tokens("toString") == ["tostring", "to", "string"]
    with pytest.raises(dataclasses.FrozenInstanceError):
        analyzer.parts = "only"  # type: ignore[misc]
