import assert from "node:assert/strict";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { noSandbox, outputOf } from "../testing/run-program.ts";
import { testFolder } from "../testing/test-folder.ts";
import { findProgram } from "../process/launcher.ts";
import { bubblewrap } from "./bubblewrap.ts";
import { findSystemdRun } from "./systemd-scope.ts";

const folder = testFolder();
const given = process.env["XDG_RUNTIME_DIR"];
before(() => void (process.env["XDG_RUNTIME_DIR"] = "/run/user/test"));
after(() => {
  if (given === undefined) delete process.env["XDG_RUNTIME_DIR"];
  else process.env["XDG_RUNTIME_DIR"] = given;
});

/**
 * A stand-in for `systemd-run`, which records its options and then executes the command, like a
 * scope.
 */
function standIn(name: string, body: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}

const note = `echo "$XDG_RUNTIME_DIR $*" >> ${join(folder, "notes")}
while [ "$1" != -- ]; do shift; done; shift; exec "$@"`;

test("a user's systemd is found if it creates scopes", async () => {
  const works = standIn("works", note);
  assert.equal(await findSystemdRun(works), works);
  assert.equal(await findSystemdRun(standIn("fails", "echo no bus >&2; exit 1")), undefined);
  assert.equal(await findSystemdRun(join(folder, "nowhere")), undefined);
});

test(
  "a program without a control group runs in a scope that counts its memory and its tasks",
  { skip: noSandbox },
  async () => {
    const sandbox = bubblewrap({
      path: findProgram("bwrap") ?? "",
      cgroups: { mount: join(folder, "nowhere") },
      systemdRun: standIn("scope", note),
    });
    const limits = { memoryBytes: 5_000_000_000, processes: 20 };
    const { out } = await outputOf(
      { command: "/bin/sh", args: ["-c", "env"], limits },
      { sandbox },
    );
    assert.match(out, /^HOME=/m);
    assert.doesNotMatch(out, /XDG_RUNTIME_DIR/);
    assert.match(
      readFileSync(join(folder, "notes"), "utf8"),
      /^\/run\/user\/test --user --scope .*-p MemoryMax=5000000000 .*-p TasksMax=28 -- /m,
    );
  },
);
