"""Converts annotations to JSON Schema."""

from __future__ import annotations

import ast
from typing import Any

from classes import ClassSchemas
from constraints import constrain, with_keywords
from literals import NotLiteral, literal
from scope import Scope

SIMPLE: dict = {
    "str": {"type": "string"}, "Text": {"type": "string"}, "LiteralString": {"type": "string"},
    "AnyStr": {"type": "string"}, "SecretStr": {"type": "string"},
    "Path": {"type": "string"}, "PurePath": {"type": "string"}, "PosixPath": {"type": "string"},
    "WindowsPath": {"type": "string"}, "PathLike": {"type": "string"},
    "FilePath": {"type": "string"}, "DirectoryPath": {"type": "string"},
    "int": {"type": "integer"}, "float": {"type": "number"}, "bool": {"type": "boolean"},
    "StrictStr": {"type": "string"}, "StrictInt": {"type": "integer"},
    "StrictFloat": {"type": "number"}, "StrictBool": {"type": "boolean"},
    "PositiveInt": {"type": "integer", "exclusiveMinimum": 0},
    "NonNegativeInt": {"type": "integer", "minimum": 0},
    "NegativeInt": {"type": "integer", "exclusiveMaximum": 0},
    "PositiveFloat": {"type": "number", "exclusiveMinimum": 0},
    "NonNegativeFloat": {"type": "number", "minimum": 0},
    "Number": {"type": "number"}, "Real": {"type": "number"}, "Integral": {"type": "integer"},
    "Decimal": {"type": ["number", "string"]},
    "bytes": {"type": "string", "contentEncoding": "base64"},
    "bytearray": {"type": "string", "contentEncoding": "base64"},
    "datetime": {"type": "string", "format": "date-time"}, "date": {"type": "string", "format": "date"},
    "time": {"type": "string", "format": "time"}, "timedelta": {"type": "string", "format": "duration"},
    "UUID": {"type": "string", "format": "uuid"}, "UUID4": {"type": "string", "format": "uuid"},
    "EmailStr": {"type": "string", "format": "email"},
    "AnyUrl": {"type": "string", "format": "uri"}, "HttpUrl": {"type": "string", "format": "uri"},
    "AnyHttpUrl": {"type": "string", "format": "uri"},
    "Pattern": {"type": "string", "format": "regex"},
    "None": {"type": "null"}, "NoneType": {"type": "null"}, "Any": {}, "object": {}, "Json": {},
}  # fmt: skip
LISTS = {
    "list", "List", "Sequence", "MutableSequence", "Iterable", "Iterator", "Collection", "Container",
    "deque", "Deque", "Generator",
}  # fmt: skip
SETS = {"set", "Set", "frozenset", "FrozenSet", "AbstractSet", "MutableSet"}
MAPPINGS = {
    "dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "DefaultDict", "OrderedDict",
    "Counter", "ChainMap",
}  # fmt: skip
# Wrappers that do not change the type of a value.
TRANSPARENT = {"Final", "ClassVar", "Required", "NotRequired", "ReadOnly", "InitVar", "Awaitable", "Coroutine"}


class Annotations:
    """Converts the annotations of one tool; recursive classes become `$defs`."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.classes = ClassSchemas(scope, self)
        self.depth = 0

    def schema(self, node: ast.AST) -> dict:
        self.depth += 1
        try:
            if self.depth > 60:
                return self.unknown(node, "is circular")
            return self.read(node)
        finally:
            self.depth -= 1

    def read(self, node: ast.AST) -> dict:
        if isinstance(node, ast.Constant):
            if node.value is None:
                return {"type": "null"}
            if isinstance(node.value, str):
                return self.text(node)
            return {} if node.value is Ellipsis else self.unknown(node)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return union([self.schema(node.left), self.schema(node.right)])
        if isinstance(node, ast.Subscript):
            return self.subscript(node)
        if isinstance(node, ast.Call):
            return self.call(node)
        if isinstance(node, (ast.Name, ast.Attribute)):
            return self.name(node)
        return self.unknown(node)

    def text(self, node: ast.Constant) -> dict:
        try:
            inner = ast.parse(node.value.strip(), mode="eval").body
        except (SyntaxError, ValueError):
            return self.unknown(node)
        for one in ast.walk(inner):
            ast.copy_location(one, node)
        return self.schema(inner)

    def name(self, node: ast.AST) -> dict:
        local = node.id if isinstance(node, ast.Name) else None
        if local in self.scope.classes:
            return self.classes.schema(self.scope.classes[local])
        if local in self.scope.constants:
            return self.schema(self.scope.constants[local])
        known = self.scope.known_as(node)
        if known in SIMPLE:
            return dict(SIMPLE[known])
        if known in LISTS:
            return {"type": "array"}
        if known in SETS:
            return {"type": "array", "uniqueItems": True}
        if known in ("tuple", "Tuple"):
            return {"type": "array"}
        if known in MAPPINGS:
            return {"type": "object"}
        return self.unknown(node)

    def subscript(self, node: ast.Subscript) -> dict:
        known = self.scope.known_as(node.value)
        inner = node.slice
        if isinstance(inner, getattr(ast, "Index", ())):
            inner = inner.value  # type: ignore[attr-defined]
        parts = list(inner.elts) if isinstance(inner, ast.Tuple) else [inner]
        if known == "Optional":
            return union([self.schema(parts[0]), {"type": "null"}])
        if known == "Union":
            return union([self.schema(part) for part in parts])
        if known == "Literal":
            return self.literal(node, parts)
        if known == "Annotated" and parts:
            return self.annotated(parts)
        if known in TRANSPARENT and parts:
            return self.schema(parts[-1])
        if known in LISTS:
            return {"type": "array", **self.items(parts[0])}
        if known in SETS:
            return {"type": "array", **self.items(parts[0]), "uniqueItems": True}
        if known in ("tuple", "Tuple"):
            return self.tuple(parts)
        if known in MAPPINGS:
            return self.mapping(known, parts)
        return self.name(node.value)

    def items(self, node: ast.AST) -> dict:
        items = self.schema(node)
        return {"items": items} if items else {}

    def tuple(self, parts: list) -> dict:
        if len(parts) == 2 and isinstance(parts[1], ast.Constant) and parts[1].value is Ellipsis:
            return {"type": "array", **self.items(parts[0])}
        schemas = [self.schema(part) for part in parts]
        size = {"minItems": len(parts), "maxItems": len(parts)}
        if schemas and all(one == schemas[0] for one in schemas):
            return {"type": "array", "items": schemas[0], **size}
        return {"type": "array", **({"prefixItems": schemas} if schemas else {}), **size}

    def mapping(self, known: str, parts: list) -> dict:
        if known == "Counter":
            return {"type": "object", "additionalProperties": {"type": "integer"}}
        schema: dict = {"type": "object"}
        keys = self.schema(parts[0])
        if "enum" in keys:
            schema["propertyNames"] = {"enum": keys["enum"]}
        values = self.schema(parts[1]) if len(parts) > 1 else {}
        if values:
            schema["additionalProperties"] = values
        return schema

    def literal(self, node: ast.AST, parts: list) -> dict:
        try:
            return enumeration([literal(part, self.scope) for part in parts])
        except NotLiteral:
            return self.unknown(node, "has a value that is known only when the file runs")

    def annotated(self, parts: list) -> dict:
        schema = self.schema(parts[0])
        for one in parts[1:]:
            schema = constrain(schema, one, self.scope)
        return schema

    def call(self, node: ast.Call) -> dict:
        """`conint(ge=1)`, `NewType("Id", str)`, `TypeVar("T", bound=int)`, `TypedDict("T", {...})`."""
        known = self.scope.known_as(node.func)
        base = {"conint": "integer", "confloat": "number", "constr": "string", "conlist": "array"}.get(known)
        if base:
            items = self.items(node.args[0]) if known == "conlist" and node.args else {}
            return with_keywords({"type": base, **items}, node, self.scope)
        if known == "NewType" and len(node.args) == 2:
            return self.schema(node.args[1])
        if known == "TypedDict" and len(node.args) == 2 and isinstance(node.args[1], ast.Dict):
            return self.classes.functional_typed_dict(node)
        if known == "TypeVar":
            bound = [one.value for one in node.keywords if one.arg == "bound"]
            return union([self.schema(one) for one in (bound or node.args[1:])]) if bound or node.args[1:] else {}
        return self.unknown(node)

    def unknown(self, node: ast.AST, why: str = "is unknown") -> dict:
        try:
            shown = ast.unparse(node)
        except RecursionError:
            shown = "an annotation"
        self.scope.problem(node, f"The type {shown} {why}: any value is accepted.")
        return {}


def enumeration(values: list) -> dict:
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null"}
    types = list(dict.fromkeys(kinds.get(type(value)) for value in values))
    unique = [value for at, value in enumerate(values) if not any(same(value, one) for one in values[:at])]
    if None in types or not types:
        return {"enum": unique}
    return {"type": types[0] if len(types) == 1 else types, "enum": unique}


def same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and one == other


def union(schemas: list) -> dict:
    """Returns a schema for any of these: a list of types if they have no other keywords, otherwise `anyOf`."""
    flat: list = []
    for schema in schemas:
        for one in schema["anyOf"] if list(schema) == ["anyOf"] else [schema]:
            if one not in flat:
                flat.append(one)
    if any(one == {} for one in flat):
        return {}
    if len(flat) == 1:
        return flat[0]
    types = [one.get("type") for one in flat]
    # Keywords of strings and numbers do not apply to other types; `enum` and `const` do.
    rich = [one for one in flat if set(one) != {"type"}]
    if len(rich) <= 1 and all(types) and not any(set(one) & {"enum", "const", "format", "contentEncoding"} for one in rich):
        merged: list = []
        for one in types:
            merged.extend(name for name in (one if isinstance(one, list) else [one]) if name not in merged)
        return {**(rich[0] if rich else {}), "type": merged}
    return {"anyOf": flat}
