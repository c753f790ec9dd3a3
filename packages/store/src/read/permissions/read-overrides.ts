import { type OverrideRow, overrideRecord, selectOverrides } from "./override-rows.ts";
import type { OverrideRecord } from "../../records/records.ts";
import { all, type Script } from "../../sql/script.ts";

/** A user's own rules, in the order in which they were first made. */
export function* listOverrides({ owner }: { owner: string }): Script<readonly OverrideRecord[]> {
  const rows = yield* all<OverrideRow>(
    `${selectOverrides} WHERE owner = ? ORDER BY created_at, id`,
    owner,
  );
  return rows.map(overrideRecord);
}
