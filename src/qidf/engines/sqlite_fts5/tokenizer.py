"""A table's own tokenizer, run on any text in a database of its own in memory.

FTS5 has no function that tokenizes, but an fts5vocab table of type "instance" lists the tokens of
what was inserted, in order. The user's database is not touched.
"""

from __future__ import annotations

import re
import sqlite3
import threading

from qidf.errors import UnsupportedError

_PORTER = re.compile(r"""\A(?P<quote>['"]?)\s*porter\b\s*(?P<base>.*)\Z""", re.DOTALL)


class Tokenizer:
    """Tokens as the index holds them, and words that a query can say to mean them.

    A query's words go through the tokenizer once more, and Porter's stemmer may stem a stem again;
    so its base tokenizer gives the words, and the stemmer the tokens.
    """

    def __init__(self, declared: str | None) -> None:
        """Take the `tokenize` argument of CREATE VIRTUAL TABLE as it was written."""
        self._lock = threading.Lock()
        self._database = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._make("stored", declared)
        porter = None if declared is None else _PORTER.match(declared)
        self._stems = porter is not None
        if porter is not None:
            base = porter["base"].removesuffix(porter["quote"]) if porter["quote"] else ""
            quote = porter["quote"]
            self._make("spoken", f"{quote}{base}{quote}" if base.strip() else None)

    def tokens(self, text: str) -> list[str]:
        """The tokens of a text."""
        return [token for token, _ in self.pairs(text)]

    def pairs(self, text: str) -> list[tuple[str, str]]:
        """Each token with the word that means it in a query."""
        with self._lock:
            stored = self._run("stored", text)
            spoken = self._run("spoken", text) if self._stems else stored
        return list(zip(stored, spoken, strict=True))

    def words(self, text: str) -> dict[str, str]:
        """What a query says for a token of the text, where that isn't the token itself."""
        return dict(self.pairs(text)) if self._stems else {}

    def close(self) -> None:
        """Close the database in memory."""
        self._database.close()

    def _make(self, name: str, declared: str | None) -> None:
        option = "" if declared is None else f", tokenize={declared}"
        try:
            self._database.execute(
                f"CREATE VIRTUAL TABLE {name} USING fts5(text, content=''{option})"
            )
        except sqlite3.OperationalError as error:
            raise UnsupportedError(
                f"the table's tokenizer {declared} isn't part of this SQLite ({error}), so queries"
                " can't be analyzed as its texts were."
            ) from error
        self._database.execute(
            f"CREATE VIRTUAL TABLE {name}_instances USING fts5vocab({name}, instance)"
        )

    def _run(self, name: str, text: str) -> list[str]:
        execute = self._database.execute
        # Rolling back is twice as fast as deleting.
        execute("BEGIN")
        try:
            # FTS5 reads a text as far as its first null character.
            execute(f"INSERT INTO {name}(rowid, text) VALUES (1, ?)", (text.replace("\0", " "),))
            rows = execute(f"SELECT term FROM {name}_instances ORDER BY offset").fetchall()
        finally:
            execute("ROLLBACK")
        return [row[0] for row in rows]
