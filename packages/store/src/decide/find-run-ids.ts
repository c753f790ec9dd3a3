import { all, type Script } from "../sql/script.ts";
import { statement } from "../sql/statement.ts";
import type { EncodedRequest } from "../encode/run-commit.ts";
import { maxExpired } from "./permissions/write-approvals.ts";

const ofApprovals = "SELECT r.id FROM approvals a JOIN runs r ON r.n = a.run_n WHERE";
const tables = { reads: ["approvals", "runs"] } as const;

const findByApproval = statement<{ id: string }>(
  tables,
  ({ anyOf }) => `${ofApprovals} a.id ${anyOf}`,
);

const findExpired = statement<{ id: string }>(
  tables,
  `${ofApprovals} a.status = 'pending' AND a.expires_at <= ? ORDER BY a.expires_at LIMIT ${maxExpired}`,
);

/**
 * Returns the ids of the runs that a batch changes. Looks up an approval's run if the write does
 * not name it.
 */
export function* findRunIds(requests: readonly EncodedRequest[]): Script<ReadonlySet<string>> {
  const ids = new Set<string>();
  const approvals: string[] = [];
  let expireAt: number | undefined;
  for (const { at, writes } of requests) {
    for (const write of writes) {
      if ("runId" in write && write.runId !== undefined) ids.add(write.runId);
      if (write.type === "create-run") {
        ids.add(write.run.id);
        if (write.run.parentId !== undefined) ids.add(write.run.parentId);
      }
      if (write.type === "answer-approval" && write.runId === undefined) approvals.push(write.id);
      if (write.type !== "expire-approvals") continue;
      if (write.ids === undefined) expireAt = Math.max(at, expireAt ?? at);
      else approvals.push(...write.ids);
    }
  }
  const found = [
    ...(approvals.length === 0 ? [] : yield* all(findByApproval, approvals)),
    ...(expireAt === undefined ? [] : yield* all(findExpired, expireAt)),
  ];
  for (const { id } of found) ids.add(id);
  return ids;
}
