import { isClosing, transition } from "../../run/run-status.ts";
import type { ManifestSource } from "../manifest.ts";
import type { NewRun, OutcomeOf, Refused, StoreWrite } from "../store-write.ts";
import { changeStatus, closeRun } from "./change-status.ts";
import { currentManifest } from "./write-variables.ts";
import type { Writing } from "./writing.ts";

type CreateRun = Extract<StoreWrite, { type: "create-run" }>;
type ClaimRun = Extract<StoreWrite, { type: "claim-run" }>;
type SetStatus = Extract<StoreWrite, { type: "set-status" }>;

export function createRun(writing: Writing, { run }: CreateRun, at: number): OutcomeOf<CreateRun> {
  const { sql } = writing;
  if (sql.get("SELECT 1 FROM runs WHERE id = ?", run.id) !== undefined) {
    return refused(`There is a run ${run.id} already: give each a new random id.`);
  }
  const origin = originOf(writing, run);
  if ("status" in origin) return origin;
  const status = run.status ?? "queued";
  const begins = transition("none", status);
  if (begins.status === "refused") return begins;
  const epoch = status === "queued" ? 0 : 1;
  const inserted = sql.get<{ n: number }>(
    `INSERT INTO runs (id, owner, session_id, conversation_id, parent_id, kind, status, epoch, stored, model, title,
       base_manifest, created_at, updated_at, ended_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING n`,
    run.id,
    run.owner,
    origin.sessionId,
    run.conversationId ?? null,
    run.parentId ?? null,
    run.kind ?? "turn",
    status,
    epoch,
    run.stored === false ? 0 : 1,
    run.model,
    run.title ?? null,
    origin.baseManifest,
    at,
    at,
    isClosing(status) ? at : null,
  );
  const n = inserted?.n ?? 0;
  sql.run(
    "INSERT INTO run_requests (run_n, owner, request, input) VALUES (?, ?, ?, ?)",
    n,
    run.owner,
    JSON.stringify(run.request),
    JSON.stringify(run.input),
  );
  if (isClosing(status)) closeRun(writing, n, status, at);
  return { status: "created", sessionId: origin.sessionId, epoch };
}

export function claimRun(writing: Writing, write: ClaimRun, at: number): OutcomeOf<ClaimRun> {
  const run = writing.runs.get(write.runId);
  if (run === undefined) return { status: "not_found" };
  const taken = transition(run.status, "in_progress");
  if (taken.status === "refused") return refused(`${run.id}: ${taken.reason}`);
  if (write.epoch !== undefined && write.epoch !== run.epoch) {
    return refused(
      `Run ${run.id} was claimed by another: its epoch is ${run.epoch}, not ${write.epoch}.`,
    );
  }
  const epoch = run.epoch + 1;
  writing.sql.run(
    "UPDATE runs SET status = ?, epoch = ?, updated_at = ? WHERE n = ?",
    "in_progress",
    epoch,
    at,
    run.n,
  );
  writing.runs.set({ ...run, epoch, status: "in_progress" });
  return { status: "claimed", epoch, previous: run.status };
}

export function setStatus(writing: Writing, write: SetStatus, at: number): OutcomeOf<SetStatus> {
  const run = writing.runs.get(write.runId);
  if (run === undefined) return { status: "not_found" };
  if (write.epoch !== undefined && write.epoch !== run.epoch) {
    return {
      status: "fenced",
      reason: `Run ${run.id} is in epoch ${run.epoch}, and this was written in ${write.epoch}.`,
    };
  }
  const changed = changeStatus(writing, run, write.status, at);
  return changed.status === "refused" ? changed : { status: "changed", previous: run.status };
}

/** The session and the variables that a new run begins with. */
function originOf(
  writing: Writing,
  run: NewRun,
): Refused | { sessionId: string; baseManifest: string | null } {
  const { sql } = writing;
  if (run.conversationId !== undefined) {
    const known = sql.get(
      "SELECT 1 FROM conversations WHERE id = ? AND owner = ?",
      run.conversationId,
      run.owner,
    );
    if (known === undefined) return refused(`There is no conversation ${run.conversationId}.`);
  }
  if (run.parentId === undefined) {
    const sessionId = run.sessionId ?? run.id;
    const other = sql.get<{ owner: string }>(
      "SELECT owner FROM runs WHERE session_id = ? LIMIT 1",
      sessionId,
    );
    if (other !== undefined && other.owner !== run.owner)
      return refused(`There is no session ${sessionId}.`);
    return { sessionId, baseManifest: null };
  }
  const parent = sql.get<ManifestSource & { owner: string }>(
    "SELECT n, owner, session_id, base_manifest, manifest FROM runs WHERE id = ? AND owner = ?",
    run.parentId,
    run.owner,
  );
  if (parent === undefined) return refused(`There is no run ${run.parentId} to continue.`);
  if (run.sessionId !== undefined && run.sessionId !== parent.session_id) {
    return refused(
      `Run ${run.parentId} belongs to session ${parent.session_id}, not to ${run.sessionId}.`,
    );
  }
  return { sessionId: parent.session_id, baseManifest: currentManifest(writing, parent) };
}

function refused(reason: string): Refused {
  return { status: "refused", reason };
}
