import type { Dialect } from "../sql/dialect.ts";
import { all, type Script } from "../sql/script.ts";
import type { EncodedRequest } from "../encode/encoded-journal.ts";
import { maxExpired } from "./permissions/write-approvals.ts";

/** Finds the ids of the runs that a batch changes. Looks up an approval's run if the write does not name it. */
export function* findRunIds(
  dialect: Dialect,
  requests: readonly EncodedRequest[],
): Script<ReadonlySet<string>> {
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
      if (write.type === "expire-approvals") expireAt = Math.max(at, expireAt ?? at);
    }
  }
  const ofApprovals = "SELECT r.id FROM approvals a JOIN runs r ON r.n = a.run_n WHERE";
  if (approvals.length > 0) {
    const where = `a.id ${dialect.anyOf}`;
    for (const { id } of yield* all<{ id: string }>(
      `${ofApprovals} ${where}`,
      dialect.list(approvals),
    ))
      ids.add(id);
  }
  if (expireAt !== undefined) {
    const where = "a.status = 'pending' AND a.expires_at <= ?";
    for (const { id } of yield* all<{ id: string }>(
      `${ofApprovals} ${where} ORDER BY a.expires_at LIMIT ${maxExpired}`,
      expireAt,
    ))
      ids.add(id);
  }
  return ids;
}
