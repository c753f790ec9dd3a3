import { type ApprovalDecision, type Message, type ToolGroup, VariableSystem } from "@capstan/core";
import type { PinnedServer } from "@capstan/contract";
import {
  isClosing,
  type RequestKey,
  requestOf,
  type RunRecord,
  type ServerGroup,
  type StoredRequest,
} from "@capstan/store";
import { registerRequestGroups } from "../runs/request/request-groups.ts";
import { listRequestServers } from "./list-request-servers.ts";
import { offersTool, readHistory } from "../runs/active/launch.ts";
import type { StatedOutput } from "../runs/history/history-item.ts";
import { newMessages, outputMessage } from "../runs/history/item-messages.ts";
import type { StatedAnswer } from "../runs/history/mark-items.ts";
import { mergeHistory } from "../runs/history/merge-history.ts";
import { sessionMarks, sessionVariables } from "../runs/history/session-marks.ts";
import { type AgentFields, applyAgent, settingsWith } from "../runs/request/agent.ts";
import type { StartOptions } from "../runs/start-run.ts";
import { searchTool } from "../tool-search/search-tools.ts";
import type { RunRequest } from "../runs/request/run-request.ts";
import { titleFrom } from "../runs/request/title.ts";
import type { Connection, Services } from "../http/services.ts";
import { badRequest, conflict, RequestError } from "../http/errors.ts";
import { nextTurn } from "../http/streams.ts";
import { offeredEntries, offeredServers, toolContextOf } from "../http/tools/request-data.ts";
import { requireKnownGroups } from "../http/parse-tool.ts";
import { requireReadThread, requireUndeleted } from "../http/require-read-thread.ts";
import { typedFiles } from "../http/files/typed-files.ts";
import { requireNoLoosening, rightMissing } from "../http/rights.ts";
import { selectAgent } from "../http/select-agent.ts";
import { receiptOpener } from "./projection/call-receipts.ts";
import { checkedTools, withCallIds, withLoadedTools } from "./client-tools-of-history.ts";
import { allowedTools, excludesOthers } from "./request/parse-tool-choice.ts";
import { historyError } from "./history-error.ts";
import { historyItems } from "./history-items.ts";
import { storedView } from "./read-response.ts";
import { lookUpItems } from "./look-up-items.ts";
import { checkOutputSize, storedItems } from "./content-parts.ts";
import type { ServerListing } from "./projection/output-order.ts";
import type { InputItem } from "./request/parse-input.ts";
import type { CreateRequest } from "./request/parse-request.ts";

/** The caller of a request. */
export interface ResponseCaller {
  readonly principal: string;
  /** The agent of the caller's key. */
  readonly defaultAgent?: string | undefined;
  readonly mayApprove: boolean;
  /** The value of the request's session header. */
  readonly sessionHeader?: string | undefined;
  /** The WebSocket connection of the request. */
  readonly connection?: Connection | undefined;
  /** The MCP servers that the request names, after their tools were listed. @default none */
  readonly listed?: readonly PinnedServer[];
  /** Aborts when the client disconnects. */
  readonly signal?: AbortSignal;
  /** The request's headers that tools receive. */
  readonly headers?: { readonly [name: string]: string };
}

/**
 * Starts a run for a request. The run does not depend on the request's connection. @throws
 * RequestError
 */
export async function startResponse(
  services: Services,
  { key, ...caller }: ResponseCaller & { readonly key?: RequestKey | undefined },
  request: CreateRequest,
): Promise<RunRecord> {
  const { principal: owner, mayApprove, signal = new AbortController().signal } = caller;
  const { remote } = request.tools;
  const listed = await listRequestServers(services, remote, { owner, mayApprove, signal });
  const release = () => services.requestServers?.release(listed.map(({ id }) => id));
  try {
    const prepared = await prepareResponse(services, { ...caller, listed }, request);
    if (prepared.status === "run")
      return await startPrepared(services, prepared, { isDurable: request.store, key });
    release();
    const { parent, answers } = prepared;
    for (const { approvalId, decision } of answers)
      await services.runs.answer(owner, approvalId, decision, parent.id);
    return parent;
  } catch (thrown) {
    release();
    throw thrown;
  }
}

/** Starts the run of a prepared request. @throws RequestError if it conflicts with another run */
export async function startPrepared(
  { runs }: Pick<Services, "runs">,
  { run }: Pick<Extract<PreparedResponse, { status: "run" }>, "run">,
  options: StartOptions,
): Promise<RunRecord> {
  const outcome = await runs.start(run, options);
  if (outcome.status === "conflict") throw conflict(outcome.message);
  return outcome.run;
}

/** A checked request, before it has any effect. */
export type PreparedResponse =
  /**
   * The request only answers approval requests of sub-calls. Their run and its response continue.
   */
  | {
      readonly status: "answers";
      readonly parent: RunRecord;
      readonly answers: RunRequest["answers"];
    }
  | {
      readonly status: "run";
      readonly run: RunRequest;
      /** The run that it continues, even if that run is in another store. */
      readonly parent: RunRecord | undefined;
      /** Whether it takes over the parent's unfinished turn. */
      readonly adopts: boolean;
      /** The items that the request adds to the parent's history. */
      readonly items: readonly InputItem[];
    };

/**
 * Checks a request, merges its history, and returns the run that it starts.
 *
 * @throws RequestError
 */
export async function prepareResponse(
  services: Services,
  given: ResponseCaller,
  request: CreateRequest,
): Promise<PreparedResponse> {
  const { principal: owner, defaultAgent, mayApprove, sessionHeader, connection } = given;
  if (!mayApprove) requireNoLoosening(request.tools);
  const caller = { principal: owner, defaultAgent };
  const unknownStatus = 400;
  const selected = await selectAgent(services, caller, request.model, { unknownStatus });
  const { model, agent, shownModel } = selected;
  const { listed = [] } = given;
  requireListed(request.tools.remote, listed);
  requireKnownGroups(
    [...services.groups(), ...pinnedGroups(services, given)],
    request.tools.servers,
  );

  checkChosenTool(services, given, request);
  checkOutputSize(request.input, services.limits.toolOutputChars);
  const named = await findNamedParent(services, { owner, connection }, request);
  const { conversationId, conversationHead } = named;
  // A conversation is its own session.
  const promptCacheKey = request.echo.prompt_cache_key ?? undefined;
  const { user } = request;
  const marks =
    conversationId === null
      ? sessionMarks({ user, promptCacheKey, header: sessionHeader })
      : undefined;
  const { sealer } = services;
  const { stores } = services.runs;
  const lookUp = (ids: ReadonlySet<string>) => lookUpItems({ stores, sealer }, owner, ids);
  const input = await withCallIds(request.input, lookUp);
  const merged = await mergeHistory({
    stores,
    owner,
    isDurable: request.store,
    items: historyItems(input, receiptOpener(sealer, owner)),
    parent: named.parent,
    ...(marks !== undefined && { sessionMarks: marks }),
    lookUp,
  });
  if (merged.status === "invalid") throw historyError(merged.problem, request.input);
  const { parent, crosses, session, messages, outputs, answers } = merged;
  // Each of these steps iterates over the whole input.
  await nextTurn();
  const stored = storedItems(merged.items.map(({ source }) => source));
  await nextTurn();
  const offered = parent === undefined ? request.tools : withLoadedTools(request.tools, parent);
  const tools = allowedTools(offered, request.toolChoice);
  if (!mayApprove && answers.some(({ approve }) => approve))
    throw rightMissing("approve", "'approve': true");
  if (parent !== undefined && !isClosing(parent.status) && answers.length > 0) {
    if (messages.length > 0) throw conflict(onlyAnswers);
    return { status: "answers", parent, answers: answers.map(runAnswer) };
  }
  if (conversationId !== null)
    await requireReadThread(services.runs.store, { owner, conversationId, head: named.parent });
  else if (parent !== undefined) await requireUndeleted(services.runs.store, parent);
  await nextTurn();
  const fields = applyAgent(agent, {
    ...request,
    servers: offeredServers(tools),
    clientTools: tools.client,
    excludesOthers: excludesOthers(request.toolChoice),
  });
  const history = fields.history ?? services.history;
  // An unstored run cannot have a stored parent, so it gets the parent's history as messages.
  const [said, variables] =
    crosses && parent !== undefined
      ? await Promise.all([
          readHistory(services.runs.store, { owner, parentId: parent.id, adopts: false, history }),
          sessionVariables(services.runs, parent),
        ])
      : [[], await sessionVariables(services.runs, session)];
  const adopts = !crosses && (parent?.result?.waiting ?? []).length > 0;
  if (adopts && parent !== undefined) requireSameTools(requestOf(parent), listed);
  const { before, turn } = newMessages(messages, { adopts });
  const typed = await typedFiles(tools.hosted, { store: services.runs.store, owner });
  const run: RunRequest = {
    principal: owner,
    model: model.id,
    instructions: fields.instructions,
    context: [...answeredBy(said, outputs), ...before],
    // The history refers to these variables.
    ...(variables !== undefined && { variables: variables.snapshot() }),
    history,
    inputMessages: turn,
    inputItems: stored.items,
    blobs: [...stored.blobs, ...typed.blobs],
    parentId: crosses ? null : (parent?.id ?? null),
    ...(session !== undefined && !crosses && { sessionId: session.sessionId }),
    ...(marks !== undefined && { sessionKeys: marks.map(({ key }) => key) }),
    conversationId,
    ...(conversationHead !== undefined && { conversationHead }),
    title: named.untitled ? titleFrom(messages) : null,
    servers: fields.servers,
    ...(listed.length > 0 && { requestServers: listed }),
    clientTools: fields.clientTools,
    ...(fields.omitsClientTools === true && { omitsClientTools: true }),
    checkedTools: checkedTools(offered.forms),
    settings: settingsWith(agent, request.settings),
    maxToolCalls: fields.maxToolCalls,
    maxRounds: fields.maxRounds,
    ...(request.tools.toolSearch && { toolSearch: request.tools.toolSearch }),
    approvals: fields.approvals,
    toolOutputs: request.toolOutputs ?? "deferred",
    answers: answers.map(runAnswer),
    outputs: outputs.map(({ callId, text, parts }) => ({
      callId,
      output: text,
      ...(parts !== undefined && { parts }),
    })),
    continuesParent: false,
    toolContext: toolContextOf({
      user: request.user,
      metadata: request.echo.metadata,
      headers: given.headers,
      files: typed.files,
      tools: {
        // The run takes over calls of the parent's tools.
        ...(adopts && parent !== undefined && requestOf(parent).toolContext?.tools),
        ...offeredEntries(tools, request.tools.declared),
      },
    }),
    wire: storedView({
      echo: request.echo,
      ...((tools.hosted.length > 0 || request.tools.toolSearch !== undefined) && {
        hosted: Object.fromEntries([
          ...tools.hosted.map(({ toolId, type }) => [toolId, type] as const),
          ...(request.tools.toolSearch === undefined ? [] : [[searchTool, "tool_search"] as const]),
        ]),
        included: request.include,
      }),
      servers: tools.servers.map((server) => listing(services, given, server, fields)),
      forms: offered.forms,
      ...(shownModel !== undefined && { shownModel }),
      ...(request.previousResponseId !== undefined && {
        previousResponseId: request.previousResponseId,
      }),
      ...(conversationId !== null && { conversation: conversationId }),
    }),
  };
  const items = merged.items.map(({ source }) => source);
  return { status: "run", run, parent, adopts, items };
}

type ListedCaller = Pick<ResponseCaller, "principal" | "listed">;

function pinnedGroups(
  { requestServers }: Services,
  { principal, listed = [] }: ListedCaller,
): readonly ToolGroup[] {
  return requestServers === undefined
    ? []
    : listed.map((server) => requestServers.group(server, principal));
}

/** @throws RequestError if nothing connected to a server of the request, as for a token count */
function requireListed(
  remote: CreateRequest["tools"]["remote"],
  listed: readonly PinnedServer[],
): void {
  if (remote.length <= listed.length) return;
  const message = "Only a response can use an MCP server outside this server.";
  throw new RequestError({ param: "tools", code: "unsupported_parameter", message });
}

/**
 * Checks that a server did not change a tool between the request for an approval and the answer.
 *
 * @throws RequestError
 */
function requireSameTools(
  { requestServers: before = [] }: Pick<StoredRequest, "requestServers">,
  listed: readonly PinnedServer[],
): void {
  for (const { group, tools } of listed) {
    const known = before.find((server) => server.group === group)?.tools ?? [];
    const digests = new Map(known.map(({ name, digest }) => [name, digest]));
    const changed = tools.find(({ name, digest }) => (digests.get(name) ?? digest) !== digest);
    if (changed !== undefined)
      throw conflict(
        `The MCP server changed the tool ${changed.name.slice(0, 100)} while its call waited for approval. Start a new response without this call.`,
      );
  }
}

const onlyAnswers =
  "The previous response has not ended: one of its calls waits for these approvals. Send only the approvals, and more input afterwards.";

/** @throws RequestError if the tool choice names a tool that its group does not offer */
function checkChosenTool(
  services: Services,
  caller: ListedCaller,
  { toolChoice, tools }: CreateRequest,
): void {
  if (toolChoice.type !== "server" || toolChoice.name === undefined) return;
  const { label, name } = toolChoice;
  const server = tools.servers.find((each) => each.label === label);
  const known =
    server === undefined
      ? []
      : listing(services, caller, server, {}).tools.map((tool) => tool.name);
  if (known.includes(name)) return;
  const message = `Tool choice '${name.slice(0, 100)}' not found in the server '${label.slice(0, 100)}'. It offers: ${known.slice(0, 20).join(", ")}.`;
  throw new RequestError({ param: "tool_choice", code: "invalid_value", message });
}

/** Returns a history in which the open calls of its last turn have these outputs. */
function answeredBy(
  history: readonly Message[],
  outputs: readonly StatedOutput[],
): readonly Message[] {
  const byCall = new Map(outputs.map((output) => [output.callId, output]));
  const answered: Message[] = [];
  // Ids can be reused: the open calls are the last ones.
  for (const message of history.toReversed()) {
    const output = message.role === "tool" ? byCall.get(message.tool_call_id) : undefined;
    if (message.role !== "tool" || output === undefined) answered.push(message);
    else {
      byCall.delete(message.tool_call_id);
      answered.push(outputMessage(message.name, output));
    }
  }
  return answered.toReversed();
}

function runAnswer(answer: StatedAnswer): RunRequest["answers"][number] {
  return { approvalId: answer.approvalId, decision: decisionOf(answer) };
}

function decisionOf({ approve, reason }: StatedAnswer): ApprovalDecision {
  if (approve) return { decision: "allow" };
  return { decision: "refuse", ...(reason !== undefined && { reason }) };
}

/** Returns a group's tools in this request, in the form of `mcp_list_tools`. */
function listing(
  { createExecutor, requestServers }: Services,
  { principal: owner, listed = [] }: ListedCaller,
  server: ServerGroup,
  { omitsClientTools = false }: Pick<AgentFields, "omitsClientTools">,
): ServerListing {
  const executor = createExecutor({ variables: new VariableSystem() });
  const pinned = listed.filter(({ group }) => group === server.group);
  registerRequestGroups(executor, { requestServers: pinned }, { requestServers, owner });
  const tools = executor
    .enabledTools([server.group])
    .filter(
      (registered) =>
        registered.group.name === server.group &&
        registered.tool.hidden !== true &&
        !(omitsClientTools && registered.tool.execute === undefined) &&
        offersTool([server], registered),
    );
  return {
    label: server.label,
    group: server.group,
    tools: tools.map(({ name, tool }) => ({
      name,
      ...(tool.definition.function.description !== undefined && {
        description: tool.definition.function.description,
      }),
      input_schema: (tool.definition.function.parameters ?? {
        type: "object",
      }) as ServerListing["tools"][number]["input_schema"],
      annotations: { read_only: tool.effects === "read" },
    })),
  };
}

/** Returns the newest response: the head, or the one before the user's edits of variables. */
async function newestTurn(
  store: Services["runs"]["store"],
  head: RunRecord | undefined,
): Promise<RunRecord | { readonly id: null }> {
  let run = head;
  while (run?.kind === "edit" && run.parentId !== null)
    run = await store.getRun({ owner: run.owner, id: run.parentId });
  return run === undefined || run.kind === "edit" ? { id: null } : run;
}

interface NamedParent {
  readonly parent: RunRecord | undefined;
  readonly conversationId: string | null;
  /** The conversation's newest run, if `parent` is another one. */
  readonly conversationHead?: string | null;
  /** Whether the conversation has no title yet. */
  readonly untitled: boolean;
}

/**
 * Finds the run that a request names: the newest run of its conversation, or the one of
 * `previous_response_id`.
 */
async function findNamedParent(
  { runs }: Pick<Services, "runs">,
  { owner, connection }: { readonly owner: string; readonly connection: Connection | undefined },
  request: CreateRequest,
): Promise<NamedParent> {
  const { store, stores } = runs;
  const none = { parent: undefined, conversationId: null, untitled: false };
  const { conversation: id, previousResponseId } = request;
  if (id !== undefined && !request.store) {
    const message =
      "'conversation' can only be used when 'store' is true, because a conversation stores its messages.";
    throw new RequestError({ param: "conversation", message });
  }
  if (id !== undefined) {
    const conversation = await store.getConversation({ owner, id });
    if (conversation === undefined)
      throw new RequestError({
        status: 404,
        param: "conversation",
        code: "conversation_not_found",
        message: `Conversation with id '${id}' not found.`,
      });
    const { headRunId, title } = conversation;
    const head = headRunId === null ? undefined : await store.getRun({ owner, id: headRunId });
    const place = { conversationId: id, untitled: title === "" };
    const { after, head: known } = request;
    if (known !== undefined && known !== (await newestTurn(store, head)).id) {
      const shown = known ?? "none";
      throw new RequestError({
        status: 409,
        code: "conversation_changed",
        param: "conversation.head",
        message: `The conversation has a newer response than ${shown.slice(0, 100)}. Nothing was sent: read GET /v1/conversations/${id}/runs, then send again.`,
      });
    }
    if (after === undefined || after === headRunId) return { ...place, parent: head };
    if (head !== undefined && !isClosing(head.status))
      throw conflict(
        "The newest response of this conversation has not ended. Wait for it, or cancel it first.",
      );
    const parent = after === null ? undefined : await store.getRun({ owner, id: after });
    if (after !== null && parent?.conversationId !== id)
      throw badRequest(
        "conversation.after",
        `Invalid 'conversation.after': '${after.slice(0, 100)}' is not a response of this conversation. GET /v1/conversations/${id}/runs lists them.`,
      );
    return { ...place, parent, conversationHead: headRunId };
  }
  if (previousResponseId === undefined) return none;
  // A stored response cannot continue one that is in memory only.
  const isPassing = !request.store && connection?.passing.has(previousResponseId) === true;
  const parent = await (isPassing ? stores.forNew({ isDurable: false }) : store).getRun({
    owner,
    id: previousResponseId,
  });
  if (parent !== undefined) return { ...none, parent };
  throw new RequestError({
    param: "previous_response_id",
    code: "previous_response_not_found",
    message: `Previous response with id '${previousResponseId}' not found.`,
  });
}
