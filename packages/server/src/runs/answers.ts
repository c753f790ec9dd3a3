import {
  type ApprovalDecision,
  type Grant,
  type ReviewDecision,
  VariableSystem,
} from "@capstan/core";
import { type ClientOutput, coveredBy, errorMessage } from "@capstan/core/host";
import type { Dispatcher } from "./dispatch/dispatcher.ts";
import type { ApprovalRecord, OutcomeOf, RunRecord, Store, StoreWrite } from "@capstan/store";
import type { ActiveRuns } from "./active/active-runs.ts";
import type { CreateExecutor } from "./active/session.ts";
import { deliverAnswer } from "./active/read-resumption.ts";

export type Submission = Extract<StoreWrite, { type: "submit-outputs" }>;

export interface AnswersOptions {
  readonly store: Store;
  readonly createExecutor: CreateExecutor;
  readonly activeRuns: ActiveRuns;
  readonly dispatcher: Pick<Dispatcher, "answer" | "claim">;
  readonly log: (line: string) => void;
}

/**
 * Accepts what suspended runs wait for: users' answers, and outputs of clients' tools. Stores each
 * first, then delivers it to the run, which is active in this process or is claimed.
 */
export class Answers {
  readonly #options: AnswersOptions;

  constructor(options: AnswersOptions) {
    this.#options = options;
  }

  /**
   * A person's word. The first one counts; a later one gets what was decided. Undefined: no such approval.
   *
   * @param runId the run that asks, where it is known: it need not be looked for
   */
  async answer(
    owner: string,
    id: string,
    answer: ApprovalDecision | ReviewDecision,
    runId?: string,
  ): Promise<ApprovalRecord | undefined> {
    const { store, dispatcher } = this.#options;
    const outcome = await dispatcher.answer({ name: id, owner }, async (claims) => {
      const [answered] = await store.write([
        {
          type: "answer-approval",
          owner,
          id,
          answer,
          claims,
          ...(runId !== undefined && { runId }),
        },
      ]);
      if (answered.status === "answered") this.#tell(answered.approval);
      return answered;
    });
    if (!("approval" in outcome)) return undefined;
    const { approval } = outcome;
    if (approval.status === "expired") await this.expireApprovals();
    return approval;
  }

  /**
   * What a client's tools answered. Kept at once; the run goes on when it lacks nothing more. The
   * first output of a call counts, and the same again changes nothing.
   */
  async submitOutputs(
    owner: string,
    runId: string,
    outputs: readonly ClientOutput[],
  ): Promise<OutcomeOf<Submission>> {
    const { store, activeRuns, dispatcher } = this.#options;
    return dispatcher.answer({ name: `outputs of ${runId}`, owner }, async (claims) => {
      const [outcome] = await store.write([
        { type: "submit-outputs", owner, runId, outputs, claims },
      ]);
      if (outcome.status !== "submitted") return outcome;
      const taken = new Set(outcome.taken);
      const chain = activeRuns.get(runId)?.chain;
      for (const output of outputs) if (taken.has(output.callId)) chain?.submitOutput(output);
      return outcome;
    });
  }

  /** Closes the questions that nobody answered in time; the model is told. */
  async expireApprovals(): Promise<void> {
    const [outcome] = await this.#options.store.write([{ type: "expire-approvals" }]);
    if (outcome.status !== "expired") return;
    for (const approval of outcome.approvals) this.#tell(approval);
    await this.#options.dispatcher.claim(outcome.ready);
  }

  /** What one answer allowed answers the questions of other runs that it covers, too. */
  async release(run: RunRecord, grant: Grant): Promise<void> {
    const { store, createExecutor } = this.#options;
    if (grant.verdict !== "allow") return;
    this.#options.activeRuns.shareGrant(run, grant);
    try {
      const { owner, sessionId } = run;
      const open = await store.listApprovals({ owner, status: "pending", limit: 1_000 });
      const requests = open.data.flatMap((approval) => {
        const isMeant = grant.scope === "always" || approval.sessionId === sessionId;
        if (approval.kind !== "execution" || approval.runId === run.id || !isMeant) return [];
        return [approval.request];
      });
      if (requests.length === 0) return;
      const { registry } = createExecutor({ variables: new VariableSystem() }).gate;
      for (const id of coveredBy(grant, requests, registry))
        await this.answer(owner, id, { decision: "allow", by: "grant" });
    } catch (thrown) {
      this.#options.log(`Questions that ${grant.id} covers stay open: ${errorMessage(thrown)}`);
    }
  }

  /** Delivers the answer at once if the run is active here. A run that suspends at this moment finds the answer in the store. */
  #tell(approval: ApprovalRecord): void {
    const live = this.#options.activeRuns.get(approval.runId);
    if (live !== undefined) deliverAnswer(live.chain, approval);
  }
}
