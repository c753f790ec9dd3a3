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

export interface AnswersOptions {
  readonly stores: RunStores;
  readonly createExecutor: CreateExecutor;
  readonly registry: RunRegistry;
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
   * Answers an approval request. The first answer counts; a later one returns the decision. Returns
   * `undefined` if there is no such approval.
   *
   * @param runId the run that waits
   */
  async answer(
    owner: string,
    id: string,
    answer: ApprovalDecision | ReviewDecision,
    runId: string,
  ): Promise<ApprovalRecord | undefined> {
    const { stores, dispatcher } = this.#options;
    const write = { type: "answer-approval", owner, id, answer, runId } as const;
    const outcome = await dispatcher.answer({ name: id, owner, runId }, async (claims) => {
      const [answered] = await stores.of(runId).write([{ ...write, claims }]);
      if (answered.status === "answered") this.#deliver(answered.approval);
      return answered;
    });
    if (!("approval" in outcome)) return undefined;
    const { approval } = outcome;
    if (approval.status === "expired") await this.expireApprovals();
    return approval;
  }

  /**
   * Stores the outputs of a client's tools. The run resumes when it has all of them. The first output
   * of a call counts; the same output again changes nothing.
   */
  async submitOutputs(
    owner: string,
    runId: string,
    outputs: readonly ClientOutput[],
  ): Promise<OutcomeOf<Submission>> {
    const { stores, registry, dispatcher } = this.#options;
    const write = { type: "submit-outputs", owner, runId, outputs } as const;
    return dispatcher.answer({ name: `outputs of ${runId}`, owner, runId }, async (claims) => {
      const [outcome] = await stores.of(runId).write([{ ...write, claims }]);
      if (outcome.status !== "submitted") return outcome;
      const taken = outputs.filter(({ callId }) => outcome.taken.includes(callId));
      void registry.get(runId)?.send({ type: "outputs", outputs: taken });
      return outcome;
    });
  }

  /** Expires the approval requests without an answer in time; the model is told. */
  async expireApprovals(): Promise<void> {
    for (const store of this.#options.stores.all) {
      const [outcome] = await store.write([{ type: "expire-approvals" }]);
      if (outcome.status !== "expired") continue;
      for (const approval of outcome.approvals) this.#deliver(approval);
      await this.#options.dispatcher.claim(outcome.ready);
    }
  }

  /** Answers the approval requests of other runs that a new grant covers. */
  async release(run: RunRecord, grant: Grant): Promise<void> {
    if (grant.verdict !== "allow") return;
    const { stores, createExecutor } = this.#options;
    try {
      const { owner, sessionId } = run;
      const query = { owner, status: "pending", limit: 1_000 } as const;
      const pages = await Promise.all(stores.all.map((store) => store.listApprovals(query)));
      const open = pages.flatMap(({ data }) =>
        data.flatMap((approval) => {
          if ("isDamaged" in approval) return [];
          const isMeant = grant.scope === "always" || approval.sessionId === sessionId;
          if (approval.kind !== "execution" || approval.runId === run.id || !isMeant) return [];
          return [approval];
        }),
      );
      if (open.length === 0) return;
      const { registry } = createExecutor({ variables: new VariableSystem() }).gate;
      const requests = open.map(({ request }) => request);
      const covered = new Set(coveredBy(grant, requests, registry));
      for (const { id, runId } of open)
        if (covered.has(id))
          await this.answer(owner, id, { decision: "allow", by: "grant" }, runId);
    } catch (thrown) {
      this.#options.log(`Questions that ${grant.id} covers stay open: ${errorMessage(thrown)}`);
    }
  }

  /** A run that suspends at this moment finds the answer in the store. */
  #deliver(approval: ApprovalRecord): void {
    void this.#options.registry.get(approval.runId)?.send({ type: "answer", approval });
  }
}
