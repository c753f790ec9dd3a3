import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { CapstanError } from "@capstan/core";
import { findProgram } from "../process/launcher.ts";
import { noSandbox, outputOf, python, shell } from "../testing/run-program.ts";
import { bubblewrap } from "../confine/bubblewrap.ts";
import { findPythonInstallation } from "../process/python-installation.ts";

const skip = noSandbox || (existsSync("/usr/bin/python3") ? false : "no /usr/bin/python3");

/** Fetches an address through the proxy that its environment names, and prints the response. */
const fetching = `
import sys, urllib.request, urllib.error
def fetch(url, data=None):
    try:
        with urllib.request.urlopen(url, data, timeout=10) as answer: return answer.read().decode()
    except urllib.error.HTTPError as e: return f"{e.code} {e.read().decode().strip()}"
    except OSError as e: return str(e)
`;

describe("a confined program with the network", { skip }, () => {
  let server: Server;
  let port = 0;
  const asked: IncomingMessage[] = [];
  before(async () => {
    server = createServer((request, response) => {
      asked.push(request);
      void text(request).then((body) => response.end(`${request.method} ${request.url} ${body}`));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    port = (server.address() as AddressInfo).port;
  });
  after(() => server.close());

  // Contract: sandbox-14
  test("reaches no service of this machine, its network or its cloud, and gets the reason", async () => {
    const { out } = await python(
      `${fetching}
for host in ("127.0.0.1:${port}", "localhost:${port}", "[::1]:${port}", "10.0.0.1", "192.168.1.1", "169.254.169.254"):
    print(fetch(f"http://{host}/"))
print(fetch("https://127.0.0.1:${port}/"))`,
      { network: true },
    );
    const lines = out.trim().split("\n");
    assert.equal(lines.length, 7, out);
    for (const line of lines) assert.match(line, /403 .* is not on the public internet/);
    assert.match(lines[0] ?? "", /loopback.*"network": \["127\.0\.0\.1:\d+"\]/);
    assert.deepEqual(asked, []);
  });

  // Contract: sandbox-15
  test("cannot bypass the proxy: no other address answers, and no name is resolved", async () => {
    const { out } = await python(
      `import socket
for address in (("127.0.0.1", ${port}), ("8.8.8.8", 53), ("10.0.0.1", 80)):
    try: socket.create_connection(address, timeout=3); print("reached")
    except OSError as e: print(e.strerror)
try: socket.getaddrinfo("example.com", 80); print("reached")
except OSError as e: print("unknown")`,
      { network: true },
    );
    assert.deepEqual(out.trim().split("\n"), [
      "Connection refused",
      "Network is unreachable",
      "Network is unreachable",
      "unknown",
    ]);
  });

  // Contract: sandbox-16
  test("reaches only a named service, with complete data in both directions", async () => {
    const size = 3_000_000;
    const { out } = await python(
      `${fetching}
sent = fetch("http://127.0.0.1:${port}/a?b=c", b"x" * ${size})
print(sent[:30], len(sent))
print(fetch("http://127.0.0.1:${port + 1}/"))`,
      { network: [`127.0.0.1:${port}`] },
    );
    const [first, second] = out.trim().split("\n");
    assert.equal(first, `POST /a?b=c ${"x".repeat(18)} ${size + 12}`);
    assert.match(second ?? "", /403 127\.0\.0\.1 is not one of the allowed hosts/);
    const told = asked.at(-1)?.rawHeaders.map((header) => header.toLowerCase()) ?? [];
    assert.equal(told.includes("proxy-connection"), false);
  });

  // Contract: sandbox-18
  test("uses any protocol through a tunnel", async () => {
    const echo = createTcpServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket));
    await new Promise<void>((resolve) => echo.listen(0, "127.0.0.1", resolve));
    const { port: echoes } = echo.address() as AddressInfo;
    try {
      const { out } = await python(
        `import socket
s = socket.create_connection(("127.0.0.1", 3128))
s.sendall(b"CONNECT 127.0.0.1:${echoes} HTTP/1.1\\r\\n\\r\\n")
print(s.recv(99).split(b"\\r")[0])
s.sendall(b"hello" * 1000); s.shutdown(socket.SHUT_WR)
n = 0
while True:
    data = s.recv(9999)
    if not data: break
    n += len(data)
print(n)`,
        { network: [`127.0.0.1:${echoes}`] },
      );
      assert.deepEqual(out.trim().split("\n"), ["b'HTTP/1.1 200 Connection established'", "5000"]);
    } finally {
      echo.close();
    }
  });

  // Contract: sandbox-17
  test("gets errors for unknown hosts, and for requests that are not for a proxy", async () => {
    const sandbox = bubblewrap({
      path: findProgram("bwrap") ?? "",
      python: await findPythonInstallation("/usr/bin/python3"),
      resolve: (name) =>
        name === "inner.example"
          ? Promise.resolve([
              { address: "93.184.216.34", family: 4 },
              { address: "10.1.2.3", family: 4 },
            ])
          : Promise.reject(new Error("ENOTFOUND")),
    });
    const { out } = await outputOf(
      {
        command: "/usr/bin/python3",
        args: [
          "-c",
          `${fetching}\nprint(fetch("http://nowhere.example"))\nprint(fetch("http://inner.example"))\nprint(fetch("http://127.0.0.1:3128/x"))\nimport socket\ns = socket.create_connection(("127.0.0.1", 3128)); s.sendall(b"GET /x HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n"); print(s.recv(99).split(b"\\r")[0])`,
        ],
        network: true,
      },
      { sandbox },
    );
    const [nowhere, inner, itself, plain] = out.trim().split("\n");
    assert.equal(nowhere, "502 There is no host nowhere.example. Check the address.");
    assert.match(inner ?? "", /^403 inner\.example is not on the public internet \(private\)/);
    assert.match(itself ?? "", /^403 /);
    assert.match(plain ?? "", /400 This is a proxy/);
  });

  // Contract: sandbox-22
  test("ends when its command ends, together with all its processes", async () => {
    const network = true;
    assert.deepEqual((await shell("exit 7", { network })).end, { status: "exited", code: 7 });
    const stopped = await shell("echo begun; kill -TERM 1; kill -KILL 1; kill -9 $$", { network });
    assert.equal(stopped.out, "begun\n");
    assert.deepEqual(stopped.end, { status: "exited", code: 137 });
    const killed = await outputOf(
      { command: "/bin/sh", args: ["-c", "setsid sleep 1000 & sleep 1000"], network },
      { killAfterMs: 300 },
    );
    assert.equal(killed.end.status, "killed");
    const missing = await outputOf({ command: "/nowhere/at/all", args: [], network });
    assert.equal(missing.end.status, "exited");
  });

  // Contract: sandbox-22
  test("reads and writes its own descriptors as without a network", async () => {
    const { out } = await shell("ls /proc/self/fd; trap '' PIPE; yes | head -1", { network: true });
    assert.equal(out, "0\n1\n2\n3\ny\n");
  });
});

// Contract: sandbox-23
test("without Python, network access is refused with the remedy", { skip: noSandbox }, () => {
  const sandbox = bubblewrap({ path: findProgram("bwrap") ?? "" });
  assert.throws(
    () => sandbox.start({ command: "/bin/true", args: [], network: true }),
    (error) => CapstanError.isInstance(error) && error.code === "network_unavailable",
  );
});
