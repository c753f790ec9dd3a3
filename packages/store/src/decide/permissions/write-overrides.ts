import type { PolicyRule } from "@capstan/core";
import { digest } from "@capstan/core/base";
import {
  type OverrideRow,
  overrideRecord,
  selectOverrides,
} from "../../read/permissions/read-overrides.ts";
import { readable } from "../../read/page.ts";
import { first, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";
import type { StoreWrite } from "../../records/store-writes.ts";
import type { OutcomeOf } from "../../records/write-outcomes.ts";
import type { WriteContext } from "../state/write-context.ts";

type ChangeOverride = Extract<StoreWrite, { type: "change-override" }>;
type ResetOverride = Extract<StoreWrite, { type: "reset-override" }>;

/** The maximum number of rules of one user. */
const maxRules = 500;

const lockOverride = statement<OverrideRow>(
  { reads: ["overrides"] },
  (dialect) => `${selectOverrides(dialect)} WHERE owner = ? AND id = ?${dialect.lock("overrides")}`,
);

const countOverrides = statement<{ n: number }>(
  { reads: ["overrides"] },
  "SELECT COUNT(*) AS n FROM overrides WHERE owner = ?",
);

const findOverride = statement(
  { reads: ["overrides"] },
  "SELECT 1 FROM overrides WHERE owner = ? AND id = ?",
);

/** Returns the id of a user's rule for some calls. The same calls have only one rule. */
export function overrideId(about: Pick<PolicyRule, "tool" | "when">): string {
  return `override_${digest(about).slice(0, 24)}`;
}

/** Changes the given fields of a rule; null clears a field. A rule without any field is deleted. */
export function* changeOverride(
  { changes, notes }: WriteContext,
  write: ChangeOverride,
  at: number,
): Script<OutcomeOf<ChangeOverride>> {
  const { owner, tool, when, change } = write;
  const about = when === undefined ? { tool } : { tool, when };
  const id = overrideId(about);
  const note = { owner, event: { type: "permissions.changed" } } as const;
  const row = yield* first(lockOverride, owner, id);
  const before = row && readable(row, overrideRecord);
  // An update would leave the row corrupt, so the row is replaced.
  if (row !== undefined && before === undefined) changes.remove("overrides", { owner, id });
  const words = { ...before?.rule, ...change };
  const rule: PolicyRule = {
    ...about,
    ...(words.execution != null && { execution: words.execution }),
    ...(words.result != null && { result: words.result }),
    ...(words.approvalMs != null && { approvalMs: words.approvalMs }),
    ...(words.reason != null && { reason: words.reason }),
  };
  if (rule.execution === undefined && rule.result === undefined && rule.approvalMs === undefined) {
    changes.remove("overrides", { owner, id });
    notes.push(note);
    return { status: "updated", id, override: undefined };
  }
  const count = yield* first(countOverrides, owner);
  if (before === undefined && (count?.n ?? 0) >= maxRules)
    return { status: "refused", reason: `There are ${maxRules} rules already: delete some first.` };
  const createdAt = before?.createdAt ?? at;
  const changed = { updated_at: at, rule: JSON.stringify(rule) };
  // A changed rule keeps its number in the order of creation.
  if (before === undefined)
    changes.insert("overrides", { owner, id, created_at: createdAt, ...changed });
  else changes.update("overrides", { owner, id }, changed);
  notes.push(note);
  return { status: "updated", id, override: { owner, id, rule, createdAt, updatedAt: at } };
}

/** Deletes a user's rule. */
export function* resetOverride(
  { changes, notes }: WriteContext,
  { owner, id }: ResetOverride,
): Script<OutcomeOf<ResetOverride>> {
  const known = yield* first(findOverride, owner, id);
  if (known === undefined) return { status: "not_found" };
  changes.remove("overrides", { owner, id });
  notes.push({ owner, event: { type: "permissions.changed" } });
  return { status: "updated", id, override: undefined };
}
