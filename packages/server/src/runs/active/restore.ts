import type {
  ApprovalDecision,
  CallRecord,
  ChainError,
  Message,
  ReviewDecision,
  VariableSystem,
} from "@capstan/core";
import { type ChainResume, isSettled, reopenedByUser } from "@capstan/core/host";
import {
  type ApprovalRecord,
  type ClaimedRun,
  requestOf,
  type RunJournalWrite,
  type RunRecord,
  type Store,
} from "@capstan/store";
import type { VariablesOrigin } from "./run-variables.ts";
import { toApprovalDecision, toReviewDecision } from "./active-run.ts";
import { readChainState, type StoredChain } from "./chain-state.ts";
import { readInheritedTurn, resumeInheritedTurn } from "./inherited-turn.ts";
import type { WarmRun } from "./warm-runs.ts";

/** How a claimed run starts or resumes. */
export interface Restored {
  readonly run: RunRecord;
  /** The writes with which its journal starts. */
  readonly writes: readonly RunJournalWrite[];
  readonly input: LaunchInput;
}

/** The input with which a chain starts or resumes. */
export interface LaunchInput {
  readonly inputMessages?: readonly Message[];
  /** The messages that its journal already has. */
  readonly written?: readonly Message[];
  readonly resume?: ChainResume;
  /** The origin of the initial variables of a new run. */
  readonly variablesOf?: VariablesOrigin;
  /** The initial variables of a new run, if the caller has them. */
  readonly variables?: VariableSystem;
  /** Resolves to whether a new run is stored, if it begins before that. */
  readonly isStored?: Promise<boolean>;
}

/**
 * Reads the state from which a claimed run continues: its last stored step, and later answers.
 *
 * @param given.warm the state that this process has cached
 * @param given.answer the answer whose commit claimed the run, if there was one
 * @returns "stale" if the run has been claimed again since, for example to be closed; "crashing" if
 * more than `maxCrashes` of its processes died in a row without progress
 */
export async function restoreRun(
  store: Store,
  claimed: ClaimedRun,
  given: {
    readonly warm: WarmRun;
    readonly answer?: ApprovalRecord | undefined;
    readonly maxCrashes: number;
  },
): Promise<Restored | "stale" | "crashing"> {
  const run = given.warm.run ?? (await readClaimed(store, claimed));
  if (run.epoch !== claimed.epoch) return "stale";
  if (run.lastSeq === 0) return restart(store, run);
  const stored = given.warm.chain ?? (await readChainState(store, run));
  if (stored.crashes > given.maxCrashes) return "crashing";
  if (!stored.hasStarted) return restart(store, run);
  const { id, owner } = run;
  const { outputs } = requestOf(run);
  const [submitted, answers] = await Promise.all([
    stored.state.calls.some(asksClient) ? store.listOutputs({ owner, runId: id }) : [],
    readAnswers(store, owner, stored.state.calls, given.answer),
  ]);
  const restarted: RunJournalWrite = {
    type: "event",
    event: { type: "model.restarted", reason: "The server was restarted." },
  };
  const state = { ...stored.state, calls: reopenedByUser(stored.state.calls) };
  return {
    run,
    writes: [...endsOf(stored), ...(stored.unfinishedItems.length === 0 ? [] : [restarted])],
    input: {
      resume: { state, ...answers, outputs: [...outputs, ...submitted], waited: stored.wasWaiting },
    },
  };
}

/** Reads a claimed run's record. */
export async function readClaimed(
  store: Store,
  { owner, id }: Pick<RunRecord, "owner" | "id">,
): Promise<RunRecord> {
  const run = await store.getRun({ owner, id });
  if (run === undefined) throw new Error("it no longer exists");
  return run;
}

/**
 * Reads the state for ending a run that is not resumed. The run's text stays, and each open call
 * gets a result.
 */
export async function readEnding(
  store: Store,
  run: RunRecord,
  why: ChainError,
): Promise<{ readonly writes: readonly RunJournalWrite[]; readonly resume: ChainResume }> {
  const stored = await readChainState(store, run);
  const partialMessages: readonly Message[] = stored.unfinishedItems
    .filter(({ kind, text }) => kind === "text" && text !== "")
    .map(({ text }) => ({ role: "assistant", content: text }));
  const { messages } = stored.state;
  const round = Math.max(stored.state.round, stored.roundsStarted);
  const partialWrites = partialMessages.map((message): RunJournalWrite => ({
    type: "message",
    round,
    message,
  }));
  return {
    writes: [...endsOf(stored), ...partialWrites],
    resume: {
      state: { ...stored.state, round, messages: [...messages, ...partialMessages] },
      close: why,
    },
  };
}

/** Starts a run whose process crashed before the run's first event. */
async function restart(store: Store, run: RunRecord): Promise<Restored> {
  const { owner, id, parentId } = run;
  const request = requestOf(run);
  const messages = (await store.readMessages({ owner, runId: id })) ?? [];
  if (!request.adopts || parentId === null)
    return { run, writes: [], input: { inputMessages: messages, written: messages } };
  const parent = await store.getRun({ owner, id: parentId });
  if (parent === undefined) throw new Error("the run whose turn it takes over no longer exists");
  const inherited = await readInheritedTurn(store, parent, request);
  const inputMessages = messages.slice(inherited.messages.length);
  const resume = await resumeInheritedTurn(store, { parent, inherited, request });
  return { run, writes: [], input: { inputMessages, written: messages, resume } };
}

function asksClient({ owner, status }: CallRecord): boolean {
  return owner === "client" && !isSettled(status);
}

/** Reads the answers to the approval requests of open calls. Another run may have made the request, if a call was taken over. */
async function readAnswers(
  store: Store,
  owner: string,
  calls: readonly CallRecord[],
  known: ApprovalRecord | undefined,
): Promise<Required<Pick<ChainResume, "answers" | "reviews">>> {
  const answers: { callId: string; decision: ApprovalDecision }[] = [];
  const reviews: { callId: string; decision: ReviewDecision }[] = [];
  const asked = calls.flatMap(({ callId, status, approval, review }) => {
    const id = status === "in_review" ? review?.id : approval?.id;
    return isSettled(status) || id === undefined ? [] : [{ callId, id }];
  });
  const approvals = await Promise.all(
    asked.map(async ({ id }) => (id === known?.id ? known : store.getApproval({ owner, id }))),
  );
  for (const [n, { callId }] of asked.entries()) {
    const approval = approvals[n];
    if (approval === undefined || approval.status === "pending") continue;
    if (approval.kind === "result") reviews.push({ callId, decision: toReviewDecision(approval) });
    else answers.push({ callId, decision: toApprovalDecision(approval) });
  }
  return { answers, reviews };
}

function endsOf({ unfinishedItems }: StoredChain): readonly RunJournalWrite[] {
  return unfinishedItems.map(({ itemId, text }) => ({
    type: "event",
    event: { type: "item.end", itemId, text, incomplete: true },
  }));
}
