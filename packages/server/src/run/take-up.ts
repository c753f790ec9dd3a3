import {
  type ApprovalDecision,
  type CallRecord,
  type ChainError,
  type ChainResume,
  isSettled,
  type Message,
} from "@capstan/core";
import type { ApprovalRecord, RunRecord } from "../journal/records.ts";
import type { Store } from "../journal/store.ts";
import type { RunJournalWrite } from "../journal/store-write.ts";
import { readChainState, type StoredChain } from "./chain-state.ts";
import type { RunRequest, StoredRunRequest } from "./run-request.ts";
import { isClosing } from "./run-status.ts";

/** How a run is taken up: what its journal gets first, and where the chain begins. */
export interface TakeUp {
  readonly writes: readonly RunJournalWrite[];
  readonly resume: ChainResume;
}

/** Where a run stopped, with the answers that came meanwhile. */
export async function resumption(store: Store, run: RunRecord): Promise<TakeUp> {
  const stored = await readChainState(store, run);
  const approvals = await approvalsOf(store, run);
  const answers = approvals
    .filter(({ status }) => status !== "pending")
    .map((approval) => ({ callId: approval.callId, decision: decisionOf(approval) }));
  const restart: RunJournalWrite = {
    type: "event",
    event: { type: "model.restarted", reason: "The server was restarted." },
  };
  const writes = [...endsOf(stored), ...(stored.cut.length === 0 ? [] : [restart])];
  return { writes, resume: { state: stored.state, answers } };
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
  const { round, messages } = stored.state;
  const kept = said.map((message): RunJournalWrite => ({ type: "message", round, message }));
  return {
    writes: [...endsOf(stored), ...kept, ...notices],
    resume: { state: { ...stored.state, messages: [...messages, ...said] }, close: why },
  };
}

/** Whether a run that waits has been answered: its server may stop before it goes on. */
export async function hasAnswer(store: Store, run: RunRecord): Promise<boolean> {
  const asked = new Set(run.result?.waiting?.map(({ callId }) => callId));
  const approvals = await approvalsOf(store, run);
  return approvals.some(({ callId, status }) => asked.has(callId) && status !== "pending");
}

/** The runs that carried this one's unfinished turn on, oldest first. */
export async function carriersOf(store: Store, run: RunRecord): Promise<readonly RunRecord[]> {
  const children = await store.listChildren({ owner: run.owner, runId: run.id });
  return children.filter(({ request }) => (request as Partial<StoredRunRequest>).adopts === true);
}

/** Whether a run waits for a word about a call of the server's own: that call is made once, whoever asks. */
export function awaitsApproval({ result }: RunRecord): boolean {
  return result?.waiting?.some(({ type }) => type === "approval") === true;
}

/**
 * A run's unfinished turn, for the one that carries it on. Answers that the request brings are
 * given to the approvals first: one that was answered already keeps its answer, and a call that
 * another run made for it is not made again.
 */
export async function adoption(
  store: Store,
  parent: RunRecord,
  request: RunRequest,
): Promise<ChainResume> {
  const { state } = await readChainState(store, parent);
  const given = new Map(request.answers.map(({ approvalId, decision }) => [approvalId, decision]));
  const answers: { callId: string; decision: ApprovalDecision }[] = [];
  for (const approval of await approvalsOf(store, parent)) {
    const decided = await answered(store, approval, given.get(approval.id));
    if (decided.status === "pending") continue;
    answers.push({ callId: decided.callId, decision: decisionOf(decided) });
  }
  const messages = request.continuesParent ? withoutCutAnswer(state.messages) : state.messages;
  const { outputs } = request;
  const ended = await endedElsewhere(store, parent);
  return {
    state: { ...state, messages },
    adopted: true,
    answers,
    outputs,
    ended,
    abandonWaiting: true,
  };
}

/** The calls that other runs made for this one. One that was only called off may still be made. */
async function endedElsewhere(store: Store, run: RunRecord): Promise<readonly CallRecord[]> {
  const ended: CallRecord[] = [];
  for (const { owner, id, status } of await carriersOf(store, run)) {
    if (!isClosing(status)) continue;
    for (const { call } of (await store.readCalls({ owner, runId: id })) ?? []) {
      const calledOff = call.status === "cancelled" && call.startedAt === undefined;
      if (call.owner === "server" && isSettled(call.status) && !calledOff) ended.push(call);
    }
  }
  return ended;
}

/** What the row says, as a decision: a question that expired or was called off is a refusal. */
export function decisionOf({ status, answer }: ApprovalRecord): ApprovalDecision {
  if (answer !== null) return answer;
  const reason = status === "expired" ? "nobody answered in time" : "the question was called off";
  return { decision: "refuse", reason, by: "system" };
}

async function answered(
  store: Store,
  approval: ApprovalRecord,
  answer: ApprovalDecision | undefined,
): Promise<ApprovalRecord> {
  if (answer === undefined || approval.status !== "pending") return approval;
  const { owner, id } = approval;
  const [outcome] = await store.write([{ type: "answer-approval", owner, id, answer }]);
  return "approval" in outcome ? outcome.approval : approval;
}

async function approvalsOf(store: Store, run: RunRecord): Promise<readonly ApprovalRecord[]> {
  const { data } = await store.listApprovals({ owner: run.owner, runId: run.id, limit: 1_000 });
  return data;
}

function endsOf({ cut }: StoredChain): readonly RunJournalWrite[] {
  return cut.map(({ itemId, text }) => ({
    type: "event",
    event: { type: "item.end", itemId, text, incomplete: true },
  }));
}

/** An answer that was cut off is not carried on: the model begins it again. */
function withoutCutAnswer(messages: readonly Message[]): readonly Message[] {
  const last = messages.at(-1);
  const cut = last?.role === "assistant" && last.tool_calls === undefined;
  return cut ? messages.slice(0, -1) : messages;
}
