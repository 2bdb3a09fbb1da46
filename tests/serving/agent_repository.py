"""A small repository for agents to search, with a secret beside it and links that lead to it."""

from __future__ import annotations

from pathlib import Path

SECRET = "plugh_the_secret_outside"


def make_repository(top: Path) -> Path:
    """Make it below a folder; return the part that is served."""
    root = top / "repository"
    (root / "pkg").mkdir(parents=True)
    (top / "secret.py").write_text(f"{SECRET} = 1\n", encoding="utf-8")
    (root / "upgrade.py").write_text(
        "def handle_web_socket_upgrade(connection):\n"
        '    """Upgrade a connection."""\n'
        "    return connection.upgrade()\n",
        encoding="utf-8",
    )
    (root / "pkg" / "auth.py").write_text(
        "".join(
            f"def check_token_{number}(token):\n    return token == {number}\n\n\n"
            for number in range(60)
        ),
        encoding="utf-8",
    )
    (root / "pkg" / "wide.txt").write_text("word " * 5000 + "\n", encoding="utf-8")
    (root / "link.py").symlink_to(top / "secret.py")
    (root / "out").symlink_to(top)
    return root
