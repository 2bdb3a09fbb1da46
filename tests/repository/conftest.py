"""A cache of its own for every test, and a small repository."""

from __future__ import annotations

from pathlib import Path

import pytest
from projects import FILES, write


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test touches the user's cache or reads the user's git configuration."""
    home = tmp_path / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return home / "qidf" / "repositories"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write(tmp_path / "project", FILES)
