import type { ApprovalDecision, CallRecord, ChainState, Message } from "@capstan/core";
import { type ChainResume, isSettled, reopenedByPerson } from "@capstan/core/host";
import { type ExecutionApproval, isClosing, type RunRecord, type Store } from "@capstan/store";
import { readChainState } from "./chain-state.ts";
import type { StoredRunRequest } from "../request/run-request.ts";
import { approvalsOf, decisionOf } from "./resumption.ts";

/** The runs that carried this one's unfinished turn on, oldest first. */
export async function carriersOf(store: Store, run: RunRecord): Promise<readonly RunRecord[]> {
  const children = await store.listChildren({ owner: run.owner, runId: run.id });
  return children.filter(({ request }) => (request as Partial<StoredRunRequest>).adopts === true);
}

/** Whether a run waits for a word about a call of the server's own: that call is made once, whoever asks. */
export function awaitsApproval({ result }: RunRecord): boolean {
  return result?.waiting?.some(({ type }) => type === "approval") === true;
}

/** A run's unfinished turn, as the one that carries it on begins with it. */
export async function inheritedTurn(
  store: Store,
  parent: RunRecord,
  { continuesParent }: Pick<StoredRunRequest, "continuesParent">,
): Promise<ChainState> {
  const stored = await readChainState(store, parent);
  const state = { ...stored.state, calls: reopenedByPerson(stored.state.calls) };
  return continuesParent ? { ...state, messages: withoutCutAnswer(state.messages) } : state;
}

/**
 * How a run goes on with what it inherited. Answers that the request brings are
 * given to the approvals first: one that was answered already keeps its answer, and a call that
 * another run made for it is not made again.
 */
export async function adoption(
  store: Store,
  {
    parent,
    inherited: state,
    request,
  }: {
    readonly parent: RunRecord;
    readonly inherited: ChainState;
    readonly request: Pick<StoredRunRequest, "answers" | "outputs">;
  },
): Promise<ChainResume> {
  const given = new Map(request.answers.map(({ approvalId, decision }) => [approvalId, decision]));
  const answers: { callId: string; decision: ApprovalDecision }[] = [];
  for (const approval of await approvalsOf(store, parent)) {
    // A result in review does not leave its run.
    if (approval.kind === "result") continue;
    const decided = await answered(store, approval, given.get(approval.id));
    if (decided.status === "pending") continue;
    answers.push({ callId: decided.callId, decision: decisionOf(decided) });
  }
  // What was submitted to the run as it stopped is not asked for again.
  const submitted = await store.listOutputs({ owner: parent.owner, runId: parent.id });
  const ended = await endedElsewhere(store, parent);
  return {
    state,
    adopted: true,
    answers,
    outputs: [...submitted, ...request.outputs],
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

async function answered(
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

/** An answer that was cut off is not carried on: the model begins it again. */
function withoutCutAnswer(messages: readonly Message[]): readonly Message[] {
  const last = messages.at(-1);
  const cut = last?.role === "assistant" && last.tool_calls === undefined;
  return cut ? messages.slice(0, -1) : messages;
}
