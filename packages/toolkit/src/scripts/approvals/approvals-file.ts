import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import type { DeclaredPermissions } from "../script-function.ts";

/** What a person said of one file as it was. */
export interface ScriptApproval {
  readonly contentHash: string;
  /** What it declared then, and may do since. */
  readonly permissions: DeclaredPermissions;
  /** Milliseconds since the epoch. */
  readonly approvedAt: number;
}

/** By the file's absolute path. */
export type ScriptApprovalTable = ReadonlyMap<string, ScriptApproval>;

const names = z.array(z.string());
const permissions = z.strictObject({
  executionPolicy: z.enum(["auto", "ask-once", "ask-always", "deny"]).optional(),
  resultApprovalPolicy: z.enum(["never", "on-error", "always"]).optional(),
  effects: z.enum(["read", "write", "exclusive"]).optional(),
  idempotent: z.boolean().optional(),
  timeoutMs: z.number().optional(),
  network: z.boolean().optional(),
  secrets: names.optional(),
  roots: z.strictObject({ read: names.optional(), write: names.optional() }).optional(),
});

const approval = z.object({
  contentHash: z.string(),
  permissions: z.strictObject({ file: permissions, functions: z.record(z.string(), permissions) }),
  approvedAt: z.number(),
});

const table = z.object({ version: z.literal(1), scripts: z.record(z.string(), z.unknown()) });

/** Reads the file. Where it, or an entry of it, is not as we write it, nothing of that is approved. */
export function readApprovals(file: string): ScriptApprovalTable {
  const approvals = new Map<string, ScriptApproval>();
  for (const [path, entry] of Object.entries(entriesOf(file))) {
    const { success, data } = approval.safeParse(entry);
    if (success) approvals.set(path, data as ScriptApproval);
  }
  return approvals;
}

function entriesOf(file: string): { readonly [path: string]: unknown } {
  try {
    return table.parse(JSON.parse(readFileSync(file, "utf8"))).scripts;
  } catch {
    return {};
  }
}

/** Writes the file as a whole, for its owner alone. */
export function writeApprovals(file: string, approvals: ScriptApprovalTable): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const text = JSON.stringify({ version: 1, scripts: Object.fromEntries(approvals) }, null, 2);
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, `${text}\n`, { mode: 0o600 });
  renameSync(draft, file);
}
