import {
  type ApprovalDecision,
  type Grant,
  type ReviewDecision,
  VariableSystem,
} from "@capstan/core";
import { type ClientOutput, coveredBy, errorMessage } from "@capstan/core/host";
import type { ApprovalRecord, OutcomeOf, RunRecord, StoreWrite } from "@capstan/store";
import type { CreateExecutor } from "./active/launch.ts";
import type { RunRegistry } from "./active/run-registry.ts";
import type { RunStores } from "./active/run-stores.ts";
import type { Dispatcher } from "./dispatch/dispatcher.ts";

export type Submission = Extract<StoreWrite, { type: "submit-outputs" }>;

export interface AnswerContext {
  readonly stores: RunStores;
  readonly createExecutor: CreateExecutor;
  readonly registry: RunRegistry;
  readonly dispatcher: Pick<Dispatcher, "answer" | "claim">;
  readonly log: (line: string) => void;
}

/*
 * Handles users' answers and the outputs of clients' tools, for which suspended runs wait. Each is
 * stored first, then delivered to the run, which is active in this process or is claimed.
 */

/** Answers an approval request of a run. Returns `undefined` if there is no such approval. */
export async function answerApproval(
  context: AnswerContext,
  { owner, id, runId }: { readonly owner: string; readonly id: string; readonly runId: string },
  answer: ApprovalDecision | ReviewDecision,
): Promise<ApprovalRecord | undefined> {
  const write = { type: "answer-approval", owner, id, answer, runId } as const;
  const outcome = await context.dispatcher.answer({ name: id, owner, runId }, async (claims) => {
    const [answered] = await context.stores.of(runId).write([{ ...write, claims }]);
    if (answered.status === "answered") deliver(context, answered.approval);
    return answered;
  });
  if (!("approval" in outcome)) return undefined;
  return outcome.approval;
}

export async function submitOutputs(
  { stores, registry, dispatcher }: AnswerContext,
  { owner, id: runId }: Pick<RunRecord, "owner" | "id">,
  outputs: readonly ClientOutput[],
): Promise<OutcomeOf<Submission>> {
  const write = { type: "submit-outputs", owner, runId, outputs } as const;
  return dispatcher.answer({ name: `outputs of ${runId}`, owner, runId }, async (claims) => {
    const [outcome] = await stores.of(runId).write([{ ...write, claims }]);
    if (outcome.status !== "submitted") return outcome;
    const taken = outputs.filter(({ callId }) => outcome.taken.includes(callId));
    void registry.get(runId)?.send({ type: "outputs", outputs: taken });
    return outcome;
  });
}

/** @param ids the requests to expire. @default all requests whose stored time is up */
export async function expireApprovals(
  context: AnswerContext,
  ids?: readonly string[],
): Promise<void> {
  for (const store of context.stores.all) {
    const [outcome] = await store.write([{ type: "expire-approvals", ...(ids && { ids }) }]);
    if (outcome.status !== "expired") continue;
    for (const approval of outcome.approvals) deliver(context, approval);
    await context.dispatcher.claim(outcome.ready);
  }
}

/** Answers the approval requests of other runs that a new grant covers. */
export async function releaseCovered(
  context: AnswerContext,
  run: RunRecord,
  grant: Grant,
): Promise<void> {
  if (grant.verdict !== "allow") return;
  const { owner, sessionId } = run;
  try {
    const query = { owner, status: "pending", limit: 1_000 } as const;
    const pages = await Promise.all(context.stores.all.map((store) => store.listApprovals(query)));
    const open = pages.flatMap(({ data }) =>
      data.flatMap((approval) => {
        if ("isCorrupt" in approval) return [];
        const isMeant = grant.scope === "always" || approval.sessionId === sessionId;
        if (approval.kind !== "execution" || approval.runId === run.id || !isMeant) return [];
        return [approval];
      }),
    );
    if (open.length === 0) return;
    const { registry } = context.createExecutor({
      variables: new VariableSystem(),
      drafts: true,
    }).gate;
    const requests = open.map(({ request }) => request);
    const covered = new Set(coveredBy(grant, requests, registry));
    for (const { id, runId } of open)
      if (covered.has(id))
        await answerApproval(context, { owner, id, runId }, { decision: "allow", by: "grant" });
  } catch (thrown) {
    context.log(`Approvals that ${grant.id} covers stay pending:  ${errorMessage(thrown)}`);
  }
}

/** A run that is just suspending finds the answer in the store. */
function deliver({ registry }: AnswerContext, approval: ApprovalRecord): void {
  void registry.get(approval.runId)?.send({ type: "answer", approval });
}
