"""The process that holds the model: `python -m fiducial.model.local.child`, started by `server`.

It reads one JSON line from standard input (the fields of `server.Serving`), loads the model, answers with
one JSON line on standard output (`{"address": …}`), and serves until its parent is gone. Standard error
is its log file, open for reading and appending.

A server that outlives the run would hold memory and cores without anyone knowing. Three things end it,
because each alone has a hole: the end of standard input (another process may have inherited the pipe),
the kernel's parent-death signal (Linux only), and a look at the parent's id every second.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import threading
import time
import traceback
from typing import Any, NoReturn

LOG_LIMIT = 2_000_000  # bytes; beyond it the log is cut down to LOG_TAIL
LOG_TAIL = 200_000
_PR_SET_PDEATHSIG = 1


def _end_with_parent() -> None:
    parent = os.getppid()
    if sys.platform == "linux":
        try:
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        except (OSError, AttributeError):  # a libc without it; the other two watch as well
            traceback.print_exc()
    threading.Thread(target=_poll, args=(parent,), daemon=True).start()


def _poll(parent: int) -> NoReturn:
    while os.getppid() == parent:
        _bound_log()
        time.sleep(1)
    os._exit(0)


def _wait_for_end_of_input() -> NoReturn:
    while os.read(0, 4096):
        pass
    os._exit(0)


def _bound_log(fd: int = 2) -> None:
    """Keep the end of the log. Lines written during the cut may be lost, which a log can bear."""
    try:
        size = os.fstat(fd).st_size
        if size > LOG_LIMIT:
            tail = os.pread(fd, LOG_TAIL, size - LOG_TAIL)
            os.ftruncate(fd, 0)
            os.write(fd, tail)
    except (OSError, AttributeError):  # not a file (run by hand), or a platform without pread
        return


def _load(asked: dict[str, Any]) -> Any:
    import xllamacpp  # noqa: PLC0415  the parent-death signal must be set before this takes its time

    p = xllamacpp.CommonParams()
    p.model.path = asked["path"]
    p.model_alias = {asked["name"]}  # what replies call the model; by default it would be the path
    p.n_parallel = asked["slots"]
    p.n_ctx = asked["context"] * asked["slots"]
    p.cpuparams.n_threads = p.cpuparams_batch.n_threads = asked["threads"]
    if asked["chat_template"] is not None:
        p.chat_template = asked["chat_template"]
    p.port = 0
    p.hostnames = ["127.0.0.1"]
    p.cors_origins = "http://127.0.0.1"  # no page in the user's browser may call the server
    p.ui = False
    p.endpoint_slots = False  # it would show prompts to whoever asks
    p.cache_ram_mib = 1024  # prompts kept for reuse; llama.cpp would take up to 8 GB
    p.verbosity = 2  # errors and warnings
    return xllamacpp.Server(p)


def main() -> NoReturn:
    """Serve until the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the whole group; the parent decides
    _end_with_parent()
    answer = os.dup(1)
    os.dup2(2, 1)  # nothing but the answer may reach the pipe
    line = b""
    while not line.endswith(b"\n"):
        more = os.read(0, 4096)
        if not more:
            os._exit(0)
        line += more
    threading.Thread(target=_wait_for_end_of_input, daemon=True).start()
    try:
        server = _load(json.loads(line))
        os.write(answer, json.dumps({"address": server.listening_address}).encode() + b"\n")
        os.close(answer)
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)  # not sys.exit: llama.cpp's threads must not keep the process
    while True:
        signal.pause() if hasattr(signal, "pause") else time.sleep(3600)


if __name__ == "__main__":
    main()
