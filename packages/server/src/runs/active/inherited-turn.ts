import type { ApprovalDecision, CallRecord, ChainState, Message } from "@capstan/core";
import { type ChainResume, isSettled, reopenedByUser } from "@capstan/core/host";
import {
  type ExecutionApproval,
  isClosing,
  type RunRecord,
  type Store,
  requestOf,
  type StoredRequest,
} from "@capstan/store";
import { readChainState } from "./chain-state.ts";
import { toApprovalDecision } from "./active-run.ts";

/** Returns the runs that took over this run's unfinished turn, oldest first. */
export async function listSuccessors(store: Store, run: RunRecord): Promise<readonly RunRecord[]> {
  const children = await store.listChildren({ owner: run.owner, runId: run.id });
  return children.filter((child) => child.kind === "turn" && requestOf(child).adopts);
}

/**
 * Whether a run waits for approval of one of the server's own calls. Only one successor may make
 * that call.
 */
export function isWaitingForApproval({ result }: RunRecord): boolean {
  return result?.waiting?.some(({ type }) => type === "approval") === true;
}

/** Reads a run's unfinished turn as the initial state of its successor. */
export async function readInheritedTurn(
  store: Store,
  parent: RunRecord,
  { continuesParent }: Pick<StoredRequest, "continuesParent">,
): Promise<ChainState> {
  const stored = await readChainState(store, parent);
  const state = { ...stored.state, calls: reopenedByUser(stored.state.calls) };
  return continuesParent ? { ...state, messages: withoutIncompleteAnswer(state.messages) } : state;
}

/**
 * Returns the state from which a run resumes the turn that it took over. First stores the answers
 * in the request. An approval that already has an answer does not change, and a call that another
 * successor made is not made again.
 */
export async function resumeInheritedTurn(
  store: Store,
  {
    parent,
    inherited: state,
    request,
  }: {
    readonly parent: RunRecord;
    readonly inherited: ChainState;
    readonly request: Pick<StoredRequest, "answers" | "outputs">;
  },
): Promise<ChainResume> {
  const given = new Map(request.answers.map(({ approvalId, decision }) => [approvalId, decision]));
  const answers: { callId: string; decision: ApprovalDecision }[] = [];
  const approvals = { owner: parent.owner, runId: parent.id, limit: 1_000 };
  for (const approval of (await store.listApprovals(approvals)).data) {
    // Only its own run reads a result in review. A corrupt approval allows nothing.
    if ("isCorrupt" in approval || approval.kind === "result") continue;
    const decided = await storeAnswer(store, approval, given.get(approval.id));
    if (decided.status === "pending") continue;
    answers.push({ callId: decided.callId, decision: toApprovalDecision(decided) });
  }
  // Outputs that the client submitted while the run stopped are not requested again.
  const submitted = await store.listOutputs({ owner: parent.owner, runId: parent.id });
  const ended = await readCallsEndedElsewhere(store, parent);
  return {
    state,
    adopted: true,
    answers,
    outputs: [...submitted, ...request.outputs],
    ended,
    abandonWaiting: true,
  };
}

/** Returns the calls of this turn that other successors made. A call that was cancelled before it started may still be made. */
async function readCallsEndedElsewhere(
  store: Store,
  run: RunRecord,
): Promise<readonly CallRecord[]> {
  const ended: CallRecord[] = [];
  for (const { owner, id, status } of await listSuccessors(store, run)) {
    if (!isClosing(status)) continue;
    for (const { call } of (await store.readCalls({ owner, runId: id })) ?? []) {
      const cancelledBeforeStart = call.status === "cancelled" && call.startedAt === undefined;
      if (call.owner === "server" && isSettled(call.status) && !cancelledBeforeStart)
        ended.push(call);
    }
  }
  return ended;
}

async function storeAnswer(
  store: Store,
  approval: ExecutionApproval,
  answer: ApprovalDecision | undefined,
): Promise<ExecutionApproval> {
  if (answer === undefined || approval.status !== "pending") return approval;
  const { owner, id } = approval;
  const [outcome] = await store.write([{ type: "answer-approval", owner, id, answer }]);
  return "approval" in outcome && outcome.approval.kind === "execution"
    ? outcome.approval
    : approval;
}

/** Removes an incomplete answer, which the model generates again. */
function withoutIncompleteAnswer(messages: readonly Message[]): readonly Message[] {
  const last = messages.at(-1);
  const cut = last?.role === "assistant" && last.tool_calls === undefined;
  return cut ? messages.slice(0, -1) : messages;
}
