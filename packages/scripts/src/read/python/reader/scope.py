"""The top-level names of a module and their values."""

from __future__ import annotations

import ast
from typing import Any, Iterator

from literals import NotLiteral, plain, value_of

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Scope:
    def __init__(self, tree: ast.Module) -> None:
        self.functions: dict = {}
        self.classes: dict = {}
        self.constants: dict = {}  # name -> expression
        self.imports: dict = {}  # name here -> dotted name there
        self.attributes: list = []  # (name, attribute, expression): `name.attribute = expression`
        self.problems: list = []
        for statement in top_level(tree.body):
            self.add(statement)

    def add(self, statement: ast.stmt) -> None:
        if isinstance(statement, FUNCTIONS):
            self.functions[statement.name] = statement
        elif isinstance(statement, ast.ClassDef):
            self.classes[statement.name] = statement
        elif isinstance(statement, ast.Import):
            for one in statement.names:
                self.imports[one.asname or one.name.split(".")[0]] = one.name
        elif isinstance(statement, ast.ImportFrom):
            for one in statement.names:
                self.imports[one.asname or one.name] = f"{statement.module or ''}.{one.name}"
        elif isinstance(statement, ast.AnnAssign) and statement.value:
            self.assign(statement.target, statement.value)
        elif isinstance(statement, ast.Assign):
            for target in statement.targets:
                self.assign(target, statement.value)
        elif type(statement).__name__ == "TypeAlias":
            self.assign(statement.name, statement.value)  # type: ignore[attr-defined]

    def assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self.constants[target.id] = value
            # The name no longer refers to the function.
            self.functions.pop(target.id, None)
        elif isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
            self.attributes.append((target.value.id, target.attr, value))

    def problem(self, node: ast.AST, message: str, severity: str = "warning") -> None:
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1
        found = {"severity": severity, "message": message, "line": line, "column": column}
        if found not in self.problems:
            self.problems.append(found)

    def known_as(self, node: ast.AST) -> str:
        """Returns the last part of the original name of an imported name."""
        if isinstance(node, ast.Attribute):
            return node.attr
        if isinstance(node, ast.Name):
            return self.imports.get(node.id, node.id).rsplit(".", 1)[-1]
        return ""

    def is_from(self, node: ast.AST, module: str, name: str) -> bool:
        """Returns whether an expression is `name` of `module`."""
        if isinstance(node, ast.Name):
            return self.imports.get(node.id) == f"{module}.{name}"
        return (
            isinstance(node, ast.Attribute)
            and node.attr == name
            and isinstance(node.value, ast.Name)
            and self.imports.get(node.value.id) == module
        )

    def enum_members(self, name: str) -> dict:
        """Returns the names and values of an enum's members; empty if `name` is not a readable enum."""
        found = self.classes.get(name)
        if found is None or not is_enum(found, self):
            return {}
        members: dict = {}
        lower = any(self.known_as(base) == "StrEnum" for base in found.bases)
        count = 0
        for statement in found.body:
            if not isinstance(statement, ast.Assign):
                continue
            count += 1
            for target in statement.targets:
                if not isinstance(target, ast.Name) or target.id.startswith("_"):
                    continue
                if isinstance(statement.value, ast.Call) and self.known_as(statement.value.func) == "auto":
                    members[target.id] = target.id.lower() if lower else count
                    continue
                try:
                    members[target.id] = plain(value_of(statement.value, self, 40))
                except NotLiteral:
                    return {}
        return members


def is_enum(found: ast.ClassDef, scope: Scope) -> bool:
    return any(scope.known_as(base) in ("Enum", "IntEnum", "StrEnum") for base in found.bases)


def top_level(body: list) -> Iterator[Any]:
    """Yields the statements of a module, including those in `if` and `try`, but not in `if __name__ == "__main__"`."""
    for statement in body:
        if isinstance(statement, ast.If):
            if not names_main(statement.test):
                yield from top_level(statement.body)
            yield from top_level(statement.orelse)
        elif isinstance(statement, ast.Try):
            for part in (statement.body, *(one.body for one in statement.handlers), statement.orelse, statement.finalbody):
                yield from top_level(part)
        else:
            yield statement


def names_main(test: ast.expr) -> bool:
    return any(isinstance(node, ast.Name) and node.id == "__name__" for node in ast.walk(test))
