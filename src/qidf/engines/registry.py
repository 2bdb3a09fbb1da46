"""One row for each engine: how it is addressed, which module speaks to it, what it takes.

A row's module has `open_target(target, **options)` for addresses and `wrap(object, **options)` for
objects the user made; both return an `Engine`. The module is imported when it is asked for.
"""

from __future__ import annotations

from qidf.records import dataclass


@dataclass(frozen=True, slots=True)
class Registration:
    """An engine: its schemes, the form of its address, its module, the objects it wraps.

    `objects` are (package, class name) pairs: an object is recognised by its class's name and the
    package that defines it, so that no library is imported to look at one.
    """

    schemes: tuple[str, ...]
    form: str
    module: str
    objects: tuple[tuple[str, str], ...]
    options: tuple[str, ...]
    networked: bool = False
    # None where the engine needs nothing that pip could install.
    extra: str | None = None


ENGINES: tuple[Registration, ...] = (
    Registration(
        ("opensearch",),
        "opensearch://HOST:9200/INDEX?field=FIELD",
        "qidf.engines.opensearch",
        (("opensearchpy", "OpenSearch"),),
        ("index", "field", "fields", "id", "tls", "timeout", "verify", "ttl"),
        networked=True,
        extra="opensearch",
    ),
    Registration(
        ("elasticsearch",),
        "elasticsearch://HOST:9200/INDEX?field=FIELD",
        "qidf.engines.opensearch",
        (("elasticsearch", "Elasticsearch"),),
        ("index", "field", "fields", "id", "tls", "timeout", "verify", "ttl"),
        networked=True,
        extra="elasticsearch",
    ),
    Registration(
        ("tantivy",),
        "tantivy:PATH?field=FIELD",
        "qidf.engines.tantivy_index",
        (("tantivy", "Index"),),
        ("field", "id"),
        extra="tantivy",
    ),
    Registration(
        ("lucene",),
        "lucene:PATH?field=FIELD",
        "qidf.engines.lucene_index",
        (),
        ("field", "id", "analyzer", "jars"),
    ),
    Registration(
        ("sqlite",),
        "sqlite:FILE?table=TABLE",
        "qidf.engines.sqlite_fts5",
        (("sqlite3", "Connection"),),
        ("table", "id", "weights"),
    ),
    Registration(
        ("duckdb",),
        "duckdb:FILE?table=TABLE",
        "qidf.engines.duckdb_fts",
        (("duckdb", "DuckDBPyConnection"), ("_duckdb", "DuckDBPyConnection")),
        ("table", "schema", "id", "fields", "k1", "b"),
        extra="duckdb",
    ),
    Registration(
        ("xapian",),
        "xapian:PATH",
        "qidf.engines.xapian_database",
        (("xapian", "Database"), ("xapian", "WritableDatabase")),
        ("stemmer", "prefix", "id", "k1", "b", "min_normlen"),
    ),
    Registration(
        ("bm25s",),
        "bm25s:DIR",
        "qidf.engines.bm25s_index.engine",
        (("bm25s", "BM25"),),
        ("analyzer", "tokenize", "ids"),
        extra="bm25s",
    ),
    Registration(
        ("qidf",),
        "qidf:PATH",
        "qidf.engines.qidf_index",
        (("qidf", "Index"),),
        ("k1", "b"),
    ),
)


def registration(scheme: str) -> Registration | None:
    """The engine of a scheme."""
    return next((row for row in ENGINES if scheme in row.schemes), None)


def registration_of(target: object) -> Registration | None:
    """The engine of an object, by the names of its class and its class's ancestors."""
    for kind in type(target).__mro__:
        package = kind.__module__.partition(".")[0]
        for row in ENGINES:
            if (package, kind.__name__) in row.objects:
                return row
    return None
