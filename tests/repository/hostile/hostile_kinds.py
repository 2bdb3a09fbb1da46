"""Repositories made to harm whoever searches them, one function a kind."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from crafted_index import DIGEST, bitmap, compressed, entry, extension, index
from projects import run_git, write

# The first word is asked for, the second must never be seen.
SECRET = "swordfish marmalade"
HARMLESS = {
    "src/sockets.py": "def upgrade_socket(token):\n    return swordfish(token)\n",
    "README.md": "# Sockets\n\nUpgrades sockets.\n",
}
# Terminal title, colours, cursor, a device control string, C1, right-to-left.
ESCAPES = "\x1b]0;owned\x07\x1b[31m\x1b[2J\x1bP+q\x1b\\\x9b2J\u202eevil\r\x08"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a hostile repository is, and what it is after."""

    home: Path

    @property
    def root(self) -> Path:
        """The repository."""
        return self.home / "repository"

    @property
    def secret(self) -> Path:
        """A file that isn't the repository's."""
        return self.home / "outside" / "secret.txt"

    @property
    def canary(self) -> Path:
        """What a command would write."""
        return self.home / "sprung"

    @property
    def command(self) -> Path:
        """The command."""
        return self.home / "trap.sh"

    def prepare(self) -> None:
        """A harmless work tree, a secret beside it, and a trap."""
        write(self.root, HARMLESS)
        self.secret.parent.mkdir()
        self.secret.write_text(f"{SECRET}\n")
        self.command.write_text(f"#!/bin/sh\necho ran >> '{self.canary}'\nexit 1\n")
        self.command.chmod(0o755)
        run_git(self.root, "init", "-q")
        run_git(self.root, "add", ".")
        run_git(self.root, "commit", "-qm", "x")

    def configure(self, *settings: str, inside: str = "") -> None:
        """Add to the repository's configuration; {trap} is the command."""
        with (self.root / inside / ".git" / "config").open("a") as file:
            for setting in settings:
                # section key = value, or section "subsection" key = value
                name, _, value = setting.partition(" = ")
                section, _, key = name.rpartition(" ")
                value = value.format(trap=self.command, home=self.home)
                file.write(f"[{section}]\n\t{key} = {value}\n")


Kind = Callable[[Place], object]


def configured(*settings: str) -> Kind:
    """A configuration that names a command."""
    return lambda place: place.configure(*settings)


def lazily_fetching(url: str, *settings: str, inside: str = "") -> Kind:
    """A sparse index whose folder git would have to fetch, from a remote that runs a command."""

    def build(place: Place) -> None:
        root = place.root / inside
        if inside:
            write(root, HARMLESS)
            run_git(root, "init", "-q")
        write(root, {"hidden/deep/lost.py": "x = 1\n", "seen/kept.py": "y = 2\n"})
        run_git(root, "add", ".")
        run_git(root, "commit", "-qm", "y")
        run_git(root, "sparse-checkout", "set", "--cone", "--sparse-index", "seen")
        asked = ["git", "rev-parse", "HEAD:hidden"]
        found = subprocess.run(asked, cwd=root, check=True, capture_output=True, text=True)
        tree = found.stdout.strip()
        (root / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
        run_git(root, "config", "core.repositoryFormatVersion", "1")
        place.configure(
            "extensions partialClone = origin",
            f'remote "origin" url = {url}',
            'remote "origin" promisor = true',
            'remote "origin" fetch = +refs/heads/*:refs/remotes/origin/*',
            *settings,
            inside=inside,
        )

    return build


def indexed(data: bytes | Callable[[Place], bytes]) -> Kind:
    """A work tree with an index of our making."""

    def build(place: Place) -> None:
        made = data if isinstance(data, bytes) else data(place)
        (place.root / ".git" / "index").write_bytes(made)
        (place.root / ".gitignore").write_text("*.txt\n*.log\n")

    return build


def split_index(place: Place) -> None:
    """Names that lead out in the shared half, and a bitmap of a quadrillion bits."""
    git = place.root / ".git"
    (git / f"sharedindex.{DIGEST.hex()}").write_bytes(
        index(entry(b"../outside/secret.txt"), entry(b"src/sockets.py"))
    )
    endless = bitmap(1 | 0xFFFFFFFF << 1 | 0x7FFFFFFF << 33)
    (git / "index").write_bytes(index(extensions=extension(b"link", DIGEST + endless + endless)))


def piped(name: str) -> Kind:
    """A named pipe where a file is looked for."""

    def build(place: Place) -> None:
        path = place.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)
        os.mkfifo(path)

    return build


def linked(name: str, target: str) -> Kind:
    """A link where a file or folder is looked for."""

    def build(place: Place) -> None:
        path = place.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)
        path.symlink_to(target.format(home=place.home))

    return build


def vast(name: str) -> Kind:
    """A file of a terabyte that takes no room."""

    def build(place: Place) -> None:
        path = place.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            try:
                file.truncate(1 << 40)
            except OSError:
                file.truncate(1 << 31)

    return build


def written(files: dict[str, str]) -> Kind:
    """Files with something in them; {home} is where the secret is."""

    def build(place: Place) -> None:
        write(
            place.root,
            {name: text.replace("{home}", str(place.home)) for name, text in files.items()},
        )

    return build


def both(*kinds: Kind) -> Kind:
    """Several kinds at once."""

    def build(place: Place) -> None:
        for kind in kinds:
            kind(place)

    return build


def plain_folder(place: Place) -> None:
    """No work tree around what is inside: every folder is looked into for one."""
    shutil.rmtree(place.root / ".git")


def git_secret(place: Place) -> None:
    """An index that tracks git's own configuration, with a password in it."""
    place.configure(f'remote "x" url = https://{SECRET.replace(" ", "/")}@example.org')
    names = (b".git/config", b".GIT/config", b"src/../.git/config", b"git~1/config")
    indexed(index(*map(entry, names)))(place)
    shutil.copytree(place.root / ".git", place.root / ".GIT", dirs_exist_ok=True)


def tracked_behind_link(place: Place) -> None:
    """A folder that git tracks files in, turned into a link that leads out."""
    write(place.root, {"data/secret.txt": "x\n"})
    run_git(place.root, "add", ".")
    shutil.rmtree(place.root / "data")
    (place.root / "data").symlink_to(place.secret.parent)


def a_socket(place: Place) -> None:
    """A socket among the sources."""
    here = os.getcwd()
    os.chdir(place.root)
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind("source.py")
    finally:
        os.chdir(here)


def escapes_in_names(place: Place) -> None:
    """Names of files and folders that would steer a terminal."""
    name = ESCAPES.replace("/", "")
    write(place.root, {f"{name}.py": "def swordfish(): pass\n", f"{name}/a.py": "swordfish = 1\n"})
    with open(os.fsencode(place.root) + b"/caf\xe9\nswordfish.py", "w") as file:
        file.write("swordfish = 2\n")


def modules(place: Place) -> None:
    """Modules of well-known names in the folder one stands in."""
    names = ("click", "numpy", "numba", "tree_sitter", "tiktoken", "json", "sitecustomize", "qidf")
    for name in names:
        (place.root / f"{name}.py").write_text(f"import os\nos.system({str(place.command)!r})\n")


def deep(place: Place) -> None:
    """Folders in folders until no path is long enough."""
    here = os.open(place.root, os.O_RDONLY)
    try:
        for _ in range(600):
            os.mkdir("deeper-still", dir_fd=here)
            below = os.open("deeper-still", os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = below
    finally:
        os.close(here)


def raise_deep(place: Place) -> None:
    """Take such folders away from the top, one by one: recursion doesn't reach the last."""
    top, spare = place.root / "deeper-still", place.root / "spare"
    while top.exists():
        if (top / "deeper-still").exists():
            (top / "deeper-still").rename(spare)
        top.rmdir()
        if spare.exists():
            spare.rename(top)


def many_patterns(place: Place) -> None:
    """Thousands of patterns, none of which is quick to refuse."""
    lines = "\n".join(f"*a*b?{number}*[xyz]*q" for number in range(60_000))
    write(place.root, {f"d{number}/.gitignore": lines for number in range(20)})
    write(place.root, {f"d0/{'ab' * 100}{number}.py": "x = 1\n" for number in range(200)})


def backtracking(place: Place) -> None:
    """Patterns that take a matcher which tries everything until the end of days."""
    patterns = [
        "*a" * 60 + "b",
        "**/" * 60 + "b",
        "a/**/" * 40 + "b",
        "?*" * 60 + "[!a]",
        "[a" * 99,
    ]
    names = {f"{'a' * 240}.{number}": "x\n" for number in range(20)}
    folders = {f"{'a/' * 60}c{number}.py": "x = 1\n" for number in range(20)}
    write(place.root, {**names, **folders, ".gitignore": "\n".join(patterns)})
    (place.root / ".qidfignore").write_text("\n".join(patterns))


def hooks(place: Place) -> None:
    """Every hook there is, in both places."""
    for folder in (place.home / "hooks", place.root / ".git" / "hooks"):
        folder.mkdir(exist_ok=True)
        for name in ("post-index-change", "fsmonitor-watchman", "post-checkout", "pre-auto-gc"):
            shutil.copy(place.command, folder / name)


def fake_index(place: Place) -> None:
    """What looks like a qidf index, and isn't one."""
    write(place.root, {"own/x.qidf": "no", "own/write.lock": ""})
    os.mkfifo(place.root / "own" / "manifest.json")
    os.mkfifo(place.root / "own" / "params.index.json")


_FETCHED = "ssh://example.invalid/x"

# Commands that a repository's configuration names.
COMMANDS: dict[str, Kind] = {
    "lazy fetch by ssh": lazily_fetching(_FETCHED, "core sshCommand = {trap}"),
    "lazy fetch by ext": lazily_fetching("ext::{trap} %S", 'protocol "ext" allow = always'),
    "lazy fetch by upload-pack": lazily_fetching(
        "{home}/repository/.git", 'remote "origin" uploadpack = {trap}'
    ),
    "lazy fetch in a repository inside": lazily_fetching(
        _FETCHED, "core sshCommand = {trap}", inside="vendor"
    ),
    "lazy fetch by a remote's helper": lazily_fetching(
        "x::y", 'remote "origin" vcs = {trap}', 'protocol "x" allow = always'
    ),
    "monitor of files": configured("core fsmonitor = {trap}"),
    "hooks": both(configured("core hooksPath = {home}/hooks"), hooks),
    "filters": both(
        configured(
            'filter "x" clean = {trap}', 'filter "x" smudge = {trap}', 'filter "x" process = {trap}'
        ),
        written({".gitattributes": "* filter=x diff=x merge=x\n", "new.py": "new = 1\n"}),
    ),
    "pager": configured("core pager = {trap}", "pager ls-files = {trap}", "pager config = {trap}"),
    "credentials": configured("credential helper = !{trap}", "core askPass = {trap}"),
    "aliases": configured("alias ls-files = !{trap}", "alias config = !{trap}"),
    "included files": both(
        configured("include path = {home}/repository/more"),
        written({"more": "[core]\n\tfsmonitor = {home}/trap.sh\n"}),
    ),
    "files included on a condition": both(
        configured('includeIf "gitdir:**" path = {home}/repository/more'),
        written({"more": "[core]\n\tfsmonitor = {home}/trap.sh\n"}),
    ),
    "differences": configured("diff external = {trap}", 'diff "x" textconv = {trap}'),
    "merges": configured('merge "x" driver = {trap}', "merge tool = {trap}"),
    "signatures": configured("gpg program = {trap}", "commit gpgSign = true"),
    "editors": configured("core editor = {trap}", "sequence editor = {trap}"),
    "proxies": configured("core gitProxy = {trap}", "http proxy = {trap}"),
    "alternate references": configured("core alternateRefsCommand = {trap}"),
    "submodules": both(
        configured('submodule "s" update = !{trap}', 'submodule "s" url = ext::{trap}'),
        written({".gitmodules": '[submodule "s"]\n\tpath = s\n\turl = ext::sh\n\tupdate = !sh\n'}),
    ),
    "traces": configured(
        "trace2 eventTarget = {home}/sprung", "trace2 normalTarget = {home}/sprung"
    ),
    "modules in the folder": modules,
}

# Ways out of the repository.
WAYS_OUT: dict[str, Kind] = {
    "a tracked name that climbs": indexed(index(entry(b"../outside/secret.txt"))),
    "a tracked name that climbs from inside": indexed(
        index(entry(b"src/../../outside/secret.txt"))
    ),
    "a tracked name from the root": indexed(
        lambda place: index(entry(os.fsencode(place.secret)), entry(b"/etc/passwd"))
    ),
    "tracked names with empty parts": indexed(index(entry(b"src//sockets.py"), entry(b""))),
    "a tracked name that climbs, compressed": indexed(
        index(compressed(0, b"../out"), compressed(3, b"outside/secret.txt"), version=4)
    ),
    "tracked names of a split index": split_index,
    "git's own files, tracked": git_secret,
    "a link to a file": linked("src/secret.py", "{home}/outside/secret.txt"),
    "a link to a folder": linked("src/outside", "{home}/outside"),
    "a link below which git tracked files": tracked_behind_link,
    "a work tree elsewhere": configured("core worktree = {home}/outside"),
    "a pointer to another place": both(
        linked("sub", "{home}/outside"), written({"inner/.git": "gitdir: {home}/outside\n"})
    ),
    "a pointer to itself": written({"inner/.git": "gitdir: .git\n", "inner/a.py": "a = 1\n"}),
    "excludes that are somebody's secret": configured(
        "core excludesFile = {home}/outside/secret.txt"
    ),
    "ignore files that lead out": both(
        linked(".gitignore", "{home}/outside/secret.txt"),
        linked(".qidfignore", "{home}/outside/secret.txt"),
    ),
    "a link to a process": linked("src/self.py", "/proc/self/environ"),
}

# What would keep a reader waiting, or fill its memory.
TRAPS: dict[str, Kind] = {
    "a pipe for a repository inside": both(plain_folder, piped("sub/.git")),
    "an endless repository inside": both(plain_folder, linked("sub/.git", "/dev/zero")),
    "a pipe for git's folder": piped(".git"),
    "a pipe for .gitignore": piped(".gitignore"),
    "a pipe for .qidfignore": piped(".qidfignore"),
    "an endless .gitignore": linked("src/.gitignore", "/dev/zero"),
    "a pipe for excludes": piped(".git/info/exclude"),
    "endless excludes": linked(".git/info/exclude", "/dev/zero"),
    "a pipe for excludes that are configured": both(
        configured("core excludesFile = {home}/repository/pipe"), piped("pipe")
    ),
    "a pipe for the configuration": piped(".git/config"),
    "an endless configuration": linked(".git/config", "/dev/zero"),
    "a pipe for the index": piped(".git/index"),
    "an endless index": linked(".git/index", "/dev/zero"),
    "a pipe for HEAD": piped(".git/HEAD"),
    "a pipe for the shared directory": piped(".git/commondir"),
    "a pipe for alternates": piped(".git/objects/info/alternates"),
    "a pipe among sources": both(piped("src/pipe.py"), piped("src/README")),
    "a socket among sources": a_socket,
    "a vast source": vast("src/vast.py"),
    "a vast .gitignore": vast(".gitignore"),
    "a vast pointer": both(plain_folder, vast("sub/.git")),
    "a vast index": vast(".git/index"),
    "an index of four billion entries": indexed(index(entry(b"a.py"), count=0xFFFFFFFF)),
    "an index whose names grow and grow": indexed(
        index(*[compressed(0, b"a/" * 20)] * 30_000, version=4)
    ),
    "an index with lengths that lie": indexed(
        index(entry(b"src/sockets.py", length=0x0FFF), entry(b"x" * 5000), entry(b"a", length=900))
    ),
    "an index of noise": indexed(bytes(range(256)) * 64),
    "patterns that backtrack": backtracking,
    "a million patterns": many_patterns,
    "patterns of noise": lambda place: (place.root / ".gitignore").write_bytes(
        bytes(range(256)) * 300 + b"\n[[:" * 99 + b"\\" * 999
    ),
    "folders too deep": deep,
    "a false index": fake_index,
}

# What would break a parser, or reach the terminal.
CONTENTS: dict[str, Kind] = {
    "escapes in names": escapes_in_names,
    "escapes in files": written(
        {
            "esc.py": f"def swordfish():\n    '''{ESCAPES}'''\n    return '{ESCAPES}'\n",
            "esc.md": f"# swordfish {ESCAPES}\n\n{ESCAPES}\n",
            f"{'x' * 100}.js": f"function swordfish() {{ /* {ESCAPES} */ }}\n",
        }
    ),
    "brackets in brackets": written(
        {
            "deep.py": "x = " + "(" * 50_000 + ")" * 50_000,
            "deep.js": "[" * 100_000,
            "deep.json": '{"a":' * 50_000,
            "deep.c": "int f(){" + "{" * 20_000,
        }
    ),
    "one long line": written({"line.js": "swordfish;" * 350_000, "line.md": "#" * 900_000}),
    "text that isn't": lambda place: [
        (place.root / f"{number}.py").write_bytes(data)
        for number, data in enumerate(
            (
                b"\xff\xfe\x00\xd8swordfish",
                b"\xfe\xff" + bytes(range(255, 0, -1)),
                b"\xed\xa0\x80 a",
            )
        )
    ],
    "docstrings that are endless": written(
        {"doc.py": 'def f():\n    """' + "@a " * 100_000 + '"""\n' + "# generated by\n" * 20_000}
    ),
}

KINDS: dict[str, Kind] = {**COMMANDS, **WAYS_OUT, **TRAPS, **CONTENTS}
assert len(KINDS) == sum(map(len, (COMMANDS, WAYS_OUT, TRAPS, CONTENTS)))
