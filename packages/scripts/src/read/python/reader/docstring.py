"""Reads docstrings in Google's, NumPy's and reStructuredText's styles, or in a mix of them."""

from __future__ import annotations

import inspect
import re

PARAMETERS = {
    "args", "arguments", "params", "parameters", "keyword args", "keyword arguments",
    "other parameters", "attributes", "fields",
}
RETURNS = {"return", "returns", "yield", "yields"}
RAISES = {"raise", "raises", "except", "exceptions"}

GOOGLE_HEADER = re.compile(r"^([A-Z][A-Za-z ]+):[ \t]*(.*)$")
GOOGLE_ENTRY = re.compile(r"^\*{0,2}([^\W\d][\w.]*)\s*(?:\((.*?)\))?\s*:(?:\s+(.*))?$")
NUMPY_ENTRY = re.compile(r"^(\*{0,2}[^\W\d]\w*(?:\s*,\s*\*{0,2}[^\W\d]\w*)*)\s*(?::\s*(.*))?$")
REST_FIELD = re.compile(r"^:(\w+)(?:\s+([^:]*?))?:(?:\s+(.*))?$")
REST_PARAMETER = {"param", "parameter", "arg", "argument", "key", "keyword"}


class Docstring:
    def __init__(self) -> None:
        self.description = ""
        self.parameters: dict = {}  # name -> text
        self.types: dict = {}  # name -> type, as written
        self.returns: dict = {}  # type?, note?
        self.raises: list = []  # {type, note?}


def read_docstring(text: str | None) -> Docstring:
    doc = Docstring()
    lines = inspect.cleandoc(text or "").splitlines()
    prose: list = []
    at = 0
    while at < len(lines):
        taken = take_numpy(doc, lines, at) or take_google(doc, lines, at) or take_rest(doc, lines, at)
        if not taken:
            prose.append(lines[at].rstrip())
        at += taken or 1
    doc.description = re.sub(r"\n{3,}", "\n\n", "\n".join(prose)).strip()
    return doc


def take_google(doc: Docstring, lines: list, at: int) -> int:
    header = GOOGLE_HEADER.match(lines[at])
    kind = header and section_kind(header.group(1))
    if not kind:
        return 0
    body, length = indented(lines, at + 1)
    rest = header.group(2)
    if kind == "parameters":
        if rest or not body:
            return 0
        for head, note in entries(body):
            entry = GOOGLE_ENTRY.match(head)
            if entry:
                add_parameter(doc, entry.group(1), entry.group(2), join(entry.group(3), note))
    elif kind == "raises":
        if rest:
            return 0
        for head, note in entries(body):
            name, _, first = head.partition(":")
            add_raise(doc, name, join(first, note))
    else:
        add_return(doc, "\n".join([rest, *body] if rest else body))
    return 1 + length


def take_numpy(doc: Docstring, lines: list, at: int) -> int:
    if at + 1 >= len(lines) or not re.match(r"^-{3,}\s*$", lines[at + 1]):
        return 0
    kind = section_kind(lines[at].strip())
    if not kind:
        return 0
    end = at + 2
    while end < len(lines) and not (end + 1 < len(lines) and re.match(r"^-{3,}\s*$", lines[end + 1])):
        end += 1
    for head, note in entries(lines[at + 2 : end]):
        entry = NUMPY_ENTRY.match(head)
        if kind == "parameters":
            for name in entry.group(1).split(",") if entry else []:
                add_parameter(doc, name.strip(), entry.group(2), note)
        elif kind == "raises":
            add_raise(doc, head, note)
        else:
            # `name : type`, or only the type.
            written = entry.group(2) if entry and entry.group(2) else head
            doc.returns = with_note(doc.returns.get("type") or written, note)
    return end - at


def take_rest(doc: Docstring, lines: list, at: int) -> int:
    field = REST_FIELD.match(lines[at])
    if not field:
        return 0
    name, argument, first = field.group(1).lower(), field.group(2) or "", field.group(3)
    body, length = indented(lines, at + 1)
    note = join(first, "\n".join(body))
    if name in REST_PARAMETER and argument:
        *written, parameter = argument.split()
        add_parameter(doc, parameter, " ".join(written), note)
    elif name == "type" and argument:
        doc.types[argument.strip().lstrip("*")] = note
    elif name in ("return", "returns", "yield", "yields"):
        doc.returns = with_note(doc.returns.get("type"), note)
    elif name in ("rtype", "ytype"):
        doc.returns = with_note(note, doc.returns.get("note"))
    elif name in RAISES and argument:
        add_raise(doc, argument, note)
    else:
        return 0
    return 1 + length


def section_kind(title: str) -> str | None:
    title = title.strip().lower()
    if title in PARAMETERS:
        return "parameters"
    if title in RETURNS:
        return "returns"
    return "raises" if title in RAISES else None


def indented(lines: list, start: int) -> tuple:
    """Returns the indented lines from `start`, without their indent, and their number."""
    end = start
    while end < len(lines) and (not lines[end].strip() or lines[end][0] in " \t"):
        end += 1
    # Trailing blank lines belong to the following text.
    while end > start and not lines[end - 1].strip():
        end -= 1
    return inspect.cleandoc("\n".join(["", *lines[start:end]])).splitlines(), end - start


def entries(body: list) -> list:
    """Returns pairs of an unindented line and the text below it."""
    found: list = []
    for line in body:
        if line.strip() and line[0] not in " \t":
            found.append((line.strip(), []))
        elif found:
            found[-1][1].append(line.strip())
    return [(head, "\n".join(note).strip()) for head, note in found]


def join(first: str | None, rest: str) -> str:
    return "\n".join(part for part in ((first or "").strip(), rest.strip()) if part)


def add_parameter(doc: Docstring, name: str, written: str | None, note: str) -> None:
    name = name.lstrip("*")
    doc.parameters[name] = note
    if written and written.strip():
        doc.types[name] = written.strip()


def add_raise(doc: Docstring, name: str, note: str) -> None:
    if name.strip():
        doc.raises.append(with_note(name.strip(), note))


def add_return(doc: Docstring, text: str) -> None:
    text = text.strip()
    # `dict: what it holds`, but not `Note: what it holds` within prose.
    typed = re.match(r"^([^\s:]+(?:\[[^\]]*\])*(?:\s*\|\s*[^\s:|]+)*)\s*:\s+(.*)$", text, re.S)
    doc.returns = with_note(typed.group(1), typed.group(2)) if typed else with_note(None, text)


def with_note(written: str | None, note: str | None) -> dict:
    pairs = (("type", written), ("note", note))
    return {key: value.strip() for key, value in pairs if value and value.strip()}
