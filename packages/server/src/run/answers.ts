import {
  type ApprovalDecision,
  type ClientOutput,
  coveredBy,
  errorMessage,
  type Grant,
  type ReviewDecision,
  type ToolChainRun,
  VariableSystem,
} from "@capstan/core";
import type { ApprovalRecord, RunRecord } from "../journal/records.ts";
import type { Store } from "../journal/store.ts";
import type { OutcomeOf, StoreWrite } from "../journal/store-write.ts";
import type { Chains, LiveRun } from "./chains.ts";
import type { Serial } from "./serial.ts";
import type { CreateExecutor } from "./session.ts";
import { canGoOn, decisionOf, reviewDecisionOf } from "./take-up.ts";

export type Submission = Extract<StoreWrite, { type: "submit-outputs" }>;

export interface AnswersOptions {
  readonly store: Store;
  readonly createExecutor: CreateExecutor;
  readonly chains: Chains;
  /** One thing at a time of each run. */
  readonly serial: Serial;
  /** Takes a run up that waited, unless the server stops. */
  readonly resume: (run: RunRecord) => Promise<void>;
  readonly log: (line: string) => void;
}

/**
 * What runs wait for: people's words, and outputs of clients' tools. Each is kept first, then
 * taken to its run, which goes on in this process or is taken up.
 */
export class Answers {
  readonly #options: AnswersOptions;

  constructor(options: AnswersOptions) {
    this.#options = options;
  }

  /** A person's word. The first one counts; a later one gets what was decided. Undefined: no such approval. */
  async answer(
    owner: string,
    id: string,
    answer: ApprovalDecision | ReviewDecision,
  ): Promise<ApprovalRecord | undefined> {
    const [outcome] = await this.#options.store.write([
      { type: "answer-approval", owner, id, answer },
    ]);
    if (!("approval" in outcome)) return undefined;
    const { approval } = outcome;
    const isTold = ({ chain }: LiveRun) => tell(chain, approval);
    if (outcome.status === "answered") await this.#deliver(approval, isTold);
    else if (approval.status === "expired") await this.expireApprovals();
    // The first answer may have been kept by a server that did not live to act on it.
    if (outcome.status === "already_answered" && (await this.#waitsFor(approval)))
      await this.#deliver(approval, isTold);
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
    const [outcome] = await this.#options.store.write([
      { type: "submit-outputs", owner, runId, outputs },
    ]);
    if (outcome.status !== "submitted") return outcome;
    const taken = new Set(outcome.taken);
    const isTold = ({ chain }: LiveRun) =>
      outputs
        .filter(({ callId }) => taken.has(callId))
        .map((output) => chain.submitOutput(output))
        .every(Boolean);
    await this.#deliver({ owner, runId }, isTold);
    return outcome;
  }

  /** Closes the questions that nobody answered in time; the model is told. */
  async expireApprovals(): Promise<void> {
    const [outcome] = await this.#options.store.write([{ type: "expire-approvals" }]);
    if (outcome.status !== "expired") return;
    for (const approval of outcome.approvals)
      await this.#deliver(approval, ({ chain }) => tell(chain, approval));
  }

  /** What one answer allowed answers the questions of other runs that it covers, too. */
  async release(run: RunRecord, grant: Grant): Promise<void> {
    const { store, createExecutor } = this.#options;
    if (grant.verdict !== "allow") return;
    this.#options.chains.shareGrant(run, grant);
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

  /** Whether a run is parked on this very question. */
  async #waitsFor({ owner, runId, callId }: ApprovalRecord): Promise<boolean> {
    const run = await this.#options.store.getRun({ owner, id: runId });
    if (run?.status !== "requires_action") return false;
    return run.result?.waiting?.some((waiting) => waiting.callId === callId) === true;
  }

  /**
   * Takes an answer to its run. The answer is kept by now, so a run that cannot go on is no failure of it.
   *
   * @param isTold tells the chain, where the run goes on; false where that does not wait for it
   */
  async #deliver(
    { owner, runId: id }: Pick<ApprovalRecord, "owner" | "runId">,
    isTold: (live: LiveRun) => boolean,
  ): Promise<void> {
    await this.#options.serial.run(id, async () => {
      const live = this.#options.chains.get(id);
      if (live !== undefined && isTold(live)) return;
      await live?.done;
      try {
        const run = await this.#options.store.getRun({ owner, id });
        if (run?.status !== "requires_action") return;
        if (await canGoOn(this.#options.store, run)) await this.#options.resume(run);
      } catch (thrown) {
        this.#options.log(`Run ${id} could not be taken up: ${errorMessage(thrown)}`);
      }
    });
  }
}

/** False where the chain does not wait for it. */
function tell(chain: ToolChainRun, approval: ApprovalRecord): boolean {
  return approval.kind === "result"
    ? chain.answerReview(approval.id, reviewDecisionOf(approval))
    : chain.answer(approval.id, decisionOf(approval));
}
