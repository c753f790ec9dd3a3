"""Functions for the tests of the script runner."""

from __future__ import annotations

import asyncio
import collections
import dataclasses
import datetime
import decimal
import enum
import functools
import math
import os
import pathlib
import subprocess
import sys
import time
import uuid
from typing import Dict, List, Optional, Set, Tuple, Union

from capstan import Context, ToolError


class Color(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Point:
    x: float
    tags: Set[str] = dataclasses.field(default_factory=set)


def measure(text):
    return text[::-1][:3] + str(len(text))


def print_all_ways():
    print("from print ü")
    sys.stderr.write("from stderr\n")
    sys.stdout.flush()
    subprocess.run(["echo", "from a program"])
    os.write(1, b'{"type": "result"}\n')
    return {"ok": True}


def print_and_wait():
    print("first")
    time.sleep(600)


def print_megabytes(count):
    line = b"x" * 1048576
    for _ in range(count):
        os.write(1, line)
    return "done"


def return_odd_values():
    return {
        "nan": math.nan, "inf": [math.inf, -math.inf], "big": 2**53 + 1, "small": 2**53 - 1,
        "bytes": b"\x00\xff", "date": datetime.date(2026, 2, 28), "time": datetime.datetime(2026, 2, 28, 12, 30),
        "decimal": decimal.Decimal("1.10"), "enum": Color.RED, "point": Point(2.5), "set": {7}, "tuple": (1, None),
        3: True, "named": collections.namedtuple("N", "a")(1), "text": "\u00e9\U0001F389\ud800",
        "uuid": uuid.UUID(int=1), "gen": (i for i in range(2)),
    }  # fmt: skip


def show_arguments(
    color: Color, point: Point, day: Optional[datetime.date], pair: Tuple[int, str], points: List[Point],
    by: Dict[int, Color], either: Union[int, Color], blob: bytes, path: pathlib.Path, plain,
):  # fmt: skip
    return [repr(one) for one in (color, point, day, pair, points, by, either, blob, path, plain)]


def take_by_place(a, b="b", c="c", /, d=0):
    return [a, b, c, d]


take_by_place.format = lambda result, args: str(args)


def wrapped(function):
    @functools.wraps(function)
    def call(*args, **named):
        return function(*args, **named)

    return call


@wrapped
def take_by_place_wrapped(day: datetime.date, /, n=0):
    return [repr(day), n]


async def wait_and_return():
    await asyncio.sleep(0)
    return "awaited"


async def yield_three():
    for i in range(3):
        yield i


def return_megabytes(count):
    return "x" * (count << 20)


def return_files():
    here = pathlib.Path("/tmp/capstan-picture.png")
    here.write_bytes(b"\x89PNG")
    table = pathlib.Path("/tmp/capstan-table.csv")
    table.write_text("a,b")
    return ["Both:", here, table]


def inner(n):
    raise ValueError(f"no {n} ü")


def fail():
    inner(3)


def fail_in_words():
    raise ToolError("No city X. Name a larger one.", code="no_city", retryable=True)


def die(how):
    if how == "signal":
        os.kill(os.getpid(), 11)
    if how == "exit":
        sys.exit("bye")
    os._exit(5 if how == "code" else 0)


def return_object():
    return object()


def return_circle():
    circle = []
    circle.append(circle)
    return circle


def double(n):
    return 2 * n


double.format = lambda result, args: f"twice {args['n']} is {result}"


def one():
    return 1


one.format = lambda result, args: 1 / 0


def use_context(context: Context):
    context.progress("half", done=1, total=2)
    try:
        context.call_tool("Remove")
    except ToolError as error:
        refused = f"{error.code}: {error}"
    variables = context.variables
    return [variables["Fetch_1"], list(variables), variables.get("none", 0), "Fetch_1" in variables, context.call_tool("Add", {"a": 1}), refused, context.idempotency_key]


def loop_for_ever():
    print("on", flush=True)
    while True:
        pass


count = 0


def leave_traces():
    global count
    count += 1
    path = os.environ.get("TMPDIR", "/tmp") + "/left"
    seen = os.path.exists(path)
    open(path, "w").close()
    return [count, seen]


def worker_id():
    return os.getppid()


def start_daemon():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(600)
        os._exit(0)


def count_others():
    known = (1, os.getppid(), os.getpid())
    return len([name for name in os.listdir("/proc") if name.isdigit() and int(name) not in known])


def look_into_worker():
    found = []
    for name in ("mem", "fd/0", "environ"):
        try:
            open(f"/proc/{os.getppid()}/{name}", "rb").read(1)
            found.append(name)
        except OSError:
            pass
    return found
