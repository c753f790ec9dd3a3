import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { findProgram } from "../process/launcher.ts";
import type { SandboxLimits } from "../process/sandbox-limits.ts";

const scope = ["--user", "--scope", "--quiet", "--collect"];

/**
 * Returns the prefix of a command that runs it in a scope of the user's systemd with its own
 * limits.
 */
export function systemdScope(systemdRun: string, limits: SandboxLimits): readonly string[] {
  const properties = [
    `MemoryMax=${limits.memoryBytes}`,
    "MemorySwapMax=0",
    // Includes the interpreters and the sandbox's own processes, which are also counted.
    `TasksMax=${limits.processes + 8}`,
  ];
  return [systemdRun, ...scope, ...properties.flatMap((one) => ["-p", one]), "--"];
}

/** How `systemd-run` finds the user's systemd. */
export function scopeEnvironment(): { readonly [name: string]: string } {
  const names = ["XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** The `systemd-run` of a user's session, if it makes scopes here. */
export async function findSystemdRun(
  path: string | undefined = findProgram("systemd-run"),
): Promise<string | undefined> {
  if (path === undefined || process.env["XDG_RUNTIME_DIR"] === undefined) return undefined;
  try {
    await promisify(execFile)(path, [...scope, "-p", "MemoryMax=64M", "--", "true"], {
      timeout: 3_000,
    });
    return path;
  } catch {
    return undefined;
  }
}
