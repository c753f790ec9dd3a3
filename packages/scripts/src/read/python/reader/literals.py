"""Evaluates literals without running code."""

from __future__ import annotations

import ast
import math
from typing import Any


class NotLiteral(Exception):
    """The value is known only when the file runs."""


def literal(node: ast.AST, scope: Any) -> Any:
    """Returns the JSON value of an expression of literals, constants of the module and enum members."""
    return plain(value_of(node, scope, 0))


def value_of(node: ast.AST, scope: Any, depth: int) -> Any:
    if depth > 50:
        raise NotLiteral
    deeper = depth + 1
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        value = value_of(node.operand, scope, deeper)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return [value_of(one, scope, deeper) for one in node.elts]
    if isinstance(node, ast.Dict) and all(node.keys):
        keys = [value_of(key, scope, deeper) for key in node.keys]
        if not all(isinstance(key, str) for key in keys):
            raise NotLiteral
        return dict(zip(keys, [value_of(one, scope, deeper) for one in node.values]))
    if isinstance(node, ast.BinOp):
        return arithmetic(node, scope, deeper)
    if isinstance(node, ast.Name) and node.id in scope.constants:
        return value_of(scope.constants[node.id], scope, deeper)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        members = scope.enum_members(node.value.id)
        if node.attr in members:
            return members[node.attr]
    raise NotLiteral


def arithmetic(node: ast.BinOp, scope: Any, depth: int) -> Any:
    """Evaluates expressions such as `60 * 1000` and `1 << 20`, if they are fast."""
    left, right = value_of(node.left, scope, depth), value_of(node.right, scope, depth)
    if isinstance(left, str) and isinstance(right, str) and isinstance(node.op, ast.Add):
        return left + right
    if not all(isinstance(one, (int, float)) and abs(one) < 2**53 for one in (left, right)):
        raise NotLiteral
    if isinstance(node.op, ast.Add):
        return left + right
    if isinstance(node.op, ast.Sub):
        return left - right
    if isinstance(node.op, ast.Mult):
        return left * right
    if isinstance(node.op, ast.LShift) and isinstance(left, int) and isinstance(right, int) and 0 <= right < 53:
        return left << right
    raise NotLiteral


def plain(value: Any) -> Any:
    """Checks that JSON can represent a value: no NaN, no bytes, no number that JavaScript would round."""
    if value is None or isinstance(value, (bool, str)):
        if isinstance(value, str):
            try:
                value.encode("utf-8")
            except UnicodeEncodeError:
                raise NotLiteral from None
        return value
    if isinstance(value, int) and abs(value) < 2**53:
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, list):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {plain(key): plain(one) for key, one in value.items()}
    raise NotLiteral
