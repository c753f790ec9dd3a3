"""Reads Python script files without running them.

One JSON object a line comes in, `{"id": 1, "source": "<base64>"}`, and one goes out for each,
`{"id": 1, "module": {...}}`. The first line out says which Python this is. Python 3.9 or later,
nothing but its standard library.
"""

from __future__ import annotations

import base64
import json
import os
import sys


def main() -> None:
    # Bytes in, bytes out: the platform's own encoding has no say.
    out = sys.stdout.buffer

    def say(answer: dict) -> None:
        # `allow_nan=False`: half a line would be worse than an error.
        out.write(json.dumps(answer, allow_nan=False).encode("ascii") + b"\n")
        out.flush()

    say({"python": list(sys.version_info[:3]), "executable": sys.executable})
    if sys.version_info < (3, 9):
        return
    # Isolated mode leaves the program's own folder out.
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    from read_module import read_module

    for line in sys.stdin.buffer:
        request = json.loads(line)
        answer = {"id": request["id"]}
        try:
            answer["module"] = read_module(base64.b64decode(request["source"]))
        except (RecursionError, MemoryError):  # the parser's own stack is memory to it
            answer["module"] = {"problems": [too_deep]}
        say(answer)


too_deep = {
    "severity": "error",
    "message": "An expression of it is nested too deeply to be read. Split the expression.",
}

main()
