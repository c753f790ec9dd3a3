"""Messages on a descriptor: four bytes of length, big-endian, then JSON."""

import json
import os
import struct


def write(descriptor: int, message: object) -> None:
    data = json.dumps(message, allow_nan=False, separators=(",", ":")).encode("ascii")
    view = memoryview(struct.pack(">I", len(data)) + data)
    while view:
        view = view[os.write(descriptor, view):]


def read(descriptor: int):
    """Returns the next message, or None at the end."""
    head = exactly(descriptor, 4)
    return None if head is None else json.loads(exactly(descriptor, struct.unpack(">I", head)[0]))


def exactly(descriptor: int, count: int):
    data = bytearray()
    while len(data) < count:
        chunk = os.read(descriptor, min(count - len(data), 1 << 20))
        if not chunk:
            return None
        data += chunk
    return bytes(data)
