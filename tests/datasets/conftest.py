"""A tiny BEIR folder to read, break and read again."""

from __future__ import annotations

from pathlib import Path

import pytest
from beir_files import BeirFolder


@pytest.fixture
def folder(tmp_path: Path) -> BeirFolder:
    """Three documents, three queries of which one has no judgements."""
    files = BeirFolder(tmp_path / "tiny")
    files.write_all()
    return files
