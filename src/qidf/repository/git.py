"""What git knows of a work tree, read from its files: git itself is never run.

A repository's configuration can name programs, and git has many reasons to start one, so asking git
about a stranger's repository means trusting that stranger. All that is needed is in a few files:
which names are tracked, which excludes there are, and which work trees share a repository.
"""

from __future__ import annotations

import os
import re
from functools import cached_property
from pathlib import Path

from qidf.corpora.confinement import read_if_regular
from qidf.repository.git_index import tracked_names

GIT = ".git"
# Far more than anybody writes into them.
_MAX_POINTER_BYTES = 16_384
_MAX_CONFIG_BYTES = 1_000_000
# As deep as git follows files that include files.
_MAX_INCLUDES = 10

_SECTION = re.compile(r"\s*\[\s*([A-Za-z0-9.-]+)\s*(\"(?:[^\"\\\n]|\\.)*\")?\s*\]")
_KEY = re.compile(r"\s*([A-Za-z][A-Za-z0-9-]*)[ \t]*(=?)")
_BLANK = re.compile(r"(?:\s|[#;][^\n]*)*")
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b", "\\": "\\", '"': '"'}


class WorkTree:
    """A folder that has a `.git`, whatever that is."""

    def __init__(self, top: Path) -> None:
        """Find the git directory; nothing else is read until it is needed."""
        self.top = top
        self.directory = git_directory(top)

    @cached_property
    def common(self) -> Path | None:
        """The directory that a repository's linked work trees share."""
        if self.directory is None:
            return None
        text = _pointer(self.directory / "commondir")
        shared = self.directory if text is None else self.directory / text
        return Path(os.path.realpath(shared))

    @cached_property
    def ignores_case(self) -> bool:
        """Whether the file system has one name for `a` and `A`, as git found out."""
        return self._config.get("core.ignorecase", "false").lower() in (
            "true",
            "yes",
            "on",
            "1",
            "",
        )

    @cached_property
    def tracked(self) -> frozenset[str]:
        """Files and submodules in git's index, by path from the top."""
        if self.directory is None:
            return frozenset()
        sha256 = self._config.get("extensions.objectformat", "").lower() == "sha256"
        return frozenset(tracked_names(self.directory, digest_bytes=32 if sha256 else 20))

    @cached_property
    def tracked_folders(self) -> frozenset[str]:
        """Every folder on the way to what is tracked."""
        folders: set[str] = set()
        for name in self.tracked:
            while (name := name.rpartition("/")[0]) and name not in folders:
                folders.add(name)
        return frozenset(folders)

    def tracks(self, name: str) -> bool:
        """Whether a file, or anything in a folder, is in git's index."""
        return name in self.tracked or name in self.tracked_folders

    @property
    def excludes(self) -> tuple[Path, ...]:
        """Ignore files outside of the work tree; the later has the last word."""
        own = () if self.common is None else (self.common / "info" / "exclude",)
        users = user_excludes()
        return own if users is None else (users, *own)

    @property
    def sources(self) -> tuple[Path, ...]:
        """The files that all of this was read from."""
        read = [] if self.directory is None else [self.directory / "index"]
        return (*read, *([] if self.common is None else [self.common / "config"]), *self.excludes)

    @cached_property
    def _config(self) -> dict[str, str]:
        return {} if self.common is None else read_config(self.common / "config", includes=0)


def git_directory(top: Path) -> Path | None:
    """The git directory of a work tree; in a linked work tree or a submodule a file names it."""
    path = top / GIT
    if path.is_dir():
        return path
    text = _pointer(path)
    if text is None or not text.startswith("gitdir:"):
        return None
    return Path(os.path.normpath(top / text.removeprefix("gitdir:").strip()))


def user_excludes() -> Path | None:
    """The user's own list of ignored files: a repository has no say in which that is."""
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    configs = [os.path.join(home, "git", "config"), os.path.expanduser("~/.gitconfig")]
    if "GIT_CONFIG_GLOBAL" in os.environ:
        configs = [os.environ["GIT_CONFIG_GLOBAL"]]
    if "GIT_CONFIG_NOSYSTEM" not in os.environ:
        configs.insert(0, os.environ.get("GIT_CONFIG_SYSTEM", "/etc/gitconfig"))
    chosen = os.path.join(home, "git", "ignore")
    for config in configs:
        chosen = read_config(Path(config)).get("core.excludesfile", chosen)
    chosen = os.path.expanduser(chosen)
    return Path(chosen) if os.path.isabs(chosen) else None


def read_config(path: Path, *, includes: int = _MAX_INCLUDES) -> dict[str, str]:
    """A git configuration's settings by section and key, small letters; subsections are left out.

    Files that it includes are read too, so many deep; conditions are not looked at.
    """
    data = read_if_regular(path, _MAX_CONFIG_BYTES, links=True)
    text = os.fsdecode((data or b"").removeprefix(b"\xef\xbb\xbf"))
    found: dict[str, str] = {}
    section, at = "", 0
    while (at := _end(_BLANK, text, at)) < len(text):
        if header := _SECTION.match(text, at):
            section = "" if header[2] else header[1].lower()
            at = header.end()
            continue
        key = _KEY.match(text, at)
        if key is None:
            # git refuses such a file; what was understood so far is taken.
            break
        value, at = _value(text, key.end()) if key[2] else ("", key.end())
        name = f"{section}.{key[1].lower()}"
        if name == "include.path" and includes > 0 and value:
            included = Path(os.path.expanduser(value))
            found |= read_config(path.parent / included, includes=includes - 1)
        elif section:
            found[name] = value
    return found


def _value(text: str, at: int) -> tuple[str, int]:
    """A value with quotes and escapes resolved, and where its line ends."""
    value, kept, quoted = "", 0, False
    while at < len(text) and text[at] != "\n":
        character = text[at]
        at += 1
        if character == '"':
            quoted = not quoted
            kept = len(value)
            continue
        if character in "#;" and not quoted:
            at = text.find("\n", at)
            at = len(text) if at < 0 else at
            break
        if character == "\\":
            character = text[at : at + 1]
            at += 1
            # At the end of a line it joins the next one.
            value += "" if character == "\n" else _ESCAPES.get(character, character)
            kept = len(value)
            continue
        if character.isspace() and not quoted and not value:
            continue
        value += character
        kept = len(value) if quoted or not character.isspace() else kept
    return value[:kept], at


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return at if found is None else found.end()


def _pointer(path: Path) -> str | None:
    """The path in a file that stands for another place."""
    data = read_if_regular(path, _MAX_POINTER_BYTES, links=True)
    # A NUL is in no path.
    return None if data is None or b"\0" in data else os.fsdecode(data).strip()
