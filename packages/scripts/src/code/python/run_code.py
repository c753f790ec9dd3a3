"""Runs a model's code like an interactive Python session."""

import ast
import json
import os
import pathlib

PLACE = "/tmp/code.py"


class Variables(dict):
    """The session variables of the call. Access to any other one raises an error that says so."""

    def __missing__(self, name):
        raise KeyError(f"{name} was not passed: name it in the call's variables")


def run_code(code, variables, folder):
    __tracebackhide__ = True
    pathlib.Path(PLACE).write_text(code, encoding="utf-8")
    tree = ast.parse(code, PLACE)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    names = {"__name__": "__main__", "__file__": PLACE, "vars": Variables(variables)}
    if folder:
        os.chdir(folder)
    exec(compile(tree, PLACE, "exec"), names)
    if last is None:
        return None
    return shown(eval(compile(ast.Expression(last.value), PLACE, "eval"), names))


def shown(value):
    """Returns a value as JSON if possible, the content of a file for its path, and otherwise its representation."""
    if isinstance(value, pathlib.PurePath) or value is None:
        return value
    if isinstance(value, (list, tuple)) and any(isinstance(one, pathlib.PurePath) for one in value):
        return value
    try:
        json.dumps(value, allow_nan=False)
        return value
    except (TypeError, ValueError):
        return repr(value)
