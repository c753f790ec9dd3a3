#!/usr/bin/python3 -I
"""A replacement for pwsh that uses the protocol of worker.ps1 and ignores the script."""

import base64
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
elif name == "Get-Context":
    about = request["about"]
    send(3, {"type": "write", "text": "written"})
    send(3, {"type": "event", "name": "web_search.searching", "data": {"query": "q"}})
    send(3, {"type": "cite", "annotation": {"type": "url_citation", "url": "https://a.example/"}})
    texts, asked = [], 0
    for index in range(len(about["files"])):
        text, restart = b"", True
        while True:
            asked += 1
            send(3, {"type": "ask", "id": asked, "what": "file", "index": index, "restart": restart})
            piece = receive(3)["value"]
            if piece is None:
                break
            text, restart = text + base64.b64decode(piece["base64"]), False
        texts.append([about["files"][index]["name"], text.decode()])
    seen = {"user": about["user"], "request": about["request"], "tool": about["tool"], "files": texts}
    send(3, {"type": "result", "value": seen})
elif name == "Use-Workspace":
    send(3, {"type": "ask", "id": 1, "what": "workspace"})
    exec(request["arguments"]["code"], {"workspace": receive(3)["value"]})
    send(3, {"type": "result", "value": None})
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
