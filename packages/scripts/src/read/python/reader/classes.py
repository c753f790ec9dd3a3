"""Converts data classes to JSON Schema: enums, dataclasses, TypedDicts, NamedTuples, pydantic models."""

from __future__ import annotations

import ast
from typing import Any

from constraints import with_keywords
from docstring import read_docstring
from literals import NotLiteral, literal
from scope import is_enum


class ClassSchemas:
    def __init__(self, scope: Any, annotations: Any) -> None:
        self.scope = scope
        self.annotations = annotations
        self.open: list = []  # the names of the classes that are being converted
        self.definitions: dict = {}  # schemas of recursive classes

    def schema(self, found: ast.ClassDef) -> dict:
        if found.name in self.definitions:
            return {"$ref": f"#/$defs/{found.name}"}
        if found.name in self.open:
            self.definitions[found.name] = {}
            return {"$ref": f"#/$defs/{found.name}"}
        if is_enum(found, self.scope):
            return self.enum(found)
        kind = self.kind(found, [])
        if kind is None:
            base = next((one for one in found.bases if self.scope.known_as(one) in ("str", "int", "float")), None)
            if base is not None:
                return self.annotations.schema(base)
            return self.annotations.unknown(ast.copy_location(ast.Name(id=found.name), found), "is a class without fields to read")
        self.open.append(found.name)
        made = self.fields(found, kind)
        self.open.pop()
        if found.name not in self.definitions:
            return made
        self.definitions[found.name] = made
        return {"$ref": f"#/$defs/{found.name}"}

    def kind(self, found: ast.ClassDef, seen: list) -> str | None:
        for decorator in found.decorator_list:
            name = self.scope.known_as(decorator.func if isinstance(decorator, ast.Call) else decorator)
            if name == "dataclass":
                return "dataclass"
        for base in found.bases:
            base = base.value if isinstance(base, ast.Subscript) else base
            name = self.scope.known_as(base)
            if name in ("TypedDict", "NamedTuple", "BaseModel"):
                return name
            local = self.scope.classes.get(name)
            if local is not None and local.name not in seen:
                inherited = self.kind(local, [*seen, found.name])
                if inherited:
                    return inherited
        return None

    def enum(self, found: ast.ClassDef) -> dict:
        from annotations import enumeration

        members = self.scope.enum_members(found.name)
        if not members:
            return self.annotations.unknown(ast.copy_location(ast.Name(id=found.name), found), "has members that are known only when the file runs")
        return with_description(enumeration(list(members.values())), ast.get_docstring(found))

    def fields(self, found: ast.ClassDef, kind: str) -> dict:
        properties: dict = {}
        required: list = []
        for owner in self.lineage(found, []):
            total = keyword(owner.keywords, "total")
            doc = read_docstring(ast.get_docstring(owner))
            for statement in owner.body:
                if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                    self.field(statement, kind, total is not False, doc, properties, required)
        schema: dict = {"type": "object"}
        if properties:
            schema["properties"] = properties
        if required:
            schema["required"] = required
        if kind != "BaseModel" or self.forbids_extra(found):
            schema["additionalProperties"] = False
        doc = read_docstring(ast.get_docstring(found))
        return with_description(schema, doc.description)

    def lineage(self, found: ast.ClassDef, seen: list) -> list:
        """Returns the base classes of this module, followed by the class itself."""
        chain: list = []
        for base in reversed(found.bases):
            local = self.scope.classes.get(self.scope.known_as(base))
            if local is not None and local.name not in seen:
                chain.extend(one for one in self.lineage(local, [*seen, found.name]) if one not in chain)
        return [*chain, found]

    def field(self, statement: Any, kind: str, total: bool, doc: Any, properties: dict, required: list) -> None:
        name, annotation, default = statement.target.id, statement.annotation, statement.value
        outer = self.scope.known_as(annotation.value) if isinstance(annotation, ast.Subscript) else self.scope.known_as(annotation)
        if outer == "ClassVar" or name == "model_config" or (kind == "BaseModel" and name.startswith("_")):
            return
        if outer == "KW_ONLY":
            return
        schema = self.annotations.schema(annotation)
        shown = name
        has_default = default is not None
        if isinstance(default, ast.Call) and self.scope.known_as(default.func) in ("Field", "field"):
            schema = with_keywords(schema, default, self.scope)
            alias = keyword(default.keywords, "alias")
            shown = alias if isinstance(alias, str) else name
            given = {one.arg: one.value for one in default.keywords}
            has_default = "default" in given or "default_factory" in given or bool(default.args)
            default = given.get("default", default.args[0] if default.args else None)
            init = keyword(statement.value.keywords, "init")
            if init is False:
                return
        if isinstance(default, ast.Constant) and default.value is Ellipsis:
            has_default, default = False, None
        if default is not None:
            schema = with_default(schema, default, self.scope)
        if doc.parameters.get(name) and "description" not in schema:
            schema = {**schema, "description": doc.parameters[name]}
        properties[shown] = schema
        if kind == "TypedDict":
            has_default = outer == "NotRequired" or (not total and outer != "Required")
        if shown in required:
            required.remove(shown)
        if not has_default:
            required.append(shown)

    def forbids_extra(self, found: ast.ClassDef) -> bool:
        for statement in found.body:
            value = getattr(statement, "value", None)
            if isinstance(statement, ast.Assign) and isinstance(value, ast.Call):
                if keyword(value.keywords, "extra") == "forbid":
                    return True
        return False

    def functional_typed_dict(self, node: ast.Call) -> dict:
        pairs = zip(node.args[1].keys, node.args[1].values)  # type: ignore[attr-defined]
        properties = {key.value: self.annotations.schema(value) for key, value in pairs if isinstance(key, ast.Constant) and isinstance(key.value, str)}
        required = [] if keyword(node.keywords, "total") is False else list(properties)
        return {"type": "object", "properties": properties, **({"required": required} if required else {}), "additionalProperties": False}


def keyword(keywords: list, name: str) -> Any:
    """Returns the constant value of a keyword argument, or None."""
    return next((one.value.value for one in keywords if one.arg == name and isinstance(one.value, ast.Constant)), None)


def with_default(schema: dict, node: ast.AST, scope: Any) -> dict:
    try:
        return {**schema, "default": literal(node, scope)}
    except NotLiteral:
        return schema


def with_description(schema: dict, text: str | None) -> dict:
    return {**schema, "description": text} if text else schema
