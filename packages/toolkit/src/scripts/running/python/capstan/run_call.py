"""Runs one call of a function and says what came of it."""

import inspect
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
    arguments = decode_arguments(function, request["arguments"])
    if request.get("wantsContext"):
        arguments["context"] = Context()
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
    """Does what every call does, while none is here: memory that a fork writes to is copied then."""
    arguments = decode_arguments(call, json.loads('{"function": 1}'))
    json.dumps({"type": "result", "value": encode(arguments), "parts": parts_of(None)})
    call(str, {})


def call(function, arguments):
    value = function(**arguments) if isinstance(arguments, dict) else function(*arguments)
    if inspect.isasyncgen(value):
        value = gather(value)
    if inspect.isawaitable(value):
        import asyncio  # takes as long to import as all the rest

        return asyncio.run(awaited(value))
    return list(value) if inspect.isgenerator(value) else value


async def awaited(value):
    return await value


async def gather(values):
    return [value async for value in values]
