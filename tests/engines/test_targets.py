"""Addresses and objects: what leads to which engine, and how a wrong one is refused."""

from __future__ import annotations

import sqlite3
from importlib.util import find_spec
from pathlib import Path

import pytest

import qidf
from qidf.engines.registry import ENGINES, registration_of
from qidf.engines.targets import is_address, parse_server, parse_target
from qidf.errors import InputError, InvalidArgumentError


def test_an_address_is_a_scheme_a_place_and_options() -> None:
    target = parse_target("sqlite:/data/my notes.db?table=notes&id=doc%20id")
    assert (target.scheme, target.location) == ("sqlite", "/data/my notes.db")
    assert dict(target.options) == {"table": "notes", "id": "doc id"}


def test_a_file_may_be_written_as_other_libraries_write_it() -> None:
    assert parse_target("sqlite:///data/notes.db").location == "/data/notes.db"


def test_a_server_has_a_host_a_port_and_an_index() -> None:
    server = parse_server(parse_target("opensearch://me:p%40ss@search.example:9201/my-index"))
    assert (server.host, server.port, server.index) == ("search.example", 9201, "my-index")
    assert (server.username, server.password) == ("me", "p@ss")
    assert parse_server(parse_target("elasticsearch://localhost/docs")).port == 9200


def test_a_password_is_not_shown() -> None:
    target = parse_target("opensearch://me:secret@host/index?field=text")
    for shown in (str(target), repr(target), repr(parse_server(target))):
        assert "secret" not in shown


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("redis://host/0", "'redis' in 'redis://host/0' is no engine qidf knows; use one of"),
        ("sqlite:", "doesn't say where the index is; write sqlite:FILE?table=TABLE."),
        ("opensearch://", "doesn't say where the index is; write opensearch://HOST"),
        ("opensearch:host/index", "lacks the two slashes; write opensearch://HOST"),
        ("tantivy:path?field", "aren't name=value pairs joined by &; write tantivy:PATH"),
        ("tantivy:path?field=", "aren't name=value pairs|has no value"),
        ("tantivy:path?feild=body", "tantivy has no option 'feild'; its options are field, id."),
        ("sqlite:a.db?table=a&table=b", "gives table twice; give it once."),
        ("no scheme at all", "names no engine; write SCHEME:"),
    ],
)
def test_a_malformed_address_is_refused_in_one_sentence(address: str, sentence: str) -> None:
    with pytest.raises(InvalidArgumentError, match=sentence.replace("?", r"\?")) as refusal:
        parse_target(address)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("opensearch://host:99999/index", "is not a number between 1 and 65535"),
        ("opensearch://host:port/index", "is not a number between 1 and 65535"),
        ("opensearch:///index", "names no host"),
        ("opensearch://host", "doesn't name one index after the host"),
        ("opensearch://host/a/b", "doesn't name one index after the host"),
    ],
)
def test_a_malformed_server_is_refused_in_one_sentence(address: str, sentence: str) -> None:
    with pytest.raises(InvalidArgumentError, match=sentence):
        parse_server(parse_target(address))


def test_a_path_is_no_address(tmp_path: Path) -> None:
    assert not is_address("docs/notes")
    assert not is_address(str(tmp_path))
    odd = tmp_path / "a:b"
    odd.mkdir()
    assert not is_address(str(odd))
    assert is_address("sqlite:notes.db")
    assert is_address("redis://host")
    # What people search for.
    for query in ("TypeError: not a function", "sqlite: database is locked", "std::move", "a:b"):
        assert not is_address(query)
    assert not is_address("http://host fails with 404")


def test_the_path_of_an_index_is_enough(tmp_path: Path) -> None:
    qidf.Index.build(["one text", "another"]).save(tmp_path / "index")
    for target in (tmp_path / "index", str(tmp_path / "index"), f"qidf:{tmp_path}/index"):
        with qidf.connect(target) as engine:
            assert engine.name.startswith("qidf")


def test_documents_are_no_index(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("pass\n")
    with pytest.raises(InputError, match="is documents rather than an index"):
        qidf.connect(tmp_path)


def test_nothing_at_a_path_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is nothing at"):
        qidf.connect(tmp_path / "nothing")


def test_an_option_is_given_once_and_known(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError, match="table is given both in"):
        qidf.connect("sqlite:notes.db?table=a", table="b")
    with pytest.raises(InvalidArgumentError, match="sqlite has no option 'field'"):
        qidf.connect("sqlite:notes.db", field="body")
    with pytest.raises(InvalidArgumentError, match="sqlite has no option 'field'"):
        qidf.connect(sqlite3.connect(":memory:"), field="body")


@pytest.mark.parametrize("target", [3, None, ["sqlite:x"], object()])
def test_other_objects_are_refused(target: object) -> None:
    with pytest.raises(InvalidArgumentError, match="is no index qidf can search"):
        qidf.connect(target)


def test_an_object_is_known_by_its_class_and_its_ancestors() -> None:
    class Mine(sqlite3.Connection):
        pass

    found = registration_of(Mine(":memory:"))
    assert found is not None
    assert found.schemes == ("sqlite",)
    fake = type("OpenSearch", (), {"__module__": "opensearchpy.client"})()
    found = registration_of(fake)
    assert found is not None
    assert found.schemes == ("opensearch",)
    assert registration_of(type("OpenSearch", (), {"__module__": "elsewhere"})()) is None


@pytest.mark.parametrize("row", ENGINES, ids=lambda row: row.schemes[0])
def test_every_row_has_a_module_and_an_address_that_parses(row: object) -> None:
    from qidf.engines.registry import Registration

    assert isinstance(row, Registration)
    assert find_spec(row.module) is not None
    assert parse_target(row.form.lower().replace("host", "h")).scheme in row.schemes


def test_a_missing_library_names_its_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import sys

    from qidf.errors import MissingExtraError

    for name, address in (("tantivy", "tantivy:x"), ("duckdb", "duckdb:x"), ("bm25s", "bm25s:x")):
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(MissingExtraError, match=rf"pip install 'qidf\[{name}\]'"):
            qidf.connect(address)
