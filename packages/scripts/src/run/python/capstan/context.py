"""The requests that a call can send while it runs."""

import base64
import os
import pathlib
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


class File:
    """A file that the function may read. Its bytes are read when they are needed."""

    def __init__(self, index: int, about: dict):
        self._index = index
        self.id = about.get("id")
        """The id of a stored file, or None."""
        self.name = about["name"]
        self.mime_type = about["mimeType"]
        self.size = about.get("size")
        """The size in bytes, or None if it is not known."""

    def stream(self):
        """Yields the bytes in pieces, from the beginning."""
        piece = ask("file", index=self._index, restart=True)
        while piece is not None:
            yield base64.b64decode(piece["base64"])
            piece = ask("file", index=self._index, restart=False)

    def read(self) -> bytes:
        return b"".join(self.stream())

    def text(self, encoding: str = "utf-8") -> str:
        return self.read().decode(encoding)


class Context:
    """The value of a function's parameter named `context`."""

    def __init__(self, idempotency_key: str, about: typing.Optional[dict] = None):
        about = about or {}
        self.variables = Variables()
        self.idempotency_key = idempotency_key
        """An idempotency key for services. It is the same for each attempt of this call."""
        self.user = about.get("user")
        """The client's id of its end user, or else the user that the server knows."""
        self.request = about.get("request", {})
        """The request's `user`, `metadata` and `headers`, as far as they are given."""
        self.tool = about.get("tool")
        """The tool as the request declares it, with all its options, or None."""
        self.files = [File(index, one) for index, one in enumerate(about.get("files", []))]
        """The files that the function may read."""
        self._workspace: typing.Optional[pathlib.Path] = None

    @property
    def workspace(self) -> pathlib.Path:
        """A writable folder with the files of the call. New and changed files there become files of the result."""
        if self._workspace is None:
            self._workspace = pathlib.Path(ask("workspace"))
        return self._workspace

    def write(self, text: str) -> None:
        """Shows text while the function runs. In a final function it is the answer."""
        send({"type": "write", "text": str(text)})

    def event(self, name: str, data=None) -> None:
        """Reports a custom event, for example `image_generation.generating`."""
        send({"type": "event", "name": str(name), "data": data})

    def cite(self, annotation: dict) -> None:
        """Adds a source of the result, for example `{"type": "url_citation", "url": "https://example.org"}`."""
        send({"type": "cite", "annotation": annotation})

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
