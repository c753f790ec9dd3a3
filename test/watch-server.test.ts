import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { watchServer } from "./watch-server.ts";

/** Serves `/healthz`, and every second does something that takes a turn of 400 ms. */
const blockedServer = (turn: string) => `
  const server = require("node:http").createServer((request, response) => response.end("ok"));
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));
  setInterval(() => { ${turn} }, 1_000);`;

for (const { name, turn, measure } of [
  {
    name: "works",
    turn: "const ran = () => process.threadCpuUsage().user + process.threadCpuUsage().system; const began = ran(); while (ran() - began < 400_000);",
    measure: "busiestMs",
  },
  {
    name: "waits",
    turn: "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);",
    measure: "slowestOwnMs",
  },
] as const)
  test(`a server that ${name} for 400 ms in a turn is detected, also on a busy machine`, async () => {
    const server = spawn(process.execPath, ["-e", blockedServer(turn)]);
    const competitors = Array.from({ length: 3 }, () =>
      spawn(process.execPath, ["-e", "for (;;);"]),
    );
    try {
      const [port] = (await once(server.stdout, "data")) as [Buffer];
      const url = `http://127.0.0.1:${port.toString().trim()}`;
      // On a loaded machine the probes of some seconds can all come late in a turn.
      for (let attempt = 1; ; attempt++) {
        const watch = watchServer({ url, pid: server.pid ?? 0 });
        await sleep(3_000);
        const seen = await watch.stop();
        if (seen[measure] > 100) break;
        assert.ok(attempt < 10, JSON.stringify(seen));
      }
    } finally {
      for (const child of [server, ...competitors]) child.kill("SIGKILL");
    }
  });
