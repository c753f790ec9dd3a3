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

/** A version 2 tree as the kernel shows it, but of ordinary files. */
function tree(name: string, controllers: string): string {
  const mount = join(folder, name);
  mkdirSync(mount);
  writeFileSync(join(mount, "cgroup.subtree_control"), `${controllers}\n`);
  return mount;
}

// Contract: sandbox-25
test("version 2 control groups limit a program's processes and memory", () => {
  const group = makeCgroup(defaultLimits, { mount: tree("whole", "cpu memory pids") });
  const [procs = ""] = group?.joins ?? [];
  const place = procs.replace(/cgroup\.procs$/, "");
  assert.equal(readFileSync(join(place, "pids.max"), "utf8"), String(defaultLimits.processes + 8));
  assert.equal(readFileSync(join(place, "memory.max"), "utf8"), String(defaultLimits.memoryBytes));
});

test("a group without the memory controller does not limit memory; the process controller is required", () => {
  const group = makeCgroup(defaultLimits, { mount: tree("no-memory", "pids") });
  const place = group?.joins[0]?.replace(/cgroup\.procs$/, "") ?? "";
  assert.equal(existsSync(join(place, "pids.max")), true);
  assert.equal(existsSync(join(place, "memory.max")), false);
  assert.equal(makeCgroup(defaultLimits, { mount: tree("no-pids", "cpu memory") }), undefined);
  assert.equal(makeCgroup(defaultLimits, { mount: join(folder, "nowhere") }), undefined);
});

/** A group that systemd has delegated to a user, in a tree whose top belongs to root. */
function delegatedTree(name: string, controllers: string) {
  const mount = tree(name, "");
  const group = join(mount, "service");
  mkdirSync(group);
  writeFileSync(join(group, "cgroup.controllers"), `${controllers}\n`);
  writeFileSync(join(group, "cgroup.subtree_control"), "\n");
  const self = join(folder, `${name}-self`);
  writeFileSync(self, "1:name=systemd:/\n0::/service\n");
  return { group, source: { mount, self } };
}

const pid = String(process.pid);
const text = (...path: readonly string[]) => readFileSync(join(...path), "utf8");

test("in a delegated group, the server moves into its own group next to the programs' groups", () => {
  const { group, source } = delegatedTree("delegated", "cpu memory pids");
  assert.equal(makeCgroup(defaultLimits, source), undefined, "the kernel gives no controllers yet");
  assert.equal(text(group, "cgroup.subtree_control"), "+pids +memory");
  assert.equal(text(group, "server.capstan/cgroup.procs"), pid);
  // The kernel lists the enabled controllers.
  writeFileSync(join(group, "cgroup.subtree_control"), "memory pids\n");
  for (const own of ["/service", "/service/server.capstan"]) {
    writeFileSync(source.self, `0::${own}\n`);
    const made = makeCgroup(defaultLimits, source);
    const place = made?.joins[0]?.replace(/cgroup\.procs$/, "") ?? "";
    assert.equal(made?.limitsMemory, true);
    assert.ok(place.startsWith(`${group}/capstan-`), place);
    assert.equal(text(place, "memory.max"), String(defaultLimits.memoryBytes));
  }
});

test("a delegated group without the process controller, or with other processes in it, is not used", () => {
  const without = delegatedTree("without", "cpu memory");
  assert.equal(makeCgroup(defaultLimits, without.source), undefined);
  assert.equal(existsSync(join(without.group, "server.capstan")), false);
  const shared = delegatedTree("shared", "memory pids");
  // The kernel rejects the write while other processes are in the group.
  rmSync(join(shared.group, "cgroup.subtree_control"));
  mkdirSync(join(shared.group, "cgroup.subtree_control"));
  assert.equal(makeCgroup(defaultLimits, shared.source), undefined);
  assert.equal(text(shared.group, "cgroup.procs"), pid);
});

// Contract: sandbox-25
test(
  "root without control groups runs programs as nobody, whose processes are counted",
  { skip: noSandbox || (process.getuid?.() === 0 ? false : "not root") },
  async () => {
    const sandbox = bubblewrap({
      path: findProgram("bwrap") ?? "",
      cgroups: { mount: join(folder, "nowhere") },
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
