import {
  type RegisteredTool,
  type ApprovalAdapter,
  type Clock,
  type GrantBook,
  type HistoryMode,
  historyMessages,
  type Journal,
  type Message,
  type PolicyRule,
  runToolChain,
  type StoredTurn,
  type ToolChainRun,
  ToolExecutor,
  type ToolExecutorOptions,
  type VariableSystem,
} from "@capstan/core";
import type {
  ChainLimits,
  ChainResume,
  ModelCatalog,
  OfferOptions,
  RequireApproval,
} from "@capstan/core/host";
import {
  requestOf,
  type RunRecord,
  type RunWithMessages,
  type ServerGroup,
  type Store,
  type StoredRequest,
  type ToolFilter,
} from "@capstan/store";
import { findModel, loadBlobs, missingModel, oneCallModel } from "./run-models.ts";
import type { ServerLimits } from "../request/run-limits.ts";

/** Makes a session's executor: the composition root knows which tools there are. */
export type CreateExecutor = (
  options: Pick<
    ToolExecutorOptions,
    "variables" | "grants" | "overrides" | "approvals" | "principal"
  >,
) => ToolExecutor;

/** Approvals are rows, answered whenever somebody does. */
const laterAnswers: ApprovalAdapter = {
  request: () => ({ decision: "pending" }),
  review: () => ({ decision: "pending" }),
};

interface LaunchOptions {
  readonly store: Store;
  readonly models: ModelCatalog;
  readonly createExecutor: CreateExecutor;
  readonly limits: ServerLimits;
  /** Claimed: its epoch is ours. */
  readonly run: RunRecord;
  readonly journal: Journal;
  readonly variables: VariableSystem;
  readonly grants: GrantBook;
  readonly overrides: () => readonly PolicyRule[];
  readonly clock: Clock;
  readonly inputMessages?: readonly Message[];
  readonly resume?: ChainResume;
}

/**
 * Prepares the loop of a claimed run: its executor, with the session's variables and grants and the
 * conversation's switches, its model, and its history.
 *
 * @returns a function that starts the loop. From then on all events are in the run's journal
 */
export async function prepareChain(options: LaunchOptions): Promise<() => ToolChainRun> {
  const { store, models, limits, run, journal, variables, resume } = options;
  const { grants, overrides } = options;
  const request = requestOf(run);
  const { servers, settings, maxToolCalls, adopts, history, call } = request;
  const [conversation, found, context, said] = await Promise.all([
    run.conversationId === null
      ? undefined
      : store.getConversation({ owner: run.owner, id: run.conversationId }),
    call === undefined ? findModel(models, run.model) : missingModel(run.model),
    request.context.length === 0 ? [] : store.readList(request.context),
    readHistory(store, { owner: run.owner, parentId: run.parentId, adopts, history }),
  ]);
  const executor = options.createExecutor({
    variables,
    grants,
    overrides,
    approvals: laterAnswers,
    principal: { id: run.owner },
  });
  const { groups = {}, tools = {} } = conversation?.switches ?? {};
  for (const [group, on] of Object.entries(groups)) executor.toggleGroupEnabled(group, on);
  for (const [tool, on] of Object.entries(tools)) executor.setToolEnabled(tool, on);
  const offered: OfferOptions = {
    // A group of a resumed run may no longer exist: then its tools are not offered.
    groups: servers.flatMap(({ group }) => (executor.gate.registry.group(group) ? [group] : [])),
    allowTool: (toolId) => offersTool(servers, executor.gate.registry.tool(toolId)),
    clientTools: request.clientTools,
  };
  const model =
    call === undefined
      ? loadBlobs(found, store)
      : oneCallModel(run.model, call, () => executor.offer(offered).names);
  return () => {
    if (resume === undefined) variables.beginTurn();
    const limit = timeLimit(options);
    const chain = runToolChain({
      ...(limit && { signal: limit.signal }),
      executor,
      model,
      runId: run.id,
      journal,
      contextMessages: [...said, ...context],
      ...(options.inputMessages && { inputMessages: options.inputMessages }),
      systemPrompt: () =>
        [request.instructions ?? "", executor.toolRules(offered)]
          .filter((part) => part !== "")
          .join("\n\n"),
      ...offered,
      requireApproval: (toolId) => requireApprovalFor(servers, executor.gate.registry.tool(toolId)),
      chatOption: settings,
      ...chainLimits(limits, maxToolCalls),
      // A person's own call asks no model.
      ...(call !== undefined && { maxTokens: Infinity, maxCost: Infinity }),
      ...(resume !== undefined && { resume }),
    });
    if (limit !== undefined) void chain.result.then(limit.lift);
    return chain;
  };
}

/** Aborts as the run's time is over; what it took before it stopped is counted, waiting is not. */
function timeLimit({ clock, limits, resume }: LaunchOptions) {
  const { runMs } = limits;
  if (runMs === undefined) return undefined;
  const controller = new AbortController();
  const left = runMs - (resume?.state.elapsed ?? 0);
  const lift = clock.after(Math.max(0, left), () =>
    controller.abort(new DOMException("The run took longer than it may.", "TimeoutError")),
  );
  return { signal: controller.signal, lift };
}

/**
 * Ends a run that was claimed without doing anything of it: no tool, no model and no history is
 * needed, so that none of those can keep it from ending.
 */
export function closeChain({
  run,
  journal,
  variables,
  grants,
  resume,
}: Pick<LaunchOptions, "run" | "journal" | "variables" | "grants"> & {
  readonly resume: ChainResume;
}): ToolChainRun {
  return runToolChain({
    executor: new ToolExecutor({ variables, grants }),
    model: missingModel(run.model),
    runId: run.id,
    journal,
    contextMessages: [],
    resume,
  });
}

/** What the loop is told of them. */
export function chainLimits(limits: ServerLimits, maxToolCalls: number | null): ChainLimits {
  const { turnCalls = Infinity, turnTokens, turnMs, turnCost, shownTokens } = limits;
  const calls = Math.min(turnCalls, maxToolCalls ?? Infinity);
  return {
    maxRounds: limits.rounds,
    maxCallsPerRound: limits.callsPerRound,
    maxRepeatedFailures: limits.repeatedFailures,
    ...(Number.isFinite(calls) && { maxToolCalls: calls }),
    ...(turnTokens !== undefined && { maxTokens: turnTokens }),
    ...(turnMs !== undefined && { maxDurationMs: turnMs }),
    ...(turnCost !== undefined && { maxCost: turnCost }),
    ...(shownTokens !== undefined && { compactAfter: shownTokens }),
  };
}

interface HistoryOptions {
  readonly owner: string;
  readonly parentId: string | null;
  /** The next run carries the parent's turn on: it is no history yet. */
  readonly adopts: boolean;
  readonly history: HistoryMode;
}

/**
 * What a model is shown of the runs before: what the client brought along, as it is, and each
 * turn as `history` says. A run that another took over is part of that one.
 */
export async function readHistory(
  store: Store,
  { owner, parentId, adopts, history }: HistoryOptions,
): Promise<readonly Message[]> {
  if (parentId === null) return [];
  const ancestors = (await store.ancestors({ owner, runId: parentId })) ?? [];
  const turns: StoredTurn[] = [];
  let before: readonly Message[] = [];
  for (const [index, ancestor] of ancestors.entries()) {
    const next = ancestors[index + 1];
    before = [...before, ...(await store.readList(contextOf(ancestor).context))];
    const taken = next === undefined ? adopts : contextOf(next).adopts;
    if (taken || ancestor.run.kind === "edit") continue;
    turns.push({ before, ...(await turnOf(store, owner, ancestor)) });
    before = [];
  }
  return [...historyMessages(turns, history), ...before];
}

/** A run that only holds variables has no request. */
function contextOf({ run }: RunWithMessages): Pick<StoredRequest, "adopts" | "context"> {
  return run.kind === "edit" ? { adopts: false, context: [] } : requestOf(run);
}

async function turnOf(
  store: Store,
  owner: string,
  { run, messages }: RunWithMessages,
): Promise<StoredTurn> {
  const calls = ((await store.readCalls({ owner, runId: run.id })) ?? []).map(({ call }) => call);
  // What a person found out of a call since then is told anew.
  const log = calls.some(({ found }) => found !== undefined) ? undefined : run.result?.log;
  return { messages, calls, ...(log !== undefined && { log }) };
}

/** Whether a request offers a tool. */
export function offersTool(
  servers: readonly ServerGroup[],
  registered: RegisteredTool | undefined,
): boolean {
  if (registered === undefined) return false;
  const server = servers.find(({ group }) => group === registered.group.name);
  // Tools that come with any other are in a group that no request names.
  return server?.allowedTools === undefined || matches(server.allowedTools, registered);
}

/** What a request says of asking before a tool runs; undefined where it says nothing. */
function requireApprovalFor(
  servers: readonly ServerGroup[],
  registered: RegisteredTool | undefined,
): RequireApproval | undefined {
  if (registered === undefined) return undefined;
  const wish = servers.find(({ group }) => group === registered.group.name)?.requireApproval;
  if (wish === undefined || typeof wish === "string") return wish;
  if (wish.always !== undefined && matches(wish.always, registered)) return "always";
  return wish.never !== undefined && matches(wish.never, registered) ? "never" : undefined;
}

function matches({ toolNames, readOnly }: ToolFilter, { name, tool }: RegisteredTool): boolean {
  if (toolNames !== undefined && !toolNames.includes(name)) return false;
  return readOnly === undefined || readOnly === (tool.effects === "read");
}
