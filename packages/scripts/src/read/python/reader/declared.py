"""Reads the permissions that a file declares, and which functions have a format. They take effect only when a user approves them."""

from __future__ import annotations

import ast
from typing import Any

from literals import NotLiteral, literal
from scope import Scope

KEYS = {
    "executionPolicy", "resultApprovalPolicy", "effects", "idempotent", "timeoutMs", "network",
    "secrets", "roots",
}  # fmt: skip

OLDER = {
    "permissionLevel": "executionPolicy",
    "requireExecutionApproval": "executionPolicy",
    "requireResultApproval": "resultApprovalPolicy",
}


def read_declared(scope: Scope) -> dict:
    """Returns `file`, `title` and, by function, `functions` and `formats`."""
    file: dict = {}
    title = None
    config = scope.constants.get("TOOL_CONFIG")
    if config is not None:
        value = value_or_problem(config, scope, "TOOL_CONFIG")
        if isinstance(value, dict):
            title = value.pop("title", None)
            file = value
        elif value is not None:
            scope.problem(config, "TOOL_CONFIG is not a dict.", "error")
    functions: dict = {}
    formats: list = []
    for name, node in scope.functions.items():
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call) and is_tool(decorator.func, scope):
                for given in decorator.keywords:
                    declare(scope, functions, formats, name, given.arg, given.value, True)
    for name, attribute, node in scope.attributes:
        if name in scope.functions:
            declare(scope, functions, formats, name, attribute, node, False)
    return {"file": file, "title": title, "functions": functions, "formats": formats}


def is_tool(node: ast.AST, scope: Scope) -> bool:
    return scope.is_from(node, "capstan", "tool")


def declare(scope: Scope, functions: dict, formats: list, name: str, key: Any, node: Any, strict: bool) -> None:
    if key == "format":
        if not (isinstance(node, ast.Constant) and node.value is None):
            formats.append(name)
    elif key in OLDER:
        scope.problem(node, f"{name}.{key} has no effect: write {name}.{OLDER[key]}.", "warning")
    elif key in KEYS or strict:
        value = value_or_problem(node, scope, f"{name}.{key}")
        if key is not None and value is not None:
            functions.setdefault(name, {})[key] = value


def value_or_problem(node: ast.AST, scope: Scope, what: str) -> Any:
    try:
        return literal(node, scope)
    except NotLiteral:
        scope.problem(node, f"{what} is not a literal: declarations are read without running the file.", "error")
        return None
