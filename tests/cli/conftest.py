"""A small corpus, an index of it, and a way to run commands in this process."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from shell import RECORDS, Run

import qidf
from qidf.cli import main


@pytest.fixture
def run() -> Run:
    """Run a command; stdout and stderr stay apart."""

    def invoke(*arguments: object, stdin: str | bytes | None = None) -> Result:
        result = CliRunner().invoke(main, [str(each) for each in arguments], input=stdin)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return invoke


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in RECORDS), encoding="utf-8")
    return path


@pytest.fixture
def index(tmp_path: Path) -> Path:
    path = tmp_path / "index"
    qidf.Index.build(RECORDS).save(path)
    return path
