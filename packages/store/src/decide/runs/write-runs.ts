import type { NewBlob } from "../../blobs/split-inputs.ts";
import { isClosing, transition } from "../../records/run-status.ts";
import type { RunVersion } from "../../records/records.ts";
import { all, first, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";
import type { NewRun, StoreWrite } from "../../records/store-writes.ts";
import type { OutcomeOf, Refused } from "../../records/write-outcomes.ts";
import { noteRun } from "../state/note-run.ts";
import { changeStatus, closeRun } from "./change-status.ts";
import type { RunState } from "../state/run-states.ts";
import { currentManifest } from "../rows/write-variables.ts";
import type { WriteContext } from "../state/write-context.ts";

type CreateRun = Extract<StoreWrite, { type: "create-run" }>;
type SetStatus = Extract<StoreWrite, { type: "set-status" }>;

const findConversation = statement(
  { reads: ["conversations"] },
  "SELECT 1 FROM conversations WHERE id = ? AND owner = ?",
);

const findSession = statement<{ owner: string }>(
  { reads: ["runs"] },
  "SELECT owner FROM runs WHERE session_id = ? LIMIT 1",
);

const findOpenSuccessor = statement(
  { reads: ["runs"] },
  "SELECT 1 FROM runs WHERE parent_id = ? AND kind = 'turn' AND ended_at IS NULL LIMIT 1",
);

const findKnownBlobs = statement<{ sha256: string }>(
  { reads: ["run_blobs"] },
  ({ anyOf }) => `SELECT DISTINCT sha256 FROM run_blobs WHERE owner = ? AND sha256 ${anyOf}`,
);

interface Origin {
  readonly sessionId: string;
  readonly baseManifest: string | null;
  readonly parent?: RunVersion;
}

/** Creates a run in its session, with its input and messages. */
export function* createRun(
  context: WriteContext,
  { run }: CreateRun,
  at: number,
): Script<OutcomeOf<CreateRun>> {
  const { changes, runs } = context;
  if (runs.get(run.id) !== undefined)
    return refused(`There is a run ${run.id} already: give each a new random id.`);
  const n = context.takeRunNumber();
  const origin = yield* originOf(context, run);
  if ("status" in origin) return origin;
  const status = run.status ?? "queued";
  const begins = transition("none", status);
  if (begins.status === "refused") return begins;
  const epoch = status === "queued" ? 0 : 1;
  const { sessionId, baseManifest, parent } = origin;
  const { id, owner } = run;
  changes.insert("runs", {
    n,
    id,
    owner,
    session_id: sessionId,
    conversation_id: run.conversationId ?? null,
    parent_id: run.parentId ?? null,
    kind: run.kind ?? "turn",
    status,
    epoch,
    stored: run.stored === false ? 0 : 1,
    model: run.model,
    title: run.title ?? null,
    base_manifest: baseManifest,
    created_at: at,
    updated_at: at,
    ended_at: isClosing(status) ? at : null,
    node: status === "in_progress" ? context.node : null,
    edits: 0,
    answers: 0,
  });
  changes.insert("run_requests", {
    run_n: n,
    owner,
    request: JSON.stringify(run.request),
    input: JSON.stringify(run.input),
    full_input: run.fullInput === undefined ? null : JSON.stringify(run.fullInput),
  });
  if (run.blobs !== undefined) yield* referTo(context, { n, owner }, run.blobs);
  const nothing = { edits: 0, answers: 0, lastSeq: 0, nth: 0, variables: 0, changes: [], open: [] };
  const manifests = { baseManifest, manifest: null };
  const state: RunState = {
    ...nothing,
    ...manifests,
    n,
    id,
    owner,
    sessionId,
    conversationId: run.conversationId ?? null,
    epoch,
    status,
    createdAt: at,
  };
  noteRun(context, state, true);
  if (isClosing(status)) {
    const { manifest } = yield* closeRun(context, state, at);
    changes.update("runs", { n }, { manifest });
    runs.set({ ...state, manifest });
  } else runs.set(state);
  const created = { status: "created", sessionId, epoch, createdAt: at } as const;
  return parent === undefined ? created : { ...created, parent };
}

/**
 * Adds references to blobs. The size of a blob counts once per owner, for the first run that refers
 * to it.
 */
function* referTo(
  { changes }: WriteContext,
  { n, owner }: Pick<RunState, "n" | "owner">,
  blobs: readonly NewBlob[],
): Script<void> {
  const known = yield* all(
    findKnownBlobs,
    owner,
    blobs.map(({ sha256 }) => sha256),
  );
  const counted = new Set(known.map(({ sha256 }) => sha256));
  for (const { sha256, size } of blobs) {
    changes.insert("run_blobs", { run_n: n, sha256, owner, size: counted.has(sha256) ? 0 : size });
  }
}

/** Suspends a run or returns it to the queue. */
export function* setStatus(
  context: WriteContext,
  write: SetStatus,
  at: number,
): Script<OutcomeOf<SetStatus>> {
  const run = context.runs.get(write.runId);
  if (run === undefined) return { status: "not_found" };
  if (write.epoch !== undefined && write.epoch !== run.epoch) {
    return {
      status: "fenced",
      reason: `Run ${run.id} is in epoch ${run.epoch}, and this was written in ${write.epoch}.`,
    };
  }
  const changed = yield* changeStatus(context, run, write.status, at);
  if (changed.status === "refused") return changed;
  const { status: previous } = run;
  if (write.status !== "queued" || previous === "queued")
    return { status: "changed", previous, epoch: run.epoch };
  // The run has no owner until it is claimed. Its previous process can still be alive; the new
  // epoch fences its writes.
  const epoch = run.epoch + 1;
  context.changes.update("runs", { n: run.n }, { epoch });
  context.runs.set({ ...changed.run, epoch });
  return { status: "changed", previous, epoch };
}

/** Returns the session and the variables that a new run begins with. */
function* originOf(context: WriteContext, run: NewRun): Script<Refused | Origin> {
  if (run.conversationId !== undefined) {
    const known = yield* first(findConversation, run.conversationId, run.owner);
    if (known === undefined) return refused(`There is no conversation ${run.conversationId}.`);
  }
  if (run.parentId === undefined) {
    // A run that does not continue a session begins a new one.
    if (run.sessionId === undefined) return { sessionId: run.id, baseManifest: null };
    const other = yield* first(findSession, run.sessionId);
    if (other !== undefined && other.owner !== run.owner)
      return refused(`There is no session ${run.sessionId}.`);
    return { sessionId: run.sessionId, baseManifest: null };
  }
  const parent = context.runs.get(run.parentId);
  if (parent === undefined || parent.owner !== run.owner)
    return refused(`There is no run ${run.parentId} to continue.`);
  if (run.sessionId !== undefined && run.sessionId !== parent.sessionId) {
    return refused(
      `Run ${run.parentId} belongs to session ${parent.sessionId}, not to ${run.sessionId}.`,
    );
  }
  const { id, sessionId, epoch, edits } = parent;
  const read = run.parentVersion;
  if (read !== undefined && (read.epoch !== epoch || read.edits !== edits))
    return refused(`Run ${id} has changed since it was read.`);
  // Another node can take over the turn at the same time. The parent's row is locked by now, so one
  // of the two sees the other.
  if (run.takesOver === true && (yield* first(findOpenSuccessor, id)) !== undefined)
    return refused("Another response already continues this turn.");
  const baseManifest = yield* currentManifest(context, parent);
  return { sessionId, baseManifest, parent: { id, epoch, edits } };
}

function refused(reason: string): Refused {
  return { status: "refused", reason };
}
