"""The requests that a call can send while it runs."""

import os
import threading
import typing

from capstan import frames
from capstan.encode import encode
from capstan.errors import ToolError

CHANNEL = 3
lock = threading.Lock()
asked = 0


class Variables:
    """The session's variables, read-only: `context.variables["Fetch_3"]`."""

    def __getitem__(self, name: str):
        return ask("variable", name=name)

    def get(self, name: str, default=None):
        try:
            return self[name]
        except KeyError:
            return default

    def __iter__(self):
        return iter(ask("variables"))

    def __len__(self):
        return len(ask("variables"))

    def __contains__(self, name: str):
        return name in ask("variables")


class Context:
    """The value of a function's parameter named `context`."""

    def __init__(self, idempotency_key: str):
        self.variables = Variables()
        self.idempotency_key = idempotency_key
        """An idempotency key for services. It is the same for each attempt of this call."""

    def progress(self, message: typing.Optional[str] = None, done: typing.Optional[float] = None, total: typing.Optional[float] = None) -> None:
        """Reports progress."""
        report = {"message": message, "done": done, "total": total}
        send({"type": "progress", **{name: value for name, value in report.items() if value is not None}})

    def call_tool(self, name: str, arguments: typing.Optional[dict] = None):
        """Calls another tool, which needs approval and is recorded like any call. Raises ToolError if it fails."""
        return ask("call_tool", name=name, arguments=arguments or {})


def send(message: dict) -> None:
    with lock:
        frames.write(CHANNEL, encode(message))


def ask(what: str, **about):
    """Sends a request to the host and waits for its answer, one thread at a time."""
    global asked
    with lock:
        asked += 1
        frames.write(CHANNEL, {"type": "ask", "id": asked, "what": what, **encode(about)})
        answer = frames.read(CHANNEL)
    if answer is None:
        os._exit(1)
    if "error" not in answer:
        return answer.get("value")
    error = answer["error"]
    if what == "variable":
        raise KeyError(error["message"])
    raise ToolError(error["message"], code=error["code"], retryable=error.get("retryable", False))
