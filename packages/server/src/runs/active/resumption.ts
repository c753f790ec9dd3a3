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

/** How a run is taken up: what its journal gets first, and where the chain begins. */
export interface TakeUp {
  readonly writes: readonly RunJournalWrite[];
  readonly resume: ChainResume;
}

/**
 * Where a run stopped, with the answers that came meanwhile.
 *
 * @param heard one of these, where it is known: it need not be read
 */
export async function resumption(
  store: Store,
  run: RunRecord,
  stored: StoredChain,
  heard?: ApprovalRecord,
): Promise<TakeUp> {
  const { id, owner, request } = run;
  const given = request as unknown as Partial<StoredRunRequest>;
  const [submitted, answers] = await Promise.all([
    stored.state.calls.some(asksClient) ? store.listOutputs({ owner, runId: id }) : [],
    answersTo(store, owner, stored.state.calls, heard),
  ]);
  const outputs = [...(given.outputs ?? []), ...submitted];
  const restart: RunJournalWrite = {
    type: "event",
    event: { type: "model.restarted", reason: "The server was restarted." },
  };
  const writes = [...endsOf(stored), ...(stored.cut.length === 0 ? [] : [restart])];
  const state = { ...stored.state, calls: reopenedByPerson(stored.state.calls) };
  const resume = { state, ...answers, outputs };
  return { writes, resume };
}

function asksClient({ owner, status }: CallRecord): boolean {
  return owner === "client" && !isSettled(status);
}

/** The answers to the questions of open calls, whichever run asked them: a call may have been taken over. */
async function answersTo(
  store: Store,
  owner: string,
  calls: readonly CallRecord[],
  heard: ApprovalRecord | undefined,
): Promise<Required<Pick<ChainResume, "answers" | "reviews">>> {
  const answers: { callId: string; decision: ApprovalDecision }[] = [];
  const reviews: { callId: string; decision: ReviewDecision }[] = [];
  const asked = calls.flatMap(({ callId, status, approval, review }) => {
    const id = status === "in_review" ? review?.id : approval?.id;
    return isSettled(status) || id === undefined ? [] : [{ callId, id }];
  });
  const approvals = await Promise.all(
    asked.map(async ({ id }) => (id === heard?.id ? heard : store.getApproval({ owner, id }))),
  );
  for (const [n, { callId }] of asked.entries()) {
    const approval = approvals[n];
    if (approval === undefined || approval.status === "pending") continue;
    if (approval.kind === "result") reviews.push({ callId, decision: reviewDecisionOf(approval) });
    else answers.push({ callId, decision: decisionOf(approval) });
  }
  return { answers, reviews };
}

/** The end of a run that nobody carries on: what was said is kept, every open call is accounted for. */
export async function ending(
  store: Store,
  run: RunRecord,
  why: ChainError,
  notices: readonly RunJournalWrite[],
): Promise<TakeUp> {
  const stored = await readChainState(store, run);
  const said: readonly Message[] = stored.cut
    .filter(({ kind, text }) => kind === "text" && text !== "")
    .map(({ text }) => ({ role: "assistant", content: text }));
  const { messages } = stored.state;
  const round = Math.max(stored.state.round, stored.roundsBegun);
  const kept = said.map((message): RunJournalWrite => ({ type: "message", round, message }));
  return {
    writes: [...endsOf(stored), ...kept, ...notices],
    resume: { state: { ...stored.state, round, messages: [...messages, ...said] }, close: why },
  };
}

/** Tells a chain that goes on what a question's row says. One that does not wait for it stays as it is. */
export function tellChain(chain: ToolChainRun, approval: ApprovalRecord): void {
  if (approval.kind === "result") chain.answerReview(approval.id, reviewDecisionOf(approval));
  else chain.answer(approval.id, decisionOf(approval));
}

/** What the row says, as a decision: a question that expired or was called off is a refusal. */
export function decisionOf({ status, answer }: ExecutionApproval): ApprovalDecision {
  if (answer !== null) return answer;
  const reason = status === "expired" ? "nobody answered in time" : "the question was called off";
  return { decision: "refuse", reason, by: "system" };
}

/** The same for a result: without a reviewer's word it is withheld. */
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

function endsOf({ cut }: StoredChain): readonly RunJournalWrite[] {
  return cut.map(({ itemId, text }) => ({
    type: "event",
    event: { type: "item.end", itemId, text, incomplete: true },
  }));
}
