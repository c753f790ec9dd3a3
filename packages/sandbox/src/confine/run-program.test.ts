import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { runProgram } from "./run-program.ts";

const skip = process.platform === "win32" ? "no sh" : false;

test(
  "a program's end is reported after its last output on every pipe was read",
  { skip },
  async () => {
    const write = "head -c 60000 /dev/zero";
    for (let times = 0; times < 5; times++) {
      const program = runProgram({
        command: ["sh", "-c", `${write}; ${write} >&2; ${write} >&3; exit 3`],
        env: { PATH: process.env["PATH"] ?? "" },
        channels: 1,
        kill: (child) => child.kill("SIGKILL"),
        cleanUp: () => {},
      });
      let read = 0;
      for (const stream of [program.stdout, program.stderr, ...program.channels])
        stream.on("data", (chunk: Buffer) => (read += chunk.length));
      // Simulates a busy machine: output and exit are both available when this process reads.
      spawnSync("sleep", ["0.1"]);
      assert.deepEqual(await program.ended, { status: "exited", code: 3 });
      assert.equal(read, 180_000);
    }
  },
);
