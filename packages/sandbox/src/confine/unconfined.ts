import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { killTree } from "../process/kill-tree.ts";
import { launcher, limiter } from "../process/launcher.ts";
import { runProgram } from "./run-program.ts";
import { defaultLimits, type Sandbox } from "./sandbox.ts";
import { makeTemporaryFolder } from "../process/temporary-folder.ts";

/**
 * Runs programs without a sandbox, as ordinary processes of this user. Each has its own folder and
 * environment and the limits that the system can set, and its end also ends the processes that it
 * started.
 */
export const unconfined: Sandbox = {
  kind: "none",
  start(program) {
    const limits = { ...defaultLimits, ...program.limits };
    const folder = makeTemporaryFolder();
    const mark = randomUUID();
    const kill = (child: ChildProcess) => killTree(child, mark);
    return runProgram({
      command: [
        ...launcher({
          processors: limits.processors,
          descriptors: 3 + (program.channels ?? 0),
        }),
        ...limiter(limits, false),
        program.command,
        ...program.args,
      ],
      env: {
        ...inherited(),
        HOME: folder,
        TMPDIR: folder,
        LANG: "C.UTF-8",
        ...program.env,
        // This mark identifies its processes, even after they have left the process group.
        CAPSTAN_PROGRAM: mark,
      },
      folder: program.folder ?? folder,
      channels: program.channels ?? 0,
      kill,
      cleanUp: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }),
    });
  },
};

/**
 * Returns the variables without which no program starts. Programs get no other variables of the
 * server's environment.
 */
function inherited(): { readonly [name: string]: string } {
  const names = ["PATH", "SystemRoot", "ComSpec", "PATHEXT", "windir"];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
