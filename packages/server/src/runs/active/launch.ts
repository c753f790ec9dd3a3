import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type RegisteredTool,
  type ApprovalAdapter,
  type CallRecord,
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
  type ToolChainOptions,
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
  type ConversationRecord,
  requestOf,
  type RunRecord,
  type RunWithMessages,
  type ServerGroup,
  type Store,
  type StoredRequest,
  type ToolFilter,
} from "@capstan/store";
import type { RequestServers } from "@capstan/contract";
import { registerRequestGroups } from "../request/request-groups.ts";
import { checkClientCall } from "./check-client-call.ts";
import type { DocumentCache } from "../files/document-text.ts";
import { loadFiles } from "../files/model-files.ts";
import { toolFileStorage } from "../files/tool-files.ts";
import {
  attachedNote,
  type AttachedTools,
  attachedTools,
  type AttachmentTools,
} from "../files/attachment-tools.ts";
import { runCaller } from "./run-caller.ts";
import { createMissingModel, findModel, oneCallModel } from "./run-models.ts";
import { RunFiles } from "../files/run-files.ts";
import { limitTokens } from "./limit-tokens.ts";
import { deferDefinitions, registerSearchTools } from "./deferred-tools.ts";
import { LoadedTools } from "./loaded-tools.ts";
import { searchTool } from "../../tool-search/search-tools.ts";
import type { ToolSearch } from "../../tool-search/tool-search.ts";
import { isProgramCall } from "../request/program-call.ts";
import type { ServerLimits } from "../request/run-limits.ts";

/** Creates a session's executor. The composition root supplies it, because it has the tools. */
export type CreateExecutor = (
  options: Pick<
    ToolExecutorOptions,
    "variables" | "grants" | "overrides" | "approvals" | "principal" | "storeFile"
  > & {
    /**
     * Whether to include unapproved tools. Users can call them directly, but no model sees them.
     * @default false
     */
    readonly drafts?: boolean;
  },
) => ToolExecutor;

/** Approvals are stored, so an answer can arrive at any later time. */
const laterAnswers: ApprovalAdapter = {
  request: () => ({ decision: "pending" }),
  review: () => ({ decision: "pending" }),
};

interface LaunchOptions {
  readonly store: Store;
  readonly models: ModelCatalog;
  readonly createExecutor: CreateExecutor;
  readonly limits: ServerLimits;
  /** Converts documents for models that do not take them. @default none */
  readonly documents?: DocumentCache | undefined;
  /** The claimed run, in this process's epoch. */
  readonly run: RunRecord;
  /** Whether the run is in memory only, so that nothing may be written to disk. */
  readonly isInMemory: boolean;
  readonly journal: Journal;
  readonly variables: VariableSystem;
  readonly grants: GrantBook;
  readonly overrides: () => readonly PolicyRule[];
  /** Hidden tools for files that the model does not take. @default none */
  readonly attachmentTools?: AttachmentTools | undefined;
  readonly toolSearch: ToolSearch;
  /** Connects to the MCP servers that requests name. @default such tools are not offered */
  readonly requestServers?: RequestServers | undefined;
  readonly clock: Clock;
  readonly log: (line: string) => void;
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
  const { store, models, limits, run, journal, variables, resume, log } = options;
  const { grants, overrides } = options;
  const request = requestOf(run);
  const { servers, settings, adopts, history, call, restates } = request;
  const files = new RunFiles(store, request.toolContext?.files);
  const loaded = new LoadedTools();
  const [conversation, found, context, said] = await Promise.all([
    run.conversationId === null
      ? undefined
      : store.getConversation({ owner: run.owner, id: run.conversationId }),
    call === undefined ? findModel(models, run.model) : createMissingModel(run.model),
    request.context.length === 0 ? [] : store.readList(request.context),
    restates === undefined
      ? readHistory(store, {
          owner: run.owner,
          parentId: run.parentId,
          adopts,
          history,
          files,
          loaded,
        })
      : [],
  ]);
  files.addMessages([...context, ...(options.inputMessages ?? [])]);
  files.addMessages(resume?.state.messages ?? []);
  files.addCalls(resume?.state.calls ?? []);
  loaded.addMessages(context);
  for (const settled of resume?.state.calls ?? []) loaded.add(settled);
  const storeFile = options.isInMemory ? undefined : toolFileStorage({ store, run, limits, log });
  const executor = options.createExecutor({
    variables,
    grants,
    overrides,
    approvals: laterAnswers,
    principal: { id: run.owner },
    ...(storeFile && { storeFile }),
    drafts: call !== undefined && call.ofProgram === undefined,
  });
  // The session's other calls may run at the same time, so each numbers its results from a
  // different number.
  if (call?.ofProgram !== undefined && resume === undefined)
    variables.countResult(`Result_${call.ofProgram.firstResult - 1}`);
  registerRequestGroups(executor, request, {
    requestServers: options.requestServers,
    owner: run.owner,
  });
  applySwitches(executor, conversation?.switches);
  const attached = (): AttachedTools =>
    attachedTools(files, call === undefined ? found : {}, options.attachmentTools ?? {});
  if (call === undefined)
    registerSearchTools(executor, { run, search: options.toolSearch, offered: () => offered });
  const offered = deferDefinitions(offerOptions(executor, request), {
    executor,
    request,
    limits,
    loaded: { list: (names) => [...attached().toolIds, ...loaded.list(names)] },
  });
  const model =
    call === undefined
      ? limitTokens(
          loadFiles(found, { store, documents: options.documents }),
          request,
          resume?.state.usage,
        )
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
      caller: runCaller(request, files, hiddenTools(executor, request, options.attachmentTools)),
      onSettled: (settled) => {
        files.addCalls([settled]);
        loaded.add(settled);
        noteUsage(options, settled);
      },
      contextMessages: [...said, ...context],
      ...(options.inputMessages && { inputMessages: options.inputMessages }),
      // The messages were parsed and neutralised before they were stored.
      messagesAreChecked: true,
      systemPrompt: () => {
        // A direct call has no model, so it needs no system prompt.
        if (call !== undefined) return "";
        const note = attachedNote(attached(), executor.groups());
        const prompt = systemPromptOf(executor, request, offered);
        return note === "" ? prompt : `${prompt}\n\n${note}`.trim();
      },
      ...offered,
      ...(options.attachmentTools !== undefined && withAttached(executor, request, attached)),
      // After a crash the run proposes the same call again, because no model chooses it.
      startsReadsEarly: isProgramCall(request),
      requireApproval: (toolId) => getRequireApproval(servers, executor.gate.registry.tool(toolId)),
      checkClientCall: (called) => checkClientCall(request, called, executor.gate),
      chatOption: settings,
      ...chainLimits(limits, request),
      // A user's direct call asks no model.
      ...(call !== undefined && { maxTokens: Infinity, maxCost: Infinity }),
      ...(resume !== undefined && { resume }),
    });
    if (limit !== undefined) void chain.result.then(limit.lift);
    return chain;
  };
}

/** Records the first calls after a search of tools as usage of its query. */
function noteUsage({ run, toolSearch }: LaunchOptions, call: CallRecord): void {
  const { toolId, status, parentCallId } = call;
  if (toolId === undefined || toolId === searchTool) return;
  if (status !== "succeeded" || parentCallId !== undefined) return;
  toolSearch.called({ owner: run.owner, id: run.sessionId }, toolId);
}

/** Enables and disables groups and tools as a conversation's user chose. */
export function applySwitches(
  executor: ToolExecutor,
  { groups = {}, tools = {} }: Partial<ConversationRecord["switches"]> = {},
): void {
  for (const [group, on] of Object.entries(groups)) executor.toggleGroupEnabled(group, on);
  for (const [tool, on] of Object.entries(tools)) executor.setToolEnabled(tool, on);
}

/** Returns the tools that a request offers. */
export function offerOptions(
  executor: ToolExecutor,
  {
    servers,
    clientTools,
    omitsClientTools,
    call,
  }: Pick<StoredRequest, "servers" | "clientTools" | "omitsClientTools" | "call">,
): OfferOptions {
  return {
    // A user's direct call names one tool, which may call other tools as in a turn.
    ...(call === undefined && {
      // A resumed run may name a group that no longer exists; its tools are not offered.
      groups: [...new Set(servers.map(({ group }) => group))].filter(
        (group) => executor.gate.registry.group(group) !== undefined,
      ),
      allowTool: (toolId) => {
        const registered = executor.gate.registry.tool(toolId);
        const isOmitted = omitsClientTools === true && registered?.tool.execute === undefined;
        return !isOmitted && offersTool(servers, registered);
      },
    }),
    clientTools,
  };
}

/** Returns the request's instructions and the rules of its tools. */
export function systemPromptOf(
  executor: ToolExecutor,
  { instructions }: Pick<StoredRequest, "instructions">,
  offered: OfferOptions,
): string {
  return [instructions ?? "", executor.toolRules(offered)]
    .filter((part) => part !== "")
    .join("\n\n");
}

/**
 * Returns the tools that a request offers together with the hidden ones of its files. Files that
 * calls return can add some in each round.
 */
function withAttached(
  executor: ToolExecutor,
  request: Pick<StoredRequest, "servers" | "clientTools" | "call" | "omitsClientTools">,
  attached: () => AttachedTools,
): Pick<ToolChainOptions, "groups" | "allowTool" | "hidesTool"> {
  const { groups } = offerOptions(executor, request);
  const isOffered = offerOf(executor, request);
  if (groups === undefined || isOffered === undefined) return {};
  return {
    groups: () => {
      const more = attached().toolIds.flatMap((id) => executor.gate.registry.tool(id)?.group ?? []);
      return [...new Set([...groups, ...more.map(({ name }) => name)])];
    },
    allowTool: (toolId) => attached().toolIds.includes(toolId) || isOffered(toolId),
    hidesTool: (toolId) => attached().toolIds.includes(toolId) && !isOffered(toolId),
  };
}

type OfferRequest = Parameters<typeof withAttached>[1];

/** Returns a function that says whether a request offers a tool, or nothing if it offers all. */
function offerOf(
  executor: ToolExecutor,
  request: OfferRequest,
): ((toolId: string) => boolean) | undefined {
  const { groups, allowTool } = offerOptions(executor, request);
  if (groups === undefined || allowTool === undefined) return undefined;
  return (toolId) => {
    const group = toolId.slice(0, toolId.indexOf("."));
    const isForAll = executor.gate.registry.tool(toolId)?.tool.alwaysOffered === true;
    return (isForAll || groups.includes(group)) && allowTool(toolId);
  };
}

/** Returns the tools that a request does not offer, but can need for its files. */
function hiddenTools(
  executor: ToolExecutor,
  request: OfferRequest,
  bound: AttachmentTools = {},
): readonly string[] {
  const isOffered = offerOf(executor, request);
  if (isOffered === undefined) return [];
  return Object.values(bound)
    .flatMap((ids) => ids ?? [])
    .filter((id) => !isOffered(id));
}

/**
 * Returns a signal that aborts when the run has used up its running time. Time before an earlier
 * stop counts; time spent waiting does not.
 */
function timeLimit({ clock, limits, resume }: LaunchOptions) {
  const { runMs } = limits;
  if (runMs === undefined) return undefined;
  const controller = new AbortController();
  const left = runMs - (resume?.state.elapsed ?? 0);
  const lift = clock.after(Math.max(0, left), () =>
    controller.abort(new DOMException("The run exceeded its time limit.", "TimeoutError")),
  );
  return { signal: controller.signal, lift };
}

/**
 * Ends a claimed run without executing it. Uses no tool, model or history, so a failure of those
 * cannot prevent the end.
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
    model: createMissingModel(run.model),
    runId: run.id,
    journal,
    contextMessages: [],
    resume,
  });
}

/** Returns the limits in the form that the loop expects. A request can only lower them. */
export function chainLimits(
  limits: ServerLimits,
  { maxToolCalls, maxRounds }: Pick<StoredRequest, "maxToolCalls" | "maxRounds">,
): ChainLimits {
  const { turnCalls = Infinity, turnTokens, turnMs, turnCost, shownTokens } = limits;
  const calls = Math.min(turnCalls, maxToolCalls ?? Infinity);
  return {
    maxRounds: Math.min(limits.rounds, maxRounds ?? Infinity),
    maxCallsPerRound: limits.callsPerRound,
    maxRepeatedFailures: limits.repeatedFailures,
    ...(Number.isFinite(calls) && { maxToolCalls: calls }),
    ...(turnTokens !== undefined && { maxTokens: turnTokens }),
    ...(turnMs !== undefined && { maxDurationMs: turnMs }),
    ...(turnCost !== undefined && { maxCost: turnCost }),
    ...(shownTokens !== undefined && { compactAfter: shownTokens }),
  };
}

/**
 * With at least this many messages, each step over all of them has its own turn of the event loop.
 * Otherwise the steps would delay other requests.
 */
const manyMessages = 1_000;

interface HistoryOptions {
  readonly owner: string;
  readonly parentId: string | null;
  /** Whether the run continues the parent's turn. That turn is then not history yet. */
  readonly adopts: boolean;
  readonly history: HistoryMode;
  /** Gets the files of all earlier turns, whatever `history` selects. */
  readonly files?: RunFiles;
  /** Gets the tools that earlier turns found or called. */
  readonly loaded?: LoadedTools;
}

/**
 * Returns the messages of earlier runs as a model reads them: the client's own messages unchanged,
 * and each turn in the form that `history` selects. If a run's turn was taken over, it is part of
 * the successor's turn.
 */
export async function readHistory(
  store: Store,
  { owner, parentId, adopts, history, files, loaded }: HistoryOptions,
): Promise<readonly Message[]> {
  if (parentId === null) return [];
  const ancestors = (await store.ancestors({ owner, runId: parentId })) ?? [];
  const turns: StoredTurn[] = [];
  let before: readonly Message[] = [];
  for (const [index, ancestor] of ancestors.entries()) {
    const next = ancestors[index + 1];
    const { context, restates } = contextOf(ancestor);
    if (restates === "all") turns.length = 0;
    if (restates !== "own")
      before = [...(restates === "all" ? [] : before), ...(await store.readList(context))];
    const taken = next === undefined ? adopts : contextOf(next).adopts;
    if (taken || ancestor.run.kind === "edit") continue;
    const turn = { before, ...(await turnOf(store, owner, ancestor)) };
    turns.push(turn);
    files?.addMessages([...before, ...turn.messages]);
    files?.addCalls(turn.calls);
    loaded?.addTurn(turn.calls, before);
    before = [];
  }
  files?.addMessages(before);
  const messages = [...historyMessages(turns, history), ...before];
  // The chain iterates over all messages next.
  if (messages.length > manyMessages) await nextTurn();
  return messages;
}

/**
 * Returns the messages that precede a run's own turn. An edit has them only if it added messages to
 * its conversation.
 */
export function contextOf({
  run,
}: Pick<RunWithMessages, "run">): Pick<StoredRequest, "adopts" | "context" | "restates"> {
  const { kind, request } = run;
  const isEmpty = typeof request === "object" && request !== null && !("context" in request);
  return kind === "edit" && isEmpty ? { adopts: false, context: [] } : requestOf(run);
}

async function turnOf(
  store: Store,
  owner: string,
  { run, messages }: RunWithMessages,
): Promise<StoredTurn> {
  const calls = ((await store.readCalls({ owner, runId: run.id })) ?? []).map(({ call }) => call);
  // Users may have reported the outcome of a call since then, so the log is rendered again.
  const log = calls.some(({ found }) => found !== undefined) ? undefined : run.result?.log;
  return { messages, calls, ...(log !== undefined && { log }) };
}

/** Whether a request offers a tool. */
export function offersTool(
  servers: readonly ServerGroup[],
  registered: RegisteredTool | undefined,
): boolean {
  if (registered === undefined) return false;
  const entries = servers.filter(({ group }) => group === registered.group.name);
  // Requests do not name the group of the tools that every run gets.
  return entries.length === 0 || entries.some((entry) => offers(entry, registered));
}

function offers({ allowedTools }: ServerGroup, registered: RegisteredTool): boolean {
  return allowedTools === undefined || matches(allowedTools, registered);
}

/** Returns the request's own setting for approvals, or `undefined` if it has none. */
function getRequireApproval(
  servers: readonly ServerGroup[],
  registered: RegisteredTool | undefined,
): RequireApproval | undefined {
  if (registered === undefined) return undefined;
  const { name } = registered.group;
  const isMeant = (entry: ServerGroup) => entry.group === name && offers(entry, registered);
  const setting = servers.find((entry) => isMeant(entry) && entry.requireApproval)?.requireApproval;
  if (setting === undefined || typeof setting === "string") return setting;
  if (setting.always !== undefined && matches(setting.always, registered)) return "always";
  return setting.never !== undefined && matches(setting.never, registered) ? "never" : undefined;
}

function matches({ toolNames, readOnly }: ToolFilter, { name, tool }: RegisteredTool): boolean {
  if (toolNames !== undefined && !toolNames.includes(name)) return false;
  return readOnly === undefined || readOnly === (tool.effects === "read");
}
