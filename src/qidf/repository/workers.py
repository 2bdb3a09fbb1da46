"""Cutting many files with several processes, in the order of the files.

Parsing holds the interpreter's lock, so threads would wait for each other. A worker is a new
interpreter rather than a fork or a `multiprocessing` child: a fork of a process with threads may
hang, and multiprocessing runs the caller's script again. It reads tasks from a pipe, so it ends
with whoever started it, however that ended.

This process cuts too, whenever there is nothing else for it to do, and takes over the tasks of a
worker that fails: workers make it faster, and nothing else depends on them.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress

from qidf.native.threads import num_threads
from qidf.repository.cutting import Cut, Cutter, Wanted, unpack
from qidf.repository.worker import await_greeting, receive, send

# Starting a worker takes as long as cutting a megabyte or so of code, so it pays from a few on.
WORTH_WORKERS_BYTES = 3_000_000
# A file costs something before its first byte: as much as some two thousand bytes of code.
FILE_BYTES = 2_000
# This process takes what they have cut into the index, which six of them keep it busy with.
MAX_WORKERS = 6
# Files that are handed over at a time: enough that handing over costs little beside cutting them.
_TASK_FILES = 16
# Towards the end tasks become smaller, so that all processes end at about the same time.
_TASKS_LEFT = 8
# Tasks that a worker has at a time: while this process computes, its threads get a turn every few
# milliseconds only, in which small files are cut by the dozen.
_IN_HAND = 8
# How far workers may be ahead of the index, in tasks and in bytes that wait for it.
_TASKS_AHEAD = 64
_BYTES_AHEAD = 64_000_000
# As much as Linux gives a pipe: a worker mustn't wait for this process to read, and what it has
# written is read at once.
_PIPE_BYTES = 1 << 20
_F_SETPIPE_SZ = 1031

_COMMAND = "import sys; sys.path[:] = sys.argv[1:]; from qidf.repository.worker import main; main()"


def cut_files(
    cutter: Cutter,
    files: Sequence[Wanted],
    meanwhile: Callable[[], object] | None = None,
) -> Generator[list[Cut], None, None]:
    """Cut files in their order, a few at a time, with workers where that pays.

    `meanwhile` is done first by this process where there are any, while they start.
    """
    workers = _worthwhile_workers(cutter, files)
    tasks = _tasks(files, workers + 1)
    if not workers:
        for task in tasks:
            yield cutter.cut(task)
        return
    crew = _Crew(cutter, tasks, workers)
    try:
        if meanwhile is not None:
            meanwhile()
        yield from crew.results()
    finally:
        crew.stop()


def _worthwhile_workers(cutter: Cutter, files: Sequence[Wanted]) -> int:
    """How many workers pay for their start."""
    workers = min(num_threads() - 1, MAX_WORKERS)
    if workers < 1 or not _can_start():
        return 0
    left = WORTH_WORKERS_BYTES
    for path, _ in files:
        with suppress(OSError):
            size = os.lstat(f"{cutter.root}/{path}").st_size
            left -= FILE_BYTES + (size if size <= cutter.max_bytes else 0)
        if left <= 0:
            return workers
    return 0


def _can_start() -> bool:
    """Whether the interpreter is a program of its own, and not inside of another one."""
    name = os.path.basename(sys.executable or "").lower()
    return name.startswith(("python", "pypy")) and not getattr(sys, "frozen", False)


def _tasks(files: Sequence[Wanted], processes: int) -> list[Sequence[Wanted]]:
    tasks: list[Sequence[Wanted]] = []
    done = 0
    while done < len(files):
        share = (len(files) - done) // (_TASKS_LEFT * processes)
        size = min(_TASK_FILES, max(1, share))
        tasks.append(files[done : done + size])
        done += size
    return tasks


class _Crew:
    """Workers, each with a thread that hands it tasks and takes what it has done."""

    def __init__(self, cutter: Cutter, tasks: Sequence[Sequence[Wanted]], workers: int) -> None:
        self._cutter, self._tasks = cutter, tasks
        self._changed = threading.Condition()
        self._next = 0
        self._wanted = 0
        self._waiting_bytes = 0
        self._stopped = False
        self._returned: list[int] = []
        self._done: dict[int, bytes | list[Cut]] = {}
        self._processes: list[subprocess.Popen[bytes]] = []
        self._threads: list[threading.Thread] = []
        for _ in range(workers):
            process = _started()
            if process is None:
                break
            self._processes.append(process)
            thread = threading.Thread(target=self._manage, args=(process,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def results(self) -> Iterator[list[Cut]]:
        """Each task's files in order; cuts files itself rather than wait."""
        for number in range(len(self._tasks)):
            while True:
                with self._changed:
                    if number in self._done:
                        found = self._done.pop(number)
                        self._wanted = number + 1
                        if isinstance(found, bytes):
                            self._waiting_bytes -= len(found)
                        self._changed.notify_all()
                        break
                    mine = self._take()
                    if mine is None:
                        self._changed.wait()
                        continue
                cut = self._cutter.cut(self._tasks[mine])
                with self._changed:
                    self._done[mine] = cut
            yield list(map(unpack, pickle.loads(found))) if isinstance(found, bytes) else found

    def stop(self) -> None:
        """End the workers, whatever they are doing."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        for process in self._processes:
            process.kill()
        for thread in self._threads:
            thread.join()
        for process in self._processes:
            process.wait()
            for stream in (process.stdin, process.stdout):
                with suppress(OSError):
                    if stream is not None:
                        stream.close()

    def _take(self) -> int | None:
        """The next task, if there is one that shouldn't wait; call with the lock held."""
        if self._returned:
            return self._returned.pop(0)
        ahead = self._next - self._wanted
        if self._next == len(self._tasks) or (
            ahead and (ahead >= _TASKS_AHEAD or self._waiting_bytes >= _BYTES_AHEAD)
        ):
            return None
        self._next += 1
        return self._next - 1

    def _manage(self, process: subprocess.Popen[bytes]) -> None:
        """Keep one worker busy until there is nothing left to do or it fails."""
        stdin, stdout = process.stdin, process.stdout
        in_hand: deque[int] = deque()
        try:
            if stdin is None or stdout is None:
                return
            cutter = self._cutter
            send(stdin, (str(cutter.root), cutter.max_bytes, cutter.parse))
            await_greeting(stdout)
            while True:
                given = self._give(in_hand)
                if not in_hand:
                    return
                for number in given:
                    send(stdin, self._tasks[number])
                data = receive(stdout)
                with self._changed:
                    self._done[in_hand.popleft()] = data
                    self._waiting_bytes += len(data)
                    self._changed.notify_all()
        except (OSError, EOFError, ValueError):
            # Its tasks are done by this process, which then meets whatever ended it.
            pass
        finally:
            with self._changed:
                self._returned.extend(in_hand)
                self._returned.sort()
                self._changed.notify_all()

    def _give(self, in_hand: deque[int]) -> list[int]:
        """Tasks for a worker that has some in hand; waits if it has none and may get some yet."""
        given: list[int] = []
        with self._changed:
            while not self._stopped and len(in_hand) < _IN_HAND:
                number = self._take()
                if number is not None:
                    in_hand.append(number)
                    given.append(number)
                elif in_hand or self._next == len(self._tasks):
                    break
                else:
                    self._changed.wait()
        return given


def _started() -> subprocess.Popen[bytes] | None:
    """A worker, or None if there can't be one more process."""
    # Isolated, so that files of the repository one stands in aren't imported as modules.
    options = ["-I", *(["-X", "utf8"] if sys.flags.utf8_mode else [])]
    paths = [path for path in sys.path if path]
    try:
        process = subprocess.Popen(
            [sys.executable, *options, "-c", _COMMAND, *paths],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=_PIPE_BYTES,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except OSError:
        return None
    if sys.platform == "linux" and process.stdout is not None:
        import fcntl

        with suppress(OSError):
            fcntl.fcntl(process.stdout.fileno(), _F_SETPIPE_SZ, _PIPE_BYTES)
    return process
