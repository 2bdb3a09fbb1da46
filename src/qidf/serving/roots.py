"""Files below a folder and never beyond it: no `..`, no symbolic link, no race to win."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from qidf.corpora.confinement import NotRegularError, open_below
from qidf.errors import InputError

# More than any source file people write; a larger one is refused rather than held in memory.
MAX_FILE_BYTES = 8_000_000

# As the repository reads its files, so that lines have the same numbers.
_UTF16 = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}


@dataclass(frozen=True, slots=True)
class Root:
    """A folder that may be read; the path is resolved once, when it is made."""

    path: Path

    def __post_init__(self) -> None:
        resolved = self.path.resolve()
        if not resolved.is_dir():
            raise InputError(f"there is no folder at {self.path}; check the path")
        object.__setattr__(self, "path", resolved)

    def read(self, name: str) -> bytes:
        """The bytes of a regular file, given relative to the root or as a path below it."""
        parts = self._parts(name)
        descriptor = self._open(parts, name)
        try:
            if os.fstat(descriptor).st_size > MAX_FILE_BYTES:
                raise InputError(f"{name!r} has more than {MAX_FILE_BYTES:,} bytes; it isn't read")
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                return file.read(MAX_FILE_BYTES)
        except OSError as error:
            raise InputError(f"{name!r} can't be read; it may have changed just now") from error
        finally:
            os.close(descriptor)

    def read_text(self, name: str) -> str:
        """The file's text, by its byte order mark UTF-16 or UTF-8; what can't be is replaced."""
        data = self.read(name)
        encoding = _UTF16.get(data[:2])
        if encoding is not None:
            return data[2:].decode(encoding, errors="replace")
        return data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="replace")

    def _parts(self, name: str) -> list[str]:
        """The steps from the root to the file, every one of them a plain name."""
        if not name or "\0" in name:
            raise InputError("a path can't be empty or hold a NUL; name a file below the root")
        if os.path.isabs(name):
            try:
                parts = os.path.relpath(os.path.normpath(name), self.path).split(os.sep)
            except ValueError:
                raise _outside(name) from None
        else:
            parts = name.replace(os.sep, "/").split("/")
        parts = [part for part in parts if part not in ("", ".")]
        drive = any(os.path.splitdrive(part)[0] for part in parts)
        if not parts or os.pardir in parts or drive:
            raise _outside(name)
        return parts

    def _open(self, parts: list[str], name: str) -> int:
        try:
            return open_below(self.path, "/".join(parts))
        except (FileNotFoundError, NotADirectoryError):
            raise InputError(f"there is no file {name!r} below the root; check the path") from None
        except NotRegularError:
            raise InputError(f"{name!r} is not a regular file; name a file of text") from None
        except (OSError, UnicodeError) as error:
            # A link in the way says ELOOP; where it leads is nobody's business.
            raise InputError(
                f"{name!r} can't be read; it may be a link, or closed to this user"
            ) from error


def _outside(name: str) -> InputError:
    return InputError(f"{name!r} leads out of what is served; name a file below the root")
