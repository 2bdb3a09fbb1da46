"""A small repository, and how to write one."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

FILES = {
    "src/upgrade.go": """package ws

// handleWebSocketUpgrade checks the caller's token and upgrades the connection.
func handleWebSocketUpgrade(conn Conn) error {
\treturn authenticate(conn)
}

func closeSocket(conn Conn) {
\tconn.Close()
}
""",
    "src/auth.go": """package ws

// authenticate reads the bearer token.
func authenticate(conn Conn) error {
\treturn nil
}
""",
    "tools/report.py": '''"""Reports."""


class Report:
    """A table of numbers."""

    def __init__(self, rows):
        self.rows = rows

    def to_csv(self):
        """Write the rows with commas between."""
        return "\\n".join(",".join(map(str, row)) for row in self.rows)
''',
    "README.md": "# Sockets\n\nUpgrades connections.\n\n## Install\n\nRun the installer.\n",
}


def write(root: Path, files: dict[str, str]) -> Path:
    """Write files below a folder."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def run_git(root: Path, *arguments: str) -> None:
    """Run git as somebody who made a repository."""
    identity = ("-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false")
    allowed = ("-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main")
    subprocess.run(
        ["git", *identity, *allowed, *arguments], cwd=root, check=True, capture_output=True
    )


def git_lists(root: Path) -> list[str]:
    """What git says: tracked files that are there, and others that aren't ignored."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    output = subprocess.run(command, cwd=root, check=True, capture_output=True).stdout
    names = {os.fsdecode(name) for name in output.split(b"\0") if name}
    return sorted(name for name in names if os.path.isfile(root / name))
