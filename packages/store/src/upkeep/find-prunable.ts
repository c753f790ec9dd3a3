import { lineageKey } from "../read/retention/lineage.ts";
import type { LineageStart, Untouched, SizedLineage } from "../records/read-results.ts";

import type { RetentionReader } from "../live/create-store-reader.ts";
import { dayMs, type RetentionRule } from "./retention-rules.ts";

/** A lineage that a retention rule deletes: because of its age, or to free space. */
export interface PrunableLineage {
  readonly start: LineageStart;
  readonly lineage: SizedLineage;
  readonly reason: "age" | "space";
  /** It is deleted only if its last change is before this time, in ms since the epoch. */
  readonly before: number;
}

/**
 * Returns the lineages of an owner that a rule deletes, oldest first. A lineage with `holds` is
 * returned, too, but must be kept.
 *
 * @param options.bytes the current size of the owner's data
 */
export async function* findPrunable(options: {
  readonly reader: Pick<RetentionReader, "listUntouched" | "getLineage">;
  readonly owner: string;
  readonly rule: RetentionRule;
  readonly bytes: number;
  readonly now: number;
}): AsyncGenerator<PrunableLineage, void, undefined> {
  const { reader, owner, rule, now } = options;
  const aged = rule.days === undefined ? 0 : now - rule.days * dayMs;
  let excess = rule.megabytes === undefined ? 0 : options.bytes - rule.megabytes * 1_048_576;
  const settled = now - dayMs;
  const before = excess > 0 ? Math.max(aged, settled) : aged;
  for await (const start of untouched(reader, owner, before)) {
    if (start.touchedAt >= aged && excess <= 0) return;
    const lineage = await reader.getLineage({ owner, start });
    // A lineage is found from each of its conversations and sessions, but counts once.
    if (lineage === undefined || lineageKey(lineage) !== start.id) continue;
    const reason = lineage.touchedAt < aged ? "age" : "space";
    if (reason === "space" && (excess <= 0 || lineage.touchedAt >= settled)) continue;
    yield { start, lineage, reason, before: reason === "age" ? aged : settled };
    if (lineage.holds.length === 0) excess -= lineage.bytes;
  }
}

async function* untouched(
  reader: Pick<RetentionReader, "listUntouched">,
  owner: string,
  before: number,
): AsyncGenerator<Untouched, void, undefined> {
  const limit = 100;
  let after: Untouched | undefined;
  for (;;) {
    const page = await reader.listUntouched({ owner, before, limit, ...(after && { after }) });
    yield* page;
    after = page.at(-1);
    if (page.length < limit) return;
  }
}
