"""Converts a module to plain data."""

from __future__ import annotations

import ast
import warnings
from typing import Any

from declared import read_declared
from literals import NotLiteral, literal
from read_function import read_function
from scope import Scope


def read_module(source: bytes) -> dict:
    try:
        with warnings.catch_warnings():
            # Warnings about the script's own code, such as invalid escapes, do not matter here.
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except SyntaxError as error:
        return {"problems": [syntax_problem(error)]}
    except ValueError as error:
        return {"problems": [{"severity": "error", "message": f"Python cannot read it: {error}. Save it as text in UTF-8."}]}
    scope = Scope(tree)
    declared = read_declared(scope)
    functions = []
    for name in public_names(scope):
        node = scope.functions[name]
        function = read_function(node, scope)
        function["hasFormat"] = name in declared["formats"]
        if not function["description"]:
            scope.problem(node, f"{name} has no docstring: a model cannot know its purpose.")
        functions.append(function)
    return {
        "rules": (ast.get_docstring(tree) or "").strip(),
        "title": declared["title"],
        "declared": {"file": declared["file"], "functions": declared["functions"]},
        "functions": functions,
        "problems": scope.problems,
    }


def public_names(scope: Scope) -> list:
    """Returns the names of the public functions in the file's order: those in `__all__`, if there is one."""
    names = [name for name in scope.functions if not name.startswith("_")]
    exported = scope.constants.get("__all__")
    if exported is None:
        return names
    try:
        listed: Any = literal(exported, scope)
    except NotLiteral:
        return names
    return [name for name in names if isinstance(listed, list) and name in listed]


def syntax_problem(error: SyntaxError) -> dict:
    problem: dict = {"severity": "error", "message": f"Python cannot read it: {error.msg}."}
    if error.lineno:
        problem["line"] = error.lineno
    if error.offset and error.offset > 0:
        problem["column"] = error.offset
    return problem
