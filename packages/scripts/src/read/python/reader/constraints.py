"""Reads the constraints in `Annotated`, `Field` and similar metadata."""

from __future__ import annotations

import ast
from typing import Any

from literals import NotLiteral, literal

KEYWORDS = {
    "ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum",
    "multiple_of": "multipleOf", "pattern": "pattern", "regex": "pattern",
    "description": "description", "examples": "examples",
    "min_items": "minItems", "max_items": "maxItems",
}  # fmt: skip
SIZES = {"min_length": ("minLength", "minItems", "minProperties"), "max_length": ("maxLength", "maxItems", "maxProperties")}
# The package annotated_types: the keyword of each first argument.
POSITIONAL = {
    "Ge": ("ge",), "Gt": ("gt",), "Le": ("le",), "Lt": ("lt",), "MultipleOf": ("multiple_of",),
    "MinLen": ("min_length",), "MaxLen": ("max_length",), "Len": ("min_length", "max_length"),
    "Doc": ("description",), "doc": ("description",),
}  # fmt: skip
KEYWORD_ONLY = {"Field", "Query", "Body", "Meta", "StringConstraints", "Interval", "Parameter"}


def constrain(schema: dict, node: ast.AST, scope: Any) -> dict:
    """Returns a schema with the constraints of one piece of metadata; unknown metadata is ignored."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return {**schema, "description": node.value}
    if not isinstance(node, ast.Call):
        return schema
    known = scope.known_as(node.func)
    if known in POSITIONAL:
        for name, value in zip(POSITIONAL[known], node.args):
            schema = with_keyword(schema, name, value, scope)
        return with_keywords(schema, node, scope)
    return with_keywords(schema, node, scope) if known in KEYWORD_ONLY else schema


def with_keywords(schema: dict, node: ast.Call, scope: Any) -> dict:
    for one in node.keywords:
        if one.arg:
            schema = with_keyword(schema, one.arg, one.value, scope)
    return schema


def with_keyword(schema: dict, name: str, node: ast.AST, scope: Any) -> dict:
    if name not in KEYWORDS and name not in SIZES:
        return schema
    try:
        value = literal(node, scope)
    except NotLiteral:
        return schema
    if value is None:
        return schema
    return {**schema, (size_keyword(schema, name) if name in SIZES else KEYWORDS[name]): value}


def size_keyword(schema: dict, name: str) -> str:
    kind = schema.get("type")
    kinds = kind if isinstance(kind, list) else [kind]
    of_text, of_list, of_object = SIZES[name]
    if "array" in kinds:
        return of_list
    return of_object if "object" in kinds else of_text
