#!/usr/bin/python3 -I
"""A replacement for pwsh that uses the protocol of worker.ps1 and ignores the script."""

import json
import os
import struct
import sys


def send(descriptor, message):
    data = json.dumps(message).encode()
    os.write(descriptor, struct.pack(">I", len(data)) + data)


def receive(descriptor):
    return json.loads(os.read(descriptor, struct.unpack(">I", os.read(descriptor, 4))[0]))


flags, last = sys.argv[1:-1], sys.argv[-1]
if "-Command" in flags:
    print("7.5.0", os.path.dirname(os.path.realpath(__file__)), "/usr/lib/dotnet/", sep="\n")
    sys.exit(0)
worker, script, mark, alone = flags[flags.index("-File") + 1 :] + [last]
options = flags[: flags.index("-File")]
end = b"\0" + mark.encode() + b"\0"
if "does not load" in open(script).read():
    os.write(1, end)
    send(4, {"type": "failed", "error": {"type": "ParseException", "message": "Unexpected token.", "traceback": "at line 1"}})
    sys.exit(1)
os.write(1, b"loaded\n" + end)
send(4, {"type": "ready"})
request = receive(5)
name = request["function"]
if name == "Get-Echo":
    os.write(1, b"said\n")
    send(3, {"type": "progress", "message": "half", "done": 50, "total": 100})
    seen = {"options": options, "worker": os.path.exists(worker), "stdin": os.read(0, 1).decode(), "alone": alone}
    send(3, {"type": "result", "value": {**seen, **request}, "text": "as text"})
elif name == "Get-Answer":
    send(3, {"type": "ask", "id": 1, "what": "call_tool", "name": "x.Y", "arguments": {"n": 1}})
    send(3, {"type": "result", "value": receive(3)})
elif name == "Get-Failure":
    described = {"type": "RuntimeException", "message": "There is no boat Bo.", "traceback": "the whole", "file": "boats.ps1", "line": 3}
    send(3, {"type": "error", "error": described})
elif name == "Get-Nothing":
    os._exit(3)
elif name == "Get-Loop":
    while True:
        pass
os.write(1, end)
send(3, {"type": "over"})
send(4, {"type": "ended", "clean": False})
