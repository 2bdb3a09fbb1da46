"""A small repository, and how to write one."""

from __future__ import annotations

from pathlib import Path

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
