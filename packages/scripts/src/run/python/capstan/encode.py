"""Encodes a function's result as JSON without losing anything silently."""

import base64
import dataclasses
import datetime
import decimal
import enum
import fractions
import math
import os
import pathlib
import uuid

LARGEST = 2**53 - 1
DEEPEST = 200


def encode(value, depth: int = 0):
    """
    Returns plain JSON. Numbers that JSON or JavaScript cannot represent become text ("NaN", "9007199254740993"), dates are
    ISO 8601, bytes are {"base64": …}, sets and tuples are lists, and classes with fields are objects.
    """
    if value is None or value is True or value is False or type(value) is str:
        return value
    if depth > DEEPEST:
        raise ValueError(f"The result contains itself, or is more than {DEEPEST} levels deep.")
    if isinstance(value, enum.Enum):
        return encode(value.value, depth + 1)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int):
        return int(value) if -LARGEST <= value <= LARGEST else str(int(value))
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else text_of_float(value)
    if isinstance(value, dict):
        return {key_of(key): encode(one, depth + 1) for key, one in value.items()}
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"base64": base64.b64encode(value).decode("ascii")}
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, (decimal.Decimal, fractions.Fraction, uuid.UUID, os.PathLike, BaseException)):
        return str(value)
    if isinstance(value, complex):
        return str(value)
    return encode_object(value, depth)


def encode_object(value, depth: int):
    if hasattr(value, "_asdict"):  # a named tuple
        return encode(value._asdict(), depth + 1)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {one.name: encode(getattr(value, one.name), depth + 1) for one in dataclasses.fields(value)}
    for method in ("model_dump", "to_dict", "tolist", "item", "isoformat"):  # pydantic, pandas, numpy, dates
        found = getattr(value, method, None)
        if callable(found) and not isinstance(value, type):
            return encode(found(), depth + 1)
    if isinstance(value, (list, tuple, set, frozenset)) or hasattr(value, "__iter__"):
        return [encode(one, depth + 1) for one in value]
    raise TypeError(f"A {type(value).__name__} cannot be returned: return text, numbers, lists, dicts, or an object with fields.")


def text_of_float(value: float) -> str:
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def key_of(key) -> str:
    if isinstance(key, enum.Enum):
        return key_of(key.value)
    if key is None or isinstance(key, bool):
        return {None: "null", True: "true", False: "false"}[key]
    return key if type(key) is str else str(encode(key))


def parts_of(value):
    """Converts a path, or a list with paths, to content parts; otherwise returns None. Files are read here, because the host may not have them."""
    values = value if isinstance(value, (list, tuple)) else [value]
    if not any(isinstance(one, pathlib.PurePath) for one in values):
        return None
    return [part_of(one) for one in values]


def part_of(value) -> dict:
    if not isinstance(value, pathlib.PurePath):
        return {"type": "value", "value": encode(value)}
    import mimetypes

    with open(value, "rb") as file:
        data = base64.b64encode(file.read()).decode("ascii")
    mime = mimetypes.guess_type(value.name)[0] or "application/octet-stream"
    return {"type": "file", "name": value.name, "mimeType": mime, "base64": data}
