"""A worker of one script: imports it once, and forks for each call, so that calls are isolated from each other.

Descriptors: 0 has the calls, 1 and 2 are output, 3 has the call's messages, 4 the worker's.
Arguments: the script's path; a mark that ends each call's output; `alone` if the worker has a
process namespace of its own.
"""

import ctypes
import gc
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from capstan import frames
from capstan.errors import describe
from capstan.load import load
from capstan.run_call import rehearse, run_call
from capstan.traces import Traces

sys.path.pop(0)

CALL, CONTROL = 3, 4
# Looked up once, not for each call. Only Linux has this function.
PRCTL = getattr(ctypes.CDLL(None), "prctl", None)
END_OF_CALLS = 77


def main() -> None:
    script, mark, alone = sys.argv[1], b"\0" + sys.argv[2].encode() + b"\0", sys.argv[3] == "alone"
    sys.argv = [script]
    os.dup2(1, 2)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)
    sys.stderr = sys.stdout
    hide(True)
    if sys.version_info >= (3, 14):
        # The default is a fork server on a Unix socket, which the sandbox does not allow.
        import multiprocessing

        multiprocessing.set_start_method("fork")
    try:
        module = load(script)
    except BaseException as error:  # for example if a script exits while it is imported
        end_prints(mark)
        frames.write(CONTROL, {"type": "failed", "error": describe(error, script)})
        os._exit(1)
    end_prints(mark)
    gc.freeze()  # the garbage collector of a fork would otherwise copy these objects
    frames.write(CONTROL, {"type": "ready"})
    traces = Traces() if alone else None
    while True:
        # Fork before the call arrives, because forking takes longer than most calls.
        pid = os.fork()
        if pid == 0:
            call(module, script)
        status = os.waitpid(pid, 0)[1]
        if os.WIFEXITED(status) and os.WEXITSTATUS(status) == END_OF_CALLS:
            return
        clean = traces is not None and traces.remove()
        end_prints(mark)
        crashed = crash_of(status)
        if crashed is None:
            frames.write(CALL, {"type": "over"})
        frames.write(CONTROL, {"type": "ended", "clean": clean, **({"crashed": crashed} if crashed else {})})


def crash_of(status: int):
    if os.WIFSIGNALED(status):
        return {"signal": os.WTERMSIG(status)}
    return {"code": os.WEXITSTATUS(status)} if os.WEXITSTATUS(status) else None


def call(module, script) -> None:
    """Runs in the child. The request is read here, so that the worker never has a session's data."""
    try:
        os.close(CONTROL)
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDONLY)
        rehearse()
        request = frames.read(0)
        if request is None:
            os._exit(END_OF_CALLS)
        os.dup2(nothing, 0)
        os.close(nothing)
        hide(False)
        run_call(module, script, request)
    except BaseException as error:
        frames.write(CALL, {"type": "error", "error": describe(error, script)})
    finally:
        try:
            sys.stdout.flush()
        finally:
            os._exit(0)


def hide(hidden: bool) -> None:
    """Sets whether other processes of the same user can read this one's descriptors and memory."""
    if PRCTL is not None:
        PRCTL(4, 0 if hidden else 1)  # PR_SET_DUMPABLE


def end_prints(mark: bytes) -> None:
    sys.stdout.flush()
    os.write(1, mark)


if __name__ == "__main__":
    main()
