import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { makeTemporaryFolder } from "../process/temporary-folder.ts";
import { type ForwardProxy, openForwardProxy } from "./forward-proxy.ts";

describe("the proxy of a confined program", () => {
  const folder = makeTemporaryFolder();
  const path = join(folder, "proxy");
  let proxy: ForwardProxy;
  let named: Server;
  let other: Server;
  /** The response of the named service, and its last request. */
  let answer = "";
  let told = "";
  before(async () => {
    named = await listening(
      createServer((socket) =>
        socket
          .on("error", () => {})
          .on("data", (data) => {
            told = data.toString();
            socket.end(answer, "latin1");
          }),
      ),
    );
    other = await listening(createServer((socket) => socket.on("error", () => {}).end("other")));
    const access = [`127.0.0.1:${portOf(named)}`];
    proxy = openForwardProxy({ path, access, resolve: () => Promise.reject(new Error("no")) });
  });
  after(() => {
    proxy.close();
    for (const server of [named, other]) server.close();
    rmSync(folder, { recursive: true });
  });

  const asked = (head: string) => ask(path, head);
  const get = (headers: string) =>
    asked(`GET http://127.0.0.1:${portOf(named)}/ HTTP/1.1${headers}`);

  // Contract: sandbox-21
  test("an invalid HTTP response is reported to the program, and does not end the server", async () => {
    for (const first of ["000 x", "099 x", "200 a\u0001b"]) {
      answer = `HTTP/1.1 ${first}\r\ncontent-length: 0\r\n\r\n`;
      assert.match(await get("\r\nHost: a\r\nConnection: close"), /^HTTP\/1\.1 502 127\.0\.0\.1/);
    }
    answer = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n";
    assert.match(await get("\r\nHost: a\r\nConnection: close"), /^HTTP\/1\.1 502 127\.0\.0\.1/);
  });

  // Contract: sandbox-20
  test("the service gets the checked host and no headers for the proxy", async () => {
    answer = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
    await get(
      "\r\nHost: inner.example\r\nHost: b\r\nConnection: close, x-hop\r\nX-Hop: 1\r\nX-End: 2",
    );
    const headers = told.trim().toLowerCase().split("\r\n").slice(1).sort();
    const host = `host: 127.0.0.1:${portOf(named)}`;
    assert.deepEqual(headers, ["connection: close", host, "x-end: 2"]);
  });

  // Contract: sandbox-19
  test("the proxy connects to the checked port, however the target is written", async () => {
    const host = `127.0.0.1:${portOf(named)}`;
    for (const joint of ["/", "?", "/a@b", "#", "\\"]) {
      const said = await asked(`CONNECT ${host}${joint}:${portOf(other)} HTTP/1.1\r\nHost: a`);
      assert.match(said, /^HTTP\/1\.1 400 /, joint);
    }
    const elsewhere = await asked(`CONNECT a@127.0.0.1:${portOf(other)} HTTP/1.1\r\nHost: a`);
    assert.match(elsewhere, /^HTTP\/1\.1 40[03] /);
  });
});

test("the proxy stops waiting for a service that accepts no connection, for HTTP and for tunnels", async (t) => {
  const folder = makeTemporaryFolder();
  const path = join(folder, "proxy");
  const { port, end } = await deaf();
  const proxy = openForwardProxy({
    path,
    access: [`127.0.0.1:${port}`],
    resolve: () => Promise.reject(new Error("no")),
    connectTimeoutMs: 200,
  });
  t.after(() => {
    proxy.close();
    end();
    rmSync(folder, { recursive: true });
  });
  const host = `127.0.0.1:${port}`;
  const words = /^HTTP\/1\.1 502 127\.0\.0\.1:\d+ cannot be reached: it does not answer\./;
  assert.match(await ask(path, `GET http://${host}/ HTTP/1.1\r\nHost: a`), words);
  assert.match(await ask(path, `CONNECT ${host} HTTP/1.1\r\nHost: a`), words);
});

/** A blocked service whose connection queue is full. */
async function deaf(): Promise<{ readonly port: number; readonly end: () => void }> {
  const still = spawn(
    process.execPath,
    [
      "-e",
      `require("net").createServer().listen({ port: 0, host: "127.0.0.1", backlog: 1 }, function () {
        require("fs").writeSync(1, String(this.address().port));
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      })`,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const [said] = (await once(still.stdout, "data")) as [Buffer];
  const port = Number(said.toString());
  const waiting = [connect(port, "127.0.0.1"), connect(port, "127.0.0.1")];
  for (const socket of waiting) socket.on("error", () => {});
  await Promise.all(waiting.map((socket) => once(socket, "connect")));
  return {
    port,
    end() {
      for (const socket of waiting) socket.destroy();
      still.kill("SIGKILL");
    },
  };
}

function ask(path: string, head: string): Promise<string> {
  return new Promise((resolve) => {
    let said = "";
    const socket = connect(path, () => socket.write(`${head}\r\n\r\n`));
    socket
      .on("data", (data) => (said += data.toString("latin1")))
      .on("error", () => {})
      .on("close", () => resolve(said));
  });
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function listening(server: Server): Promise<Server> {
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}
