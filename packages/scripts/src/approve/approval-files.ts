import { createHash, randomUUID } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { permissionSchema } from "../definition/permissions.ts";
import type { DeclaredPermissions } from "../definition/script-function.ts";

/** A user's approval of one version of a file. */
export interface ScriptApproval {
  readonly contentHash: string;
  /** The permissions that the approved version declares. */
  readonly permissions: DeclaredPermissions;
  /** Milliseconds since the epoch. */
  readonly approvedAt: number;
}

/** By the file's absolute path. */
type ScriptApprovalTable = ReadonlyMap<string, ScriptApproval>;

const permissions = z.strictObject(permissionSchema).partial();

const keptApproval = z.strictObject({
  version: z.literal(1),
  path: z.string(),
  contentHash: z.string(),
  permissions: z.strictObject({ file: permissions, functions: z.record(z.string(), permissions) }),
  approvedAt: z.number(),
});

/**
 * Reads the approvals in a folder. Each approval has its own file, so that processes do not
 * overwrite each other's. A file that Capstan did not write approves nothing.
 */
export function readApprovals(folder: string): ScriptApprovalTable {
  const approvals = new Map<string, ScriptApproval>();
  for (const name of namesIn(folder)) {
    const found = readApproval(join(folder, name));
    if (found === undefined || nameFor(found.path) !== name) continue;
    const { path, version: _version, ...approval } = found;
    approvals.set(path, approval as ScriptApproval);
  }
  return approvals;
}

function readApproval(file: string): z.infer<typeof keptApproval> | undefined {
  try {
    return keptApproval.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return undefined;
  }
}

/** Writes an approval atomically, readable for its owner only. */
export function writeApproval(folder: string, path: string, approval: ScriptApproval): void {
  makeApprovalsFolder(folder);
  const draft = join(folder, `${randomUUID()}.tmp`);
  const text = `${JSON.stringify({ version: 1, path, ...approval }, null, 2)}\n`;
  writeFileSync(draft, text, { mode: 0o600, flag: "wx" });
  renameSync(draft, join(folder, nameFor(path)));
}

/**
 * Deletes an approval.
 *
 * @returns whether there was one
 */
export function removeApproval(folder: string, path: string): boolean {
  try {
    unlinkSync(join(folder, nameFor(path)));
    return true;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw thrown;
  }
}

/** Creates the folder for its owner only, and restricts the rights of an existing one. */
export function makeApprovalsFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
}

/** Returns whether a file is an approval, by its name. */
export function isApprovalFile(name: string | null): boolean {
  return name === null || name.endsWith(".json");
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter(isApprovalFile).sort();
  } catch {
    return [];
  }
}

function nameFor(path: string): string {
  return `${createHash("sha256").update(path).digest("hex")}.json`;
}
