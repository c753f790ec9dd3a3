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

/** What a person said of one file as it was. */
export interface ScriptApproval {
  readonly contentHash: string;
  /** What it declared then, and may do since. */
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
 * Reads the words that are kept in a folder, a file each, so that no process writes over another's.
 * What is not as we write it approves nothing.
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

/** Keeps one as a whole, for its owner alone. */
export function writeApproval(folder: string, path: string, approval: ScriptApproval): void {
  makeApprovalsFolder(folder);
  const draft = join(folder, `${randomUUID()}.tmp`);
  const text = `${JSON.stringify({ version: 1, path, ...approval }, null, 2)}\n`;
  writeFileSync(draft, text, { mode: 0o600, flag: "wx" });
  renameSync(draft, join(folder, nameFor(path)));
}

/** Whether there was one. */
export function removeApproval(folder: string, path: string): boolean {
  try {
    unlinkSync(join(folder, nameFor(path)));
    return true;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw thrown;
  }
}

/** Nobody else may read it, also where it was there before. */
export function makeApprovalsFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
}

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
