import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { noSandbox, outputOf } from "../testing/run-program.ts";
import { testFolder } from "../testing/test-folder.ts";
import { bubblewrap } from "./bubblewrap.ts";
import { makeCgroup } from "./cgroup.ts";
import { findProgram } from "../process/launcher.ts";
import { defaultLimits } from "./sandbox.ts";
import { makeTemporaryFolder } from "../process/temporary-folder.ts";

const folder = testFolder();

/** A tree of version 2 as the kernel shows it, in ordinary files. */
function tree(name: string, controllers: string): string {
  const mount = join(folder, name);
  mkdirSync(mount);
  writeFileSync(join(mount, "cgroup.subtree_control"), `${controllers}\n`);
  return mount;
}

test("a program's processes and memory are counted where version 2 counts them", () => {
  const group = makeCgroup(defaultLimits, tree("whole", "cpu memory pids"));
  const [procs = ""] = group?.joins ?? [];
  const place = procs.replace(/cgroup\.procs$/, "");
  assert.equal(readFileSync(join(place, "pids.max"), "utf8"), String(defaultLimits.processes + 8));
  assert.equal(readFileSync(join(place, "memory.max"), "utf8"), String(defaultLimits.memoryBytes));
});

test("memory that is not counted there is not limited there; processes must be", () => {
  const group = makeCgroup(defaultLimits, tree("no-memory", "pids"));
  const place = group?.joins[0]?.replace(/cgroup\.procs$/, "") ?? "";
  assert.equal(existsSync(join(place, "pids.max")), true);
  assert.equal(existsSync(join(place, "memory.max")), false);
  assert.equal(makeCgroup(defaultLimits, tree("no-pids", "cpu memory")), undefined);
  assert.equal(makeCgroup(defaultLimits, join(folder, "nowhere")), undefined);
});

test(
  "root without control groups runs programs as nobody, whose processes are counted",
  { skip: noSandbox || (process.getuid?.() === 0 ? false : "not root") },
  async () => {
    const sandbox = bubblewrap({
      path: findProgram("bwrap") ?? "",
      cgroups: join(folder, "nowhere"),
    });
    const own = makeTemporaryFolder();
    after(() => rmSync(own, { recursive: true }));
    writeFileSync(join(own, "file"), "shown");
    const bomb = "for n in $(seq 60); do sleep 5 & done; echo no end";
    const { out, err } = await outputOf(
      {
        command: "/bin/sh",
        args: ["-c", `id -u; cat /own/file; ${bomb}`],
        shown: [{ at: "/own", from: own }],
        limits: { processes: 20 },
      },
      { sandbox },
    );
    assert.equal(out, "65534\nshown");
    assert.match(err, /fork/i);
  },
);
