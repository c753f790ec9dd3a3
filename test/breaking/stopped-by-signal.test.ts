import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { root } from "../../scripts/command.ts";
import { sourceCondition } from "../../scripts/source-condition.ts";
import { breakingNode, bundled } from "../server-scripts.ts";
import { combinations } from "./stores/combinations.ts";

const everything = combinations.find(({ name }) => name === "PostgreSQL and Redis");
const noProc = process.platform === "linux" ? undefined : "processes are looked up in /proc";
const skip = noProc ?? everything?.skip(true) ?? false;

/** Returns the processes with a text in their arguments. */
async function processesWith(text: string): Promise<readonly string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const line = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
      return line.includes(text) ? [`${pid} ${line.replaceAll("\0", " ")}`] : [];
    }),
  );
  return found.flat();
}

/** Polls a condition, because starting and killing a process takes time. */
async function assertSoon(
  text: string,
  isSo: (lines: readonly string[]) => boolean,
): Promise<void> {
  let lines = await processesWith(text);
  for (let tries = 0; tries < 1_000 && !isSo(lines); tries++) {
    await sleep(25);
    lines = await processesWith(text);
  }
  assert.ok(isSo(lines), lines.join("\n"));
}

const isNode = (line: string) => line.includes(bundled(breakingNode));
/** When the signal is sent: at the first start, or when everything runs. */
const moments = {
  SIGINT: (lines: readonly string[]) => lines.length > 0,
  SIGTERM: (lines: readonly string[]) => lines.filter(isNode).length === 2,
};

for (const signal of ["SIGTERM", "SIGINT"] as const)
  test(
    `${signal} ends a proof, whenever it comes, and leaves no database, no queue, no node, no disk and no file`,
    { skip },
    async () => {
      const folder = await mkdtemp(join(tmpdir(), "capstan-stopped-"));
      // The database runs as another user.
      await chmod(folder, 0o755);
      const args = ["disk-full", "--on", "PostgreSQL and Redis", "--times", "1000000"];
      const proof = spawn(
        process.execPath,
        [sourceCondition, join(root, "test/breaking/main.ts"), ...args],
        {
          cwd: root,
          env: { ...process.env, TMPDIR: folder },
          stdio: ["ignore", "pipe", "inherit"],
        },
      );
      const ended = once(proof, "exit");
      let output = "";
      proof.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
      try {
        await assertSoon(folder, moments[signal]);
        proof.kill(signal);
        assert.deepEqual(await ended, [signal === "SIGTERM" ? 143 : 130, null]);
        assert.match(output, /^disk-full on PostgreSQL and Redis: seed \d+, 1000000 times$/m);
        await assertSoon(folder, (lines) => lines.length === 0);
        assert.deepEqual(await readdir(folder), []);
        assert.ok(!(await readFile("/proc/mounts", "utf8")).includes(folder));
      } finally {
        proof.kill("SIGKILL");
        // Otherwise processes of a failed test would hold the output of this one open forever.
        for (const line of await processesWith(folder))
          process.kill(Number.parseInt(line, 10), "SIGKILL");
        await rm(folder, { recursive: true, force: true });
      }
    },
  );
