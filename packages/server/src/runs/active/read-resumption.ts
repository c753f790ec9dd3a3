import type {
  ApprovalDecision,
  CallRecord,
  ChainError,
  Message,
  ReviewDecision,
  ToolChainRun,
} from "@capstan/core";
import { type ChainResume, isSettled, reopenedByPerson } from "@capstan/core/host";
import type {
  ApprovalRecord,
  ExecutionApproval,
  ResultApproval,
  RunJournalWrite,
  RunRecord,
  Store,
} from "@capstan/store";
import { readChainState, type StoredChain } from "./chain-state.ts";
import type { StoredRunRequest } from "../request/run-request.ts";

/** How a claimed run resumes: what is written to its journal first, and where its chain starts. */
export interface Resumption {
  readonly writes: readonly RunJournalWrite[];
  readonly resume: ChainResume;
}

/**
 * Reads where a run stopped, and the answers that have come since.
 *
 * @param known one of these answers, if the caller has it, so that it is not read
 */
export async function readResumption(
  store: Store,
  run: RunRecord,
  stored: StoredChain,
  known?: ApprovalRecord,
): Promise<Resumption> {
  const { id, owner, request } = run;
  const given = request as unknown as Partial<StoredRunRequest>;
  const [submitted, answers] = await Promise.all([
    stored.state.calls.some(asksClient) ? store.listOutputs({ owner, runId: id }) : [],
    answersTo(store, owner, stored.state.calls, known),
  ]);
  const outputs = [...(given.outputs ?? []), ...submitted];
  const restart: RunJournalWrite = {
    type: "event",
    event: { type: "model.restarted", reason: "The server was restarted." },
  };
  const writes = [...endsOf(stored), ...(stored.unfinishedItems.length === 0 ? [] : [restart])];
  const state = { ...stored.state, calls: reopenedByPerson(stored.state.calls) };
  const resume = { state, ...answers, outputs };
  return { writes, resume };
}

function asksClient({ owner, status }: CallRecord): boolean {
  return owner === "client" && !isSettled(status);
}

/** Reads the answers to the approval requests of open calls. Another run may have made the request, if a call was taken over. */
async function answersTo(
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
    if (approval.kind === "result") reviews.push({ callId, decision: reviewDecisionOf(approval) });
    else answers.push({ callId, decision: decisionOf(approval) });
  }
  return { answers, reviews };
}

/** Reads how to end a run that is not resumed: its text is kept, and each open call gets a result. */
export async function readEnding(
  store: Store,
  run: RunRecord,
  why: ChainError,
  notices: readonly RunJournalWrite[],
): Promise<Resumption> {
  const stored = await readChainState(store, run);
  const said: readonly Message[] = stored.unfinishedItems
    .filter(({ kind, text }) => kind === "text" && text !== "")
    .map(({ text }) => ({ role: "assistant", content: text }));
  const { messages } = stored.state;
  const round = Math.max(stored.state.round, stored.roundsStarted);
  const kept = said.map((message): RunJournalWrite => ({ type: "message", round, message }));
  return {
    writes: [...endsOf(stored), ...kept, ...notices],
    resume: { state: { ...stored.state, round, messages: [...messages, ...said] }, close: why },
  };
}

/** Gives an active chain the answer of an approval. A chain that does not wait for it ignores it. */
export function deliverAnswer(chain: ToolChainRun, approval: ApprovalRecord): void {
  if (approval.kind === "result") chain.answerReview(approval.id, reviewDecisionOf(approval));
  else chain.answer(approval.id, decisionOf(approval));
}

/** Returns the approval's decision: one that expired or was cancelled is a rejection. */
export function decisionOf({ status, answer }: ExecutionApproval): ApprovalDecision {
  if (answer !== null) return answer;
  const reason = status === "expired" ? "nobody answered in time" : "the question was called off";
  return { decision: "refuse", reason, by: "system" };
}

/** Returns the decision on a result: without a reviewer's answer it is withheld. */
export function reviewDecisionOf({ status, answer }: ResultApproval): ReviewDecision {
  if (answer !== null) return answer;
  const reason = status === "expired" ? "nobody looked at it in time" : "its review was called off";
  return { decision: "withhold", reason, by: "system" };
}

export async function approvalsOf(
  store: Store,
  run: RunRecord,
): Promise<readonly ApprovalRecord[]> {
  const { data } = await store.listApprovals({ owner: run.owner, runId: run.id, limit: 1_000 });
  return data;
}

function endsOf({ unfinishedItems }: StoredChain): readonly RunJournalWrite[] {
  return unfinishedItems.map(({ itemId, text }) => ({
    type: "event",
    event: { type: "item.end", itemId, text, incomplete: true },
  }));
}
