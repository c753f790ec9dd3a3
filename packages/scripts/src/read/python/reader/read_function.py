"""Converts a function to a tool."""

from __future__ import annotations

import ast
from typing import Any

from annotations import Annotations, union
from classes import with_default
from docstring import Docstring, read_docstring
from scope import Scope

NONE = ast.Constant(value=None)


def read_function(node: Any, scope: Scope) -> dict:
    doc = read_docstring(ast.get_docstring(node))
    reader = FunctionReader(node, scope, doc)
    parameters = reader.parameters()
    return {
        "name": node.name,
        "line": node.lineno,
        "description": doc.description,
        "parameters": parameters,
        "returns": reader.returns(),
        "raises": doc.raises,
        "wantsContext": reader.wants_context,
    }


class FunctionReader:
    def __init__(self, node: Any, scope: Scope, doc: Docstring) -> None:
        self.node = node
        self.scope = scope
        self.doc = doc
        self.annotations = Annotations(scope)
        self.wants_context = False

    def parameters(self) -> dict:
        arguments = self.node.args
        positional = [*arguments.posonlyargs, *arguments.args]
        missing = [None] * (len(positional) - len(arguments.defaults))
        pairs = list(zip(positional, [*missing, *arguments.defaults]))
        pairs += zip(arguments.kwonlyargs, arguments.kw_defaults)
        properties: dict = {}
        required: list = []
        for parameter, default in pairs:
            if parameter.arg == "context":
                self.wants_context = True
                continue
            properties[parameter.arg] = self.parameter(parameter, default)
            if default is None:
                required.append(parameter.arg)
        self.warn_of_unknown(properties)
        schema: dict = {"type": "object", "properties": properties}
        if required:
            schema["required"] = required
        schema["additionalProperties"] = self.others()
        if self.annotations.classes.definitions:
            schema["$defs"] = self.annotations.classes.definitions
        return schema

    def parameter(self, parameter: ast.arg, default: Any) -> dict:
        schema = self.type_of(parameter)
        if default is not None:
            if isinstance(default, ast.Constant) and default.value is None and schema and not takes_null(schema):
                # `limit: int = None` allows None.
                schema = union([schema, {"type": "null"}])
            schema = with_default(schema, default, self.scope)
        text = self.doc.parameters.get(parameter.arg)
        return {**schema, "description": text} if text else schema

    def type_of(self, parameter: ast.arg) -> dict:
        if parameter.annotation is not None:
            return self.annotations.schema(parameter.annotation)
        written = self.doc.types.get(parameter.arg)
        return self.documented(written) if written else {}

    def documented(self, written: str) -> dict:
        """Converts a type in the docstring: `int`, `list of str`, `{'a', 'b'}, optional`."""
        text = written.split(", optional")[0].split(", default")[0].removesuffix(" or None").strip()
        words = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "array": "list", "object": "dict"}
        text = words.get(text.lower(), text)
        inner, of, items = text.partition(" of ")
        if of and inner.strip().lower() in ("list", "array", "set", "tuple"):
            text = f"list[{words.get(items.strip().lower(), items.strip())}]"
        try:
            node = ast.parse(text, mode="eval").body
        except (SyntaxError, ValueError):
            return {}
        if isinstance(node, ast.Set):
            node = ast.Subscript(value=ast.Name(id="Literal"), slice=ast.Tuple(elts=node.elts))
        # Unknown text is prose and no error.
        before = len(self.scope.problems)
        schema = self.annotations.schema(node)
        del self.scope.problems[before:]
        return schema

    def others(self) -> Any:
        """Returns the schema of `**kwargs`, without which no other argument is allowed. `*args` is a warning, because it has no names."""
        rest, named = self.node.args.vararg, self.node.args.kwarg
        if rest is not None:
            self.scope.problem(rest, f"*{rest.arg} of {self.node.name} cannot be passed by name, so a model does not see it. Use a list instead.")
        if named is None:
            return False
        schema = self.annotations.schema(named.annotation) if named.annotation is not None else {}
        return schema or True

    def warn_of_unknown(self, properties: dict) -> None:
        rest = [one.arg for one in (self.node.args.vararg, self.node.args.kwarg) if one is not None]
        known = [*properties, *rest, "context", "self"]
        for name in self.doc.parameters:
            if name not in known and self.node.args.kwarg is None:
                self.scope.problem(self.node, f"The docstring of {self.node.name} describes {name}, which is not one of its parameters.")

    def returns(self) -> Any:
        said = self.doc.returns
        annotation = self.node.returns
        if annotation is not None and not (isinstance(annotation, ast.Constant) and annotation.value is None):
            shown = annotation.value if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str) else ast.unparse(annotation)
            return {**said, "type": shown}
        if said.get("type"):
            return said
        return {"type": "any", **said} if said else None


def takes_null(schema: dict) -> bool:
    kind = schema.get("type")
    if kind == "null" or (isinstance(kind, list) and "null" in kind):
        return True
    return any(takes_null(one) for one in schema.get("anyOf", []))
