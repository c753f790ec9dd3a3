import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { describe, test } from "node:test";
import { confined, noSandbox, outputOf, python, shell } from "../testing/run-program.ts";
import { unconfined } from "./unconfined.ts";

const noPython = existsSync("/usr/bin/python3") ? false : "no /usr/bin/python3";
const mebibyte = 1024 * 1024;

describe("limits of a confined program", { skip: noSandbox || noPython }, () => {
  // Contract: sandbox-24
  test("a fork bomb stops at its process limit, and others can still start processes", async () => {
    const bomb = `import os, time
n = 0
try:
    while n < 500:
        if os.fork() == 0: time.sleep(60)
        n += 1
except OSError as e: print(n, e.strerror, flush=True)
os.kill(0, 9)`;
    const { out } = await python(bomb, { limits: { processes: 20 } });
    const [count, ...why] = out.trim().split(" ");
    assert.ok(Number(count) > 3 && Number(count) <= 28, out);
    assert.equal(why.join(" "), "Resource temporarily unavailable");
    assert.equal((await shell("echo still; echo here | cat")).out, "still\nhere\n");
  });

  // Contract: sandbox-26
  test("cannot allocate ten gigabytes", async () => {
    const { out } = await python(
      `try: x = bytearray(10 << 30)
except MemoryError: print("refused")`,
    );
    assert.equal(out, "refused\n");
  });

  // Contract: sandbox-26
  test("cannot exceed the memory limit with shared or mapped memory either", async () => {
    const limits = { memoryBytes: 64 * mebibyte, addressBytes: 256 * mebibyte };
    const { out, end } = await python(
      `import mmap
try:
    m = mmap.mmap(-1, 1 << 30)
    for i in range(0, 1 << 30, 4096): m[i] = 1
    print("got it")
except (OSError, MemoryError): print("refused")`,
      { limits },
    );
    assert.ok(out === "refused\n" || end.status === "killed", out);
  });

  // Contract: sandbox-27
  test("files, the temporary folder and shared memory cannot exceed their size limits", async () => {
    const limits = { fileBytes: 2 * mebibyte };
    const { out } = await shell(
      "for d in /tmp /dev/shm; do head -c 9000000 /dev/zero > $d/a; head -c 9000000 /dev/zero > $d/b; cat $d/a $d/b | wc -c; done",
      { limits },
    );
    const sizes = out.trim().split("\n").map(Number);
    assert.equal(sizes.length, 2);
    for (const size of sizes) assert.ok(size <= 2 * mebibyte, out);
  });

  // Contract: sandbox-28
  test("runs on at most its number of processors", async () => {
    const { out } = await python("import os; print(len(os.sched_getaffinity(0)))", {
      limits: { processors: 1 },
    });
    assert.equal(out, "1\n");
  });

  // Contract: sandbox-29
  test("the kernel kills it before the server if memory is short", async () => {
    const { out } = await shell("cat /proc/self/oom_score_adj");
    assert.equal(out, "1000\n");
  });
});

const kinds = [
  ["confined", confined, noSandbox],
  ["not confined", unconfined, process.platform === "win32" ? "POSIX shells alone" : false],
] as const;

for (const [name, sandbox, skip] of kinds)
  describe(`a program that is ${name}`, { skip }, () => {
    // Contract: sandbox-30
    test("ends with its whole process tree, including processes in sessions of their own", async () => {
      const mark = `9${process.pid}${name.length}`;
      const program = sandbox.start({
        command: "/bin/sh",
        args: [
          "-c",
          `(setsid sleep 6${mark} &) ; (sleep 7${mark} & sleep 8${mark} &) & echo ready; sleep 5${mark}`,
        ],
      });
      await new Promise((resolve) => void program.stdout.once("data", resolve));
      await until(
        () => sleepers(mark),
        (count) => count === 4,
      );
      program.kill();
      assert.equal((await program.ended).status, "killed");
      await until(
        () => sleepers(mark),
        (count) => count === 0,
      );
    });

    // Contract: sandbox-30
    test("ends the processes that it leaves running when it exits by itself", async () => {
      const mark = `8${process.pid}${name.length}`;
      const { end } = await outputOf(
        { command: "/bin/sh", args: ["-c", `(setsid sleep 6${mark} >/dev/null 2>&1 &); exit 3`] },
        { sandbox },
      );
      assert.deepEqual(end, { status: "exited", code: 3 });
      await until(
        () => sleepers(mark),
        (count) => count === 0,
      );
    });

    // Contract: sandbox-12
    test("has a temporary folder that is removed afterwards", async () => {
      const { out } = await outputOf(
        { command: "/bin/sh", args: ["-c", 'echo x > "$TMPDIR/file" && cat "$TMPDIR/file"; pwd'] },
        { sandbox },
      );
      const [content, folder = ""] = out.trim().split("\n");
      assert.equal(content, "x");
      if (sandbox.kind === "none") assert.equal(existsSync(folder), false);
    });

    test("reads and writes its additional pipes", async () => {
      const program = sandbox.start({
        command: "/bin/sh",
        args: ["-c", "cat <&4 >&3"],
        channels: 2,
      });
      program.channels[1]?.end("hello");
      let said = "";
      program.channels[0]?.setEncoding("utf8").on("data", (text: string) => (said += text));
      await program.ended;
      await until(
        async () => said,
        (text) => text === "hello",
      );
    });

    test("that does not exist ends with a reason and throws no exception", async () => {
      const { end } = await outputOf({ command: "/nowhere/at-all", args: [] }, { sandbox });
      assert.notDeepEqual(end, { status: "exited", code: 0 });
    });
  });

/** Waits for a condition that other processes cause; fails after a generous timeout. */
async function until<T>(look: () => Promise<T>, isThere: (value: T) => boolean): Promise<void> {
  for (let tries = 0; ; tries++) {
    const value = await look();
    if (isThere(value)) return;
    assert.ok(tries < 400, `still ${String(value)}`);
    await delay(25);
  }
}

async function sleepers(mark: string): Promise<number> {
  const ps = spawn("ps", ["-A", "-o", "args="], { stdio: ["ignore", "pipe", "ignore"] });
  let list = "";
  for await (const chunk of ps.stdout.setEncoding("utf8")) list += chunk;
  return list.split("\n").filter((line) => new RegExp(`^sleep \\d${mark}$`).test(line)).length;
}
