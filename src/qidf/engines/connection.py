"""`qidf.connect`: from an address or the user's own object to an engine."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any

from qidf.corpora.detection import BM25S, INDEX, detect
from qidf.engines.contract import Engine
from qidf.engines.registry import Registration, registration, registration_of
from qidf.engines.targets import Target, check_option, is_address, parse_target
from qidf.errors import InputError, InvalidArgumentError


def connect(target: Any, **options: Any) -> Engine:
    """Return an engine for an index that already exists, to be searched with q-log and read only.

    `target` is an address such as `opensearch://host:9200/index?field=content`,
    `tantivy:PATH?field=...`, `sqlite:FILE?table=...`, the path of a qidf or bm25s index, or an
    object the caller made: a client, a connection, an index. Options are those of the address.
    """
    if isinstance(target, str | os.PathLike):
        address = _address(os.fspath(target))
        row = _row(address.scheme)
        for name in options:
            check_option(name, row)
            if name in address.options:
                raise InvalidArgumentError(
                    f"{name} is given both in {str(address)!r} and apart from it; give it once."
                )
        engine: Engine = import_module(row.module).open_target(
            address, **{**address.options, **options}
        )
        return engine
    found = registration_of(target)
    if found is None:
        raise InvalidArgumentError(
            f"a {type(target).__name__} is no index qidf can search; pass an address such as"
            " sqlite:FILE?table=TABLE, a path, or the engine's own client or index object."
        )
    for name in options:
        check_option(name, found)
    wrapped: Engine = import_module(found.module).wrap(target, **options)
    return wrapped


def _address(text: str | bytes) -> Target:
    if isinstance(text, bytes):
        text = os.fsdecode(text)
    if is_address(text):
        return parse_target(text)
    kind = detect(text)
    if kind == INDEX:
        return Target("qidf", text)
    if kind == BM25S:
        return Target("bm25s", text)
    raise InputError(
        f"{Path(text)} is documents rather than an index; run qidf index on it, or give the address"
        " of an engine such as sqlite:FILE?table=TABLE"
    )


def _row(scheme: str) -> Registration:
    row = registration(scheme)
    if row is None:
        raise InvalidArgumentError(f"{scheme!r} is no engine qidf knows.")
    return row
