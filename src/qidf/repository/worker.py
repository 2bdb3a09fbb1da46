"""A process that cuts files for another: tasks on stdin, chunks on stdout, gone when stdin ends.

Started by `workers.py`. It only reads, so it may be killed at any moment.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import struct
import sys
import threading
from pathlib import Path
from queue import SimpleQueue
from typing import IO, Any

from qidf.repository.cutting import Cutter, pack

# Before each message, its length.
_LENGTH = struct.Struct("<Q")
# Before the first message of a worker: what is printed while Python starts comes before it.
_GREETING = b"\0qidf cuts\0"
_MAX_NOISE_BYTES = 10_000


def send(stream: IO[bytes], message: object) -> None:
    """Write a message."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    stream.write(_LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes:
    """The next message, still pickled; EOFError when there is none, or only a part."""
    head = stream.read(_LENGTH.size)
    if len(head) == _LENGTH.size:
        (size,) = _LENGTH.unpack(head)
        data = stream.read(size)
        if len(data) == size:
            return data
    raise EOFError


def greet(stream: IO[bytes]) -> None:
    """Say that messages follow."""
    stream.write(_GREETING)
    stream.flush()


def await_greeting(stream: IO[bytes]) -> None:
    """Read until messages follow; EOFError if they don't."""
    seen = b""
    while not seen.endswith(_GREETING):
        byte = stream.read(1)
        if not byte or len(seen) > _MAX_NOISE_BYTES:
            raise EOFError
        seen += byte


def main() -> None:
    """Cut what is asked for until nobody asks any more."""
    # An interrupt from the terminal reaches this process too; whoever started it decides.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Nothing here makes cycles, and looking for them takes a tenth of the time.
    gc.disable()
    # Whatever a library prints must not get between messages.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    greet(answers)
    tasks: SimpleQueue[Any] = SimpleQueue()
    root, max_bytes, parse = pickle.loads(receive(sys.stdin.buffer))
    threading.Thread(target=_listen, args=(sys.stdin.buffer, tasks), daemon=True).start()
    cutter = Cutter(Path(root), max_bytes, parse)
    while True:
        send(answers, [pack(cut) for cut in cutter.cut(tasks.get())])


def _listen(stream: IO[bytes], tasks: SimpleQueue[Any]) -> None:
    """Pass tasks on; at the end of them nobody is there any more, so leave in whatever is done."""
    try:
        while True:
            tasks.put(pickle.loads(receive(stream)))
    finally:
        os._exit(0)
