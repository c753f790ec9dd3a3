"""Runs one call of a function and returns its result."""

import inspect
import itertools
import json
import sys
import traceback

from capstan import frames
from capstan.context import Context
from capstan.decode import decode_arguments
from capstan.encode import encode, parts_of

CHANNEL = 3


def run_call(module, script: str, request: dict) -> None:
    function = getattr(module, request["function"])
    # A copy, because the format receives the original arguments.
    arguments = {**decode_arguments(function, request["arguments"])}
    if request.get("wantsContext"):
        arguments["context"] = Context(request["idempotencyKey"], request.get("about"))
    result = call(function, arguments)
    parts = parts_of(result)
    if parts is not None:
        frames.write(CHANNEL, {"type": "parts", "parts": parts})
        return
    message = {"type": "result", "value": encode(result)}
    if request.get("hasFormat"):
        try:
            message["text"] = str(call(function.format, (result, request["arguments"])))
        except Exception:
            sys.stdout.write("The function's format failed:\n" + traceback.format_exc())
    frames.write(CHANNEL, message)


def rehearse() -> None:
    """Runs the common code of all calls before the first one, because memory that a fork writes to is copied."""
    arguments = decode_arguments(call, json.loads('{"function": 1}'))
    json.dumps({"type": "result", "value": encode(arguments), "parts": parts_of(None)})
    call(str, {})


def call(function, arguments):
    value = function(*by_place(function, arguments), **arguments) if isinstance(arguments, dict) else function(*arguments)
    if inspect.isasyncgen(value):
        value = collect(value)
    if inspect.isawaitable(value):
        import asyncio  # takes as long to import as all the rest

        return asyncio.run(awaited(value))
    return list(value) if inspect.isgenerator(value) else value


def by_place(function, arguments: dict) -> list:
    """Removes the positional-only arguments and returns them in order, with their defaults."""
    function = inspect.unwrap(function)
    code = getattr(function, "__code__", None)
    names = code.co_varnames[: code.co_posonlyargcount] if code is not None else ()
    if not names:
        return []
    defaults = function.__defaults__ or ()
    given = dict(zip(code.co_varnames[code.co_argcount - len(defaults) : code.co_argcount], defaults))
    given.update((name, arguments.pop(name)) for name in names if name in arguments)
    # The call itself reports a missing argument.
    return [given[name] for name in itertools.takewhile(given.__contains__, names)]


async def awaited(value):
    return await value


async def collect(values):
    return [value async for value in values]
