import {
  type ApprovalDecision,
  type ChainError,
  type ChainResume,
  errorMessage,
  type JsonValue,
  type Message,
  type ModelCatalog,
  newId,
  type ToolChainRun,
  type GrantBook,
  type VariableChange,
  VariableSystem,
} from "@capstan/core";
import type { ApprovalRecord, ConversationRecord, RunRecord } from "../journal/records.ts";
import type { Store } from "../journal/store.ts";
import { isAccepted, type RunJournalWrite, type StoreWrite } from "../journal/store-write.ts";
import { readChainState, type StoredChain } from "./chain-state.ts";
import { launch } from "./launch.ts";
import type { RunRequest, StoredRunRequest } from "./run-request.ts";
import { isClosing } from "./run-status.ts";
import { Serial } from "./serial.ts";
import type { ServerLimits } from "./server-limits.ts";
import { type CreateExecutor, readGrants, readVariables } from "./session.ts";
import { WarmVariables } from "./warm-variables.ts";

export interface RunServiceOptions {
  readonly store: Store;
  readonly models: ModelCatalog;
  readonly createExecutor: CreateExecutor;
  readonly limits: ServerLimits;
  readonly log: (line: string) => void;
}

export type StartOutcome =
  | { readonly status: "started"; readonly run: RunRecord }
  /** The conversation went on elsewhere, or its last run has not ended. */
  | { readonly status: "conflict"; readonly message: string };

interface LiveRun {
  readonly epoch: number;
  readonly chain: ToolChainRun;
  readonly sessionId: string;
  readonly variables: VariableSystem;
  readonly grants: GrantBook;
  /** Resolves once the chain's last word is written, and the run is not live any more. */
  readonly done: Promise<void>;
}

const interrupted: ChainError = {
  code: "interrupted",
  message: "The server stopped while this was running. What was done until then is kept.",
  phase: "chain",
};
const stoppedByPerson: ChainError = {
  code: "aborted",
  message: "a person stopped it",
  phase: "chain",
};

/** Runs: begun, waited for, answered, stopped, taken up again. All of one store. */
export class RunService {
  readonly #options: RunServiceOptions;
  readonly #live = new Map<string, LiveRun>();
  readonly #warm: WarmVariables;
  readonly #serial = new Serial();
  #closing = false;

  constructor(options: RunServiceOptions) {
    this.#options = options;
    this.#warm = new WarmVariables(options.limits.warmSessions);
  }

  get store(): Store {
    return this.#options.store;
  }

  /** Makes a run and begins it. Resolves once it is stored; it goes on by itself. */
  async start(request: RunRequest): Promise<StartOutcome> {
    const { store } = this.#options;
    const parent =
      request.parentId === null
        ? undefined
        : await store.getRun({ owner: request.principal, id: request.parentId });
    if (parent !== undefined && !isClosing(parent.status)) {
      return {
        status: "conflict",
        message: "The answer before this one has not ended. Wait for it, or stop it first.",
      };
    }
    const adopts =
      parent !== undefined &&
      (request.continuesParent || (parent.result?.waiting ?? []).length > 0);
    const id = newId("resp_");
    const created = await this.#create(id, request, adopts);
    if (created !== undefined) return created;
    const run = await store.getRun({ owner: request.principal, id });
    if (run === undefined) throw new Error(`The run ${id} was not stored.`);
    const resume =
      adopts && parent !== undefined ? await this.#adoption(parent, request) : undefined;
    const { contextMessages, inputMessages } = request;
    await this.#serial.run(id, () =>
      this.#launch(run, {
        contextMessages,
        inputMessages,
        ...(resume !== undefined && { resume }),
      }),
    );
    return { status: "started", run };
  }

  /** Carries a run that failed or was stopped on, as a new run; finished calls are not done again. */
  async retry(run: RunRecord): Promise<StartOutcome> {
    if (!isClosing(run.status) || run.status === "completed") {
      return {
        status: "conflict",
        message: `This run is ${run.status}: there is nothing to try again.`,
      };
    }
    const stored = run.request as unknown as StoredRunRequest;
    return this.start({
      ...stored,
      principal: run.owner,
      model: run.model,
      contextMessages: null,
      inputMessages: [],
      inputItems: [],
      parentId: run.id,
      conversationId: run.conversationId,
      title: null,
      answers: [],
      outputs: [],
      continuesParent: true,
    });
  }

  /** A person's word. The first one counts; a later one gets what was decided. Undefined: no such approval. */
  async answer(
    owner: string,
    id: string,
    answer: ApprovalDecision,
  ): Promise<ApprovalRecord | undefined> {
    const [outcome] = await this.store.write([{ type: "answer-approval", owner, id, answer }]);
    if (outcome.status === "answered") await this.#deliver(outcome.approval, answer);
    return "approval" in outcome ? outcome.approval : undefined;
  }

  /** Closes the questions that nobody answered in time; the model is told. */
  async expireApprovals(): Promise<void> {
    const [outcome] = await this.store.write([{ type: "expire-approvals" }]);
    if (outcome.status !== "expired") return;
    for (const approval of outcome.approvals) await this.#deliver(approval, decisionOf(approval));
  }

  /** Stops a run in any status. Resolves when it has ended. */
  async cancel(run: RunRecord): Promise<void> {
    await this.#serial.run(run.id, async () => {
      const live = this.#live.get(run.id);
      live?.chain.abort("a person stopped it");
      await live?.done;
      const now = await this.store.getRun({ owner: run.owner, id: run.id });
      if (now !== undefined && !isClosing(now.status)) await this.#close(now, stoppedByPerson, []);
    });
    await this.#live.get(run.id)?.done;
  }

  /** Stops one call; the turn goes on. */
  cancelCall(runId: string, callId: string): boolean {
    return this.#live.get(runId)?.chain.cancelCall(callId) ?? false;
  }

  isLive(runId: string): boolean {
    return this.#live.has(runId);
  }

  /** The variables of a conversation, as its newest run has them now. */
  async variablesOf({ owner, headRunId }: ConversationRecord): Promise<VariableSystem> {
    if (headRunId === null) return new VariableSystem();
    const live = this.#live.get(headRunId)?.variables;
    return live ?? this.#idleVariables(owner, headRunId);
  }

  /**
   * Changes a conversation's variables from outside: in place while its newest run goes on, and
   * then in that run's next commit; else in the store. What `edit` throws changes nothing.
   */
  async editVariables(
    conversation: ConversationRecord,
    edit: (draft: VariableSystem) => void,
  ): Promise<VariableSystem> {
    const runId = conversation.headRunId ?? (await this.#editRun(conversation));
    return this.#serial.run(runId, async () => {
      const live = this.#live.get(runId);
      if (live !== undefined) {
        edit(live.variables);
        return live.variables;
      }
      const { owner } = conversation;
      const variables = await this.#idleVariables(owner, runId);
      const changes: VariableChange[] = [];
      const stop = variables.subscribe((change) => changes.push(change));
      edit(variables);
      stop();
      await this.store.write([{ type: "edit-variables", owner, runId, changes }]);
      this.#warm.put(runId, variables);
      return variables;
    });
  }

  /** Those of a run that does not go on, with the rules that every session has. */
  async #idleVariables(owner: string, runId: string): Promise<VariableSystem> {
    const variables = this.#warm.fork(runId) ?? (await readVariables(this.store, owner, runId));
    this.#options.createExecutor({ variables });
    return variables;
  }

  /** A grant was revoked: what goes on must not use it any more. */
  forgetGrant(sessionId: string | null, grantId: string): void {
    for (const live of this.#live.values()) {
      if (sessionId === null || live.sessionId === sessionId) live.grants.revoke(grantId);
    }
  }

  /** Takes a number in the run's stream, so that a client that waits sees that it is alive. */
  async heartbeat(runId: string): Promise<void> {
    const live = this.#live.get(runId);
    if (live === undefined) return;
    const event: RunJournalWrite = {
      type: "event",
      event: { type: "run.heartbeat", at: Date.now() },
    };
    await this.store.write([{ type: "journal", runId, epoch: live.epoch, writes: [event] }]);
  }

  /** A conversation in which nothing has run gets a first run that only holds variables. */
  async #editRun({ owner, id }: ConversationRecord): Promise<string> {
    const runId = newId("resp_");
    const run = {
      id: runId,
      owner,
      model: "",
      kind: "edit",
      status: "completed",
      conversationId: id,
      request: {},
      input: [],
    } as const;
    const outcomes = await this.store.write([
      { type: "create-run", run },
      { type: "move-head", owner, id, from: null, to: runId },
    ]);
    if (outcomes.every(isAccepted)) return runId;
    const now = await this.store.getConversation({ owner, id });
    if (now?.headRunId == null) throw new Error(`The variables of ${id} could not be changed.`);
    return now.headRunId;
  }

  /** What a server does first: runs that were handed back go on, runs that a crash cut off are closed. */
  async recover(): Promise<void> {
    for (const run of await this.store.everyRunIn({ statuses: ["in_progress", "queued"] })) {
      try {
        await this.#serial.run(run.id, () =>
          run.status === "queued" ? this.#resume(run) : this.#close(run, interrupted, [notice()]),
        );
      } catch (thrown) {
        this.#options.log(`Run ${run.id} could not be taken up: ${errorMessage(thrown)}`);
      }
    }
  }

  /** Lets runs end for `graceMs`, then hands back what is left: the next server goes on with it. */
  async close(graceMs: number): Promise<void> {
    this.#closing = true;
    const all = Promise.allSettled([...this.#live.values()].map(({ done }) => done));
    let timer: NodeJS.Timeout | undefined;
    const grace = new Promise<void>((resolve) => (timer = setTimeout(resolve, graceMs)));
    await Promise.race([all, grace]);
    clearTimeout(timer);
    for (const [runId, { chain, epoch }] of this.#live) {
      chain.detach("the server is stopping");
      await this.store.write([{ type: "set-status", runId, status: "queued", epoch }]);
    }
  }

  async #create(
    id: string,
    request: RunRequest,
    adopts: boolean,
  ): Promise<StartOutcome | undefined> {
    const { principal, parentId, conversationId, inputItems } = request;
    const { instructions, servers, clientTools, settings, maxToolCalls, approvals, wire } = request;
    const stored: StoredRunRequest = {
      instructions,
      servers,
      clientTools,
      settings,
      maxToolCalls,
      approvals,
      adopts,
      wire,
    };
    const outcomes = await this.store.write([
      {
        type: "create-run",
        run: {
          id,
          owner: principal,
          model: request.model,
          status: "in_progress",
          request: stored as unknown as JsonValue,
          input: inputItems,
          ...(parentId !== null && { parentId }),
          ...(conversationId !== null && { conversationId }),
        },
      },
      ...conversationWrites(id, request),
    ]);
    if (outcomes.every(isAccepted)) return undefined;
    const refused = outcomes.find((outcome) => outcome.status === "refused");
    const message =
      refused?.reason ?? "The conversation went on elsewhere in the meantime. Load it again.";
    return { status: "conflict", message };
  }

  async #adoption(parent: RunRecord, request: RunRequest): Promise<ChainResume> {
    const { state } = await readChainState(this.store, parent);
    const { data } = await this.store.listApprovals({
      owner: parent.owner,
      runId: parent.id,
      limit: 1_000,
    });
    const given = new Map(
      request.answers.map(({ approvalId, decision }) => [approvalId, decision]),
    );
    const answers = [];
    for (const approval of data) {
      const answer = given.get(approval.id);
      let decided = approval;
      if (answer !== undefined && approval.status === "pending") {
        const [outcome] = await this.store.write([
          { type: "answer-approval", owner: parent.owner, id: approval.id, answer },
        ]);
        if ("approval" in outcome) decided = outcome.approval;
      }
      if (decided.status !== "pending")
        answers.push({ callId: decided.callId, decision: decisionOf(decided) });
    }
    const messages = request.continuesParent ? withoutCutAnswer(state.messages) : state.messages;
    return {
      state: { ...state, messages },
      adopted: true,
      answers,
      outputs: request.outputs,
      abandonWaiting: true,
    };
  }

  async #deliver(approval: ApprovalRecord, decision: ApprovalDecision): Promise<void> {
    await this.#serial.run(approval.runId, async () => {
      const live = this.#live.get(approval.runId);
      if (live?.chain.answer(approval.id, decision) === true) return;
      await live?.done;
      const run = await this.store.getRun({ owner: approval.owner, id: approval.runId });
      if (run?.status === "requires_action" && !this.#closing) await this.#resume(run);
    });
  }

  /** Takes a run up where it stopped, with the answers that came meanwhile. */
  async #resume(run: RunRecord): Promise<void> {
    const stored = await readChainState(this.store, run);
    const { data } = await this.store.listApprovals({
      owner: run.owner,
      runId: run.id,
      limit: 1_000,
    });
    const answers = data
      .filter(({ status }) => status !== "pending")
      .map((approval) => ({ callId: approval.callId, decision: decisionOf(approval) }));
    const claimed = await this.#claim(run);
    if (claimed === undefined) return;
    const restart: readonly RunJournalWrite[] =
      stored.cut.length === 0
        ? []
        : [
            {
              type: "event",
              event: { type: "model.restarted", reason: "The server was restarted." },
            },
          ];
    await this.#write(claimed, [...endsOf(stored), ...restart]);
    await this.#launch(claimed, {
      contextMessages: null,
      inputMessages: [],
      resume: { state: stored.state, answers },
    });
  }

  /** Ends a run that nobody carries on, with every open call accounted for. */
  async #close(
    run: RunRecord,
    why: ChainError,
    notices: readonly RunJournalWrite[],
  ): Promise<void> {
    const stored = await readChainState(this.store, run);
    const claimed = await this.#claim(run);
    if (claimed === undefined) return;
    const said: readonly Message[] = stored.cut
      .filter(({ kind, text }) => kind === "text" && text !== "")
      .map(({ text }) => ({ role: "assistant", content: text }));
    const { round } = stored.state;
    await this.#write(claimed, [
      ...endsOf(stored),
      ...said.map((message): RunJournalWrite => ({ type: "message", round, message })),
      ...notices,
    ]);
    const state = { ...stored.state, messages: [...stored.state.messages, ...said] };
    await this.#launch(claimed, {
      contextMessages: null,
      inputMessages: [],
      resume: { state, close: why },
    });
    await this.#live.get(run.id)?.done;
  }

  async #claim(run: RunRecord): Promise<RunRecord | undefined> {
    const [outcome] = await this.store.write([
      { type: "claim-run", runId: run.id, epoch: run.epoch },
    ]);
    return outcome.status === "claimed"
      ? { ...run, status: "in_progress", epoch: outcome.epoch }
      : undefined;
  }

  async #write({ id, epoch }: RunRecord, writes: readonly RunJournalWrite[]): Promise<void> {
    if (writes.length > 0) await this.store.write([{ type: "journal", runId: id, epoch, writes }]);
  }

  async #launch(
    run: RunRecord,
    given: {
      readonly contextMessages: readonly Message[] | null;
      readonly inputMessages: readonly Message[];
      readonly resume?: ChainResume;
    },
  ): Promise<void> {
    const own = given.resume !== undefined && given.resume.adopted !== true;
    const variables = await this.#variables(run, own);
    const grants = await readGrants(this.store, run.owner, run.sessionId);
    const chain = await launch({ ...this.#options, run, variables, grants, ...given });
    const done = chain.result.then((result) => {
      this.#live.delete(run.id);
      if (result.error?.code !== "detached") this.#warm.put(run.id, variables);
      if (result.error?.code === "journal_failed" || result.error?.code === "internal") {
        this.#options.log(`Run ${run.id} failed: ${result.error.message}`);
      }
    });
    this.#live.set(run.id, {
      epoch: run.epoch,
      sessionId: run.sessionId,
      chain,
      variables,
      grants,
      done,
    });
  }

  /** A run that goes on has its own variables; a new one begins with its parent's. */
  async #variables(run: RunRecord, own: boolean): Promise<VariableSystem> {
    const from = own ? run.id : run.parentId;
    const warm = from === null ? undefined : this.#warm.fork(from);
    return warm ?? readVariables(this.store, run.owner, run.id);
  }
}

/** What the row says, as a decision: a question that expired or was called off is a refusal. */
function decisionOf({ status, answer }: ApprovalRecord): ApprovalDecision {
  if (answer !== null) return answer;
  const reason = status === "expired" ? "nobody answered in time" : "the question was called off";
  return { decision: "refuse", reason };
}

function endsOf({ cut }: StoredChain): readonly RunJournalWrite[] {
  return cut.map(({ itemId, text }) => ({
    type: "event",
    event: { type: "item.end", itemId, text, incomplete: true },
  }));
}

function notice(): RunJournalWrite {
  return {
    type: "event",
    event: { type: "run.interrupted", at: Date.now(), message: interrupted.message },
  };
}

/** An answer that was cut off is not carried on: the model begins it again. */
function withoutCutAnswer(messages: readonly Message[]): readonly Message[] {
  const last = messages.at(-1);
  return last?.role === "assistant" && last.tool_calls === undefined
    ? messages.slice(0, -1)
    : messages;
}

/** Moves the conversation on to its new run, and names it after its first message. */
function conversationWrites(
  runId: string,
  { principal: owner, conversationId: id, parentId: from, title }: RunRequest,
): readonly StoreWrite[] {
  if (id === null) return [];
  const moved: StoreWrite = { type: "move-head", owner, id, from, to: runId };
  if (title === null) return [moved];
  return [moved, { type: "update-conversation", owner, id, update: { title } }];
}
