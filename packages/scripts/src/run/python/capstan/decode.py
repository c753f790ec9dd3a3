"""Converts arguments to the annotated types: JSON has no dates, sets or classes."""

import base64
import collections.abc
import dataclasses
import datetime
import decimal
import enum
import pathlib
import types
import typing
import uuid

UNIONS = (typing.Union, getattr(types, "UnionType", typing.Union))
SETS = (set, collections.abc.Set, collections.abc.MutableSet)
READ = {
    datetime.datetime: lambda text: datetime.datetime.fromisoformat(text.replace("Z", "+00:00")),
    datetime.date: datetime.date.fromisoformat,
    datetime.time: datetime.time.fromisoformat,
    bytes: base64.b64decode,
    bytearray: lambda text: bytearray(base64.b64decode(text)),
    uuid.UUID: uuid.UUID,
    pathlib.Path: pathlib.Path,
    pathlib.PurePath: pathlib.PurePath,
}


def decode_arguments(function, given: dict) -> dict:
    try:
        hints = typing.get_type_hints(function)
    except Exception:
        # An annotation with an undefined name: the function gets the JSON value.
        return given
    return {name: decode(value, hints[name]) if name in hints else value for name, value in given.items()}


def decode(value, hint):
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is None:
        return decode_plain(value, hint)
    if origin in UNIONS:
        return decode_union(value, inner)
    if isinstance(value, list):
        if origin is tuple:
            hints = [inner[0]] * len(value) if inner[-1:] == (Ellipsis,) else inner
            return tuple(decode(one, of) for one, of in zip(value, hints))
        items = [decode(one, inner[0]) for one in value] if inner else value
        return set(items) if origin in SETS else frozenset(items) if origin is frozenset else items
    if isinstance(value, dict) and len(inner) == 2:
        return {decode_key(key, inner[0]): decode(one, inner[1]) for key, one in value.items()}
    return value


def decode_union(value, options):
    if value is None and type(None) in options:
        return None
    for option in options:
        try:
            decoded = decode(value, option)
        except (ValueError, TypeError, KeyError):
            continue
        if fits(decoded, option):
            return decoded
    return value


def fits(value, hint) -> bool:
    kind = typing.get_origin(hint) or hint
    try:
        return isinstance(value, kind)
    except TypeError:
        return True


def decode_plain(value, hint):
    if hint is decimal.Decimal and isinstance(value, (int, float, str)):
        return decimal.Decimal(str(value))
    if hint is float and type(value) is int:
        return float(value)
    if isinstance(value, (int, float)) and hint is datetime.timedelta:
        return datetime.timedelta(seconds=value)
    if isinstance(value, str) and hint in READ:
        return READ[hint](value)
    if not isinstance(hint, type):
        return value
    if issubclass(hint, enum.Enum):
        return hint(value)
    if isinstance(value, list) and hint in (set, frozenset, tuple):
        return hint(value)
    if isinstance(value, dict):
        return decode_fields(value, hint)
    return value


def decode_fields(value: dict, hint):
    if hasattr(hint, "model_validate"):  # pydantic
        return hint.model_validate(value)
    if hint is dict or typing.get_type_hints(hint) == {}:
        return value
    hints = typing.get_type_hints(hint)
    fields = {name: decode(one, hints[name]) if name in hints else one for name, one in value.items()}
    return hint(**fields) if dataclasses.is_dataclass(hint) or hasattr(hint, "_fields") else fields


def decode_key(key: str, hint):
    return int(key) if hint is int else decode(key, hint)
