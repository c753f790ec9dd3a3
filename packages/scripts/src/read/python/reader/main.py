"""Reads Python script files without running them.

It reads one JSON object per line, `{"id": 1, "source": "<base64>"}`, and writes one for each,
`{"id": 1, "module": {...}}`. The first line that it writes has the version of Python. It needs
Python 3.9 or later and only its standard library.
"""

from __future__ import annotations

import base64
import json
import os
import sys


def main() -> None:
    # Bytes, because the platform's default encoding may not be UTF-8.
    out = sys.stdout.buffer

    def say(answer: dict) -> None:
        # `allow_nan=False`: the host cannot parse NaN.
        out.write(json.dumps(answer, allow_nan=False).encode("ascii") + b"\n")
        out.flush()

    say({"python": list(sys.version_info[:3]), "executable": sys.executable})
    if sys.version_info < (3, 9):
        return
    # Isolated mode omits the program's own folder.
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    from read_module import read_module

    for line in sys.stdin.buffer:
        request = json.loads(line)
        answer = {"id": request["id"]}
        try:
            answer["module"] = read_module(base64.b64decode(request["source"]))
        except (RecursionError, MemoryError):  # the parser reports its own stack overflow as MemoryError
            answer["module"] = {"problems": [too_deep]}
        say(answer)


too_deep = {
    "severity": "error",
    "message": "An expression in it is nested too deeply. Split the expression.",
}

main()
