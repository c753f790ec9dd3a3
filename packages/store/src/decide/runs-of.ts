import type { Dialect } from "../sql/dialect.ts";
import { all, type Script } from "../sql/script.ts";
import type { EncodedRequest } from "../encode/encoded-journal.ts";
import { mostExpired } from "./questions/write-approvals.ts";

/** The runs that a batch decides about. A question's run is looked up where it is not named. */
export function* runsOf(
  dialect: Dialect,
  requests: readonly EncodedRequest[],
): Script<ReadonlySet<string>> {
  const ids = new Set<string>();
  const questions: string[] = [];
  let expireAt: number | undefined;
  for (const { at, writes } of requests) {
    for (const write of writes) {
      if ("runId" in write && write.runId !== undefined) ids.add(write.runId);
      if (write.type === "create-run") {
        ids.add(write.run.id);
        if (write.run.parentId !== undefined) ids.add(write.run.parentId);
      }
      if (write.type === "answer-approval" && write.runId === undefined) questions.push(write.id);
      if (write.type === "expire-approvals") expireAt = Math.max(at, expireAt ?? at);
    }
  }
  const ofQuestions = "SELECT r.id FROM approvals a JOIN runs r ON r.n = a.run_n WHERE";
  if (questions.length > 0) {
    const where = `a.id ${dialect.anyOf}`;
    for (const { id } of yield* all<{ id: string }>(
      `${ofQuestions} ${where}`,
      dialect.list(questions),
    ))
      ids.add(id);
  }
  if (expireAt !== undefined) {
    const where = "a.status = 'pending' AND a.expires_at <= ?";
    for (const { id } of yield* all<{ id: string }>(
      `${ofQuestions} ${where} ORDER BY a.expires_at LIMIT ${mostExpired}`,
      expireAt,
    ))
      ids.add(id);
  }
  return ids;
}
