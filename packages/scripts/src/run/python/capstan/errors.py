"""Converts exceptions to data: a summary for the model, all of it for the user."""

import os
import sys
import traceback

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LONGEST = 20_000


class ToolError(Exception):
    """A failure with a message for the model: the problem, and what to do instead."""

    def __init__(self, message: str, *, code: str = "script_failed", retryable: bool = False):
        super().__init__(message)
        self.code = code
        self.retryable = retryable


def describe(error: BaseException, script: str) -> dict:
    # Hidden frames are Capstan's or a wrapper's, by pytest's convention.
    walked = [one for one in traceback.walk_tb(error.__traceback__) if not one[0].f_locals.get("__tracebackhide__")]
    frames = [one for one in traceback.StackSummary.extract(iter(walked)) if not one.filename.startswith((HERE, "<frozen"))]
    own = [one for one in frames if not one.filename.startswith((sys.prefix, sys.base_prefix, "<"))]
    name = type(error).__name__
    made = traceback.TracebackException(type(error), error, error.__traceback__)
    made.stack = traceback.StackSummary.from_list(frames)
    described = {"type": name, "message": text_of(error), "traceback": "".join(made.format())[:LONGEST]}
    if isinstance(error, ToolError):
        described = {**described, "code": str(error.code), "retryable": bool(error.retryable)}
    if isinstance(error, SyntaxError) and error.lineno is not None:
        return {**described, "file": os.path.basename(error.filename or script), "line": error.lineno}
    if own:
        return {**described, "file": os.path.basename(own[-1].filename), "line": own[-1].lineno}
    return described


def text_of(error: BaseException) -> str:
    try:
        # For a KeyError this is only the key; the host adds the type.
        return str(error)[:LONGEST]
    except Exception:
        return "(its message cannot be read)"
