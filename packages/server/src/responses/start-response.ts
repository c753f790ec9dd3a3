import { type Message, type ToolGroup, type ToolMessage, VariableSystem } from "@capstan/core";
import {
  isClosing,
  type RequestKey,
  type RunRecord,
  type ServerGroup,
  type Store,
} from "@capstan/store";
import { findRequestedModel, offersTool, readHistory } from "../runs/active/launch.ts";
import type { RunRequest } from "../runs/request/run-request.ts";
import type { Services } from "../http/services.ts";
import { conflict, RequestError } from "../http/errors.ts";
import { nextTurn } from "../http/streams.ts";
import { requireNoLoosening, rightMissing } from "../http/rights.ts";
import { allowedTools } from "./request/parse-tools.ts";
import { type ApprovalResponse, inputMessages, newItems, splitHistory } from "./input-messages.ts";
import { lookUpItems, storedView } from "./read-response.ts";
import { checkOutputSize, storedItems } from "./content-parts.ts";
import { approvalIdOf, type ServerListing } from "./projection/output-order.ts";
import type { CreateRequest } from "./request/parse-request.ts";

/**
 * Starts a run for a request. The run does not depend on the request's connection. @throws
 * RequestError
 */
export async function startResponse(
  services: Services,
  {
    principal: owner,
    mayApprove,
    key,
  }: {
    readonly principal: string;
    readonly mayApprove: boolean;
    readonly key?: RequestKey | undefined;
  },
  request: CreateRequest,
): Promise<RunRecord> {
  if (!mayApprove) requireNoLoosening(request.tools);
  const modelId = request.model ?? services.models.default.id;
  const model = await findRequestedModel(services.models, modelId);
  if (model === undefined) throw await unknownModel(services, modelId);
  const unknown = request.tools.servers.find(
    ({ group }) => !services.groups().some(({ name }) => name === group),
  );
  if (unknown !== undefined) throw unknownGroup(services.groups(), unknown);

  checkChosenTool(services, request);
  checkOutputSize(request.input, services.limits.toolOutputChars);
  const found = await findParent(services, owner, request);
  const { parent, conversationId } = found;
  const references = request.input.flatMap((item) =>
    "id" in item && typeof item.id === "string" ? [item.id] : [],
  );
  const items = await lookUpItems(services.runs.store, owner, references);
  // A parent that was found by an item already contains all earlier items.
  const input = found.byItem ? newItems(request.input) : request.input;
  const understood = inputMessages(input, {
    resolve: (id) => items.get(id),
    knownCalls: openCallsOf(parent),
  });
  // Each of these steps iterates over the whole input.
  await nextTurn();
  const stored = storedItems(understood.items);
  await nextTurn();
  const tools = allowedTools(request.tools, request.toolChoice);
  const { messages, answers, approvals } = understood;
  if (!mayApprove && approvals.some(({ approve }) => approve))
    throw rightMissing("approve", "'approve': true");
  // An unstored run cannot have a stored parent, so it gets the parent's history as messages.
  const crosses = !request.store && parent !== undefined && !found.byItem;
  if (crosses && approvals[0] !== undefined) throw keptApproval(approvals[0]);
  for (const response of approvals) {
    const store = services.runs.stores.forNew({ kept: request.store });
    const known = await asksFor(store, owner, response);
    if (known === undefined || known !== parent?.id) throw unknownApproval(response);
  }
  if (parent !== undefined && !isClosing(parent.status) && approvals.length > 0) {
    if (messages.length > 0) throw conflict(onlyAnswers);
    // A sub-call requested the approval, so its run and its response continue.
    for (const response of approvals) {
      const { approvalId, decision } = answerOf(response);
      await services.runs.answer(owner, approvalId, decision, parent.id);
    }
    return parent;
  }
  const { before, turn } = splitHistory(messages);
  await nextTurn();
  const history = request.history ?? services.history;
  const [said, variables] = crosses
    ? await Promise.all([
        readHistory(services.runs.store, { owner, parentId: parent.id, adopts: false, history }),
        services.runs.variablesOf({ owner, headRunId: parent.id }),
      ])
    : [[], undefined];
  const run: RunRequest = {
    principal: owner,
    model: model.id,
    instructions: request.instructions ?? null,
    context: [...answeredBy(said, answers), ...before],
    // The history refers to these variables.
    ...(variables !== undefined && { variables: variables.snapshot() }),
    history,
    inputMessages: turn,
    inputItems: stored.items,
    blobs: stored.blobs,
    parentId: crosses ? null : (parent?.id ?? null),
    conversationId,
    title: found.untitled ? titleFrom(messages) : null,
    servers: tools.servers,
    clientTools: tools.client,
    settings: request.settings,
    maxToolCalls: request.maxToolCalls ?? null,
    approvals: request.approvals ?? "deferred",
    toolOutputs: request.toolOutputs ?? "deferred",
    answers: approvals.map(answerOf),
    outputs: answers.map((message: ToolMessage) => ({
      callId: message.tool_call_id,
      output: message.content,
    })),
    continuesParent: false,
    wire: storedView({
      echo: request.echo,
      servers: tools.servers.map((server) => listing(services, server)),
      customTools: request.tools.customTools,
      ...(request.previousResponseId !== undefined && {
        previousResponseId: request.previousResponseId,
      }),
      ...(conversationId !== null && { conversation: conversationId }),
    }),
  };
  const outcome = await services.runs.start(run, { kept: request.store, key });
  if (outcome.status === "conflict") throw conflict(outcome.message);
  return outcome.run;
}

const onlyAnswers =
  "The previous response has not ended: one of its calls waits for these approvals. Send only the approvals, and more input afterwards.";

/** @throws RequestError if the tool choice names a tool that its group does not offer */
function checkChosenTool(services: Services, { toolChoice, tools }: CreateRequest): void {
  if (toolChoice.type !== "server" || toolChoice.name === undefined) return;
  const { label, name } = toolChoice;
  const server = tools.servers.find((each) => each.label === label);
  const known =
    server === undefined ? [] : listing(services, server).tools.map((tool) => tool.name);
  if (known.includes(name)) return;
  const message = `Tool choice '${name.slice(0, 100)}' not found in the server '${label.slice(0, 100)}'. It offers: ${known.slice(0, 20).join(", ")}.`;
  throw new RequestError({ param: "tool_choice", code: "invalid_value", message });
}

/** Returns the id of the run that requested the approval. */
async function asksFor(
  store: Store,
  owner: string,
  { approvalRequestId }: ApprovalResponse,
): Promise<string | undefined> {
  const id = approvalIdOf(approvalRequestId);
  if (id === undefined) return undefined;
  const approval = await store.getApproval({ owner, id });
  // This API has no format for result reviews.
  return approval?.kind === "execution" ? approval.runId : undefined;
}

/** Returns a history in which the open calls have the outputs of this request. */
function answeredBy(
  history: readonly Message[],
  answers: readonly ToolMessage[],
): readonly Message[] {
  const byCall = new Map(answers.map((message) => [message.tool_call_id, message]));
  return history.map((message) =>
    message.role === "tool" ? (byCall.get(message.tool_call_id) ?? message) : message,
  );
}

const titleChars = 80;

/** Returns the first words of the user's text as a title. */
function titleFrom(messages: readonly Message[]): string | null {
  for (const { role, content } of messages) {
    if (role !== "user") continue;
    const parts =
      typeof content === "string"
        ? content
        : content.map((part) => (part.type === "text" ? part.text : "")).join(" ");
    const words = parts.replace(/\s+/g, " ").trim();
    if (words !== "")
      return words.length <= titleChars
        ? words
        : `${words.slice(0, titleChars - 1).toWellFormed()}…`;
  }
  return null;
}

function openCallsOf(parent: RunRecord | undefined): ReadonlyMap<string, string> {
  const open = new Map<string, string>();
  for (const waiting of parent?.result?.waiting ?? [])
    if (waiting.type === "client_call") open.set(waiting.callId, waiting.name);
  return open;
}

function answerOf({
  approvalRequestId,
  approve,
  reason,
}: ApprovalResponse): RunRequest["answers"][number] {
  const approvalId = approvalIdOf(approvalRequestId) ?? "";
  if (approve) return { approvalId, decision: { decision: "allow" } };
  return { approvalId, decision: { decision: "refuse", ...(reason !== undefined && { reason }) } };
}

/** Returns a group's tools in this request, in the form of `mcp_list_tools`. */
function listing({ createExecutor }: Services, server: ServerGroup): ServerListing {
  const executor = createExecutor({ variables: new VariableSystem() });
  const tools = executor
    .enabledTools([server.group])
    .filter(
      (registered) => registered.group.name === server.group && offersTool([server], registered),
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

async function unknownModel({ models }: Services, id: string): Promise<RequestError> {
  const known = (await models.list()).map((entry) => entry.id).slice(0, 20);
  const message = `The model '${id}' does not exist here. There are: ${known.join(", ")}.`;
  return new RequestError({ param: "model", code: "model_not_found", message });
}

function unknownGroup(groups: readonly ToolGroup[], { group }: ServerGroup): RequestError {
  const message = `There is no tool group '${group}' here. There are: ${groups.map(({ name }) => name).join(", ")}.`;
  return new RequestError({ param: "tools", code: "tool_group_not_found", message });
}

function unknownApproval({ approvalRequestId, param }: ApprovalResponse): RequestError {
  return new RequestError({
    param,
    code: "approval_not_found",
    message: `MCP approval request '${approvalRequestId}' not found.`,
  });
}

function keptApproval({ param }: ApprovalResponse): RequestError {
  const message =
    "A stored response requested this approval, so answer it with 'store' true: its call must run only once, whichever request answers it.";
  return new RequestError({ param, code: "approval_needs_store", message });
}

interface FoundParent {
  readonly parent: RunRecord | undefined;
  readonly conversationId: string | null;
  /** Whether the conversation has no title yet. */
  readonly untitled: boolean;
  /**
   * Whether the parent was found by an item or a call in the input, because the request names none.
   */
  readonly byItem: boolean;
}

/**
 * Finds the run that a request continues: the newest run of its conversation, the run that it
 * names, or the run whose open call it answers.
 */
export async function findParent(
  { runs }: Pick<Services, "runs">,
  owner: string,
  request: CreateRequest,
): Promise<FoundParent> {
  const { store } = runs;
  const none = { conversationId: null, untitled: false, byItem: false };
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
    const parent = headRunId === null ? undefined : await store.getRun({ owner, id: headRunId });
    return { parent, conversationId: id, untitled: title === "", byItem: false };
  }
  if (previousResponseId !== undefined) {
    const parent = await store.getRun({ owner, id: previousResponseId });
    if (parent !== undefined) return { ...none, parent };
    throw new RequestError({
      param: "previous_response_id",
      code: "previous_response_not_found",
      message: `Previous response with id '${previousResponseId}' not found.`,
    });
  }
  const parent = await findByAnswer(runs.stores.forNew({ kept: request.store }), owner, request);
  return { ...none, parent, byItem: parent !== undefined };
}

async function findByAnswer(
  store: Store,
  owner: string,
  request: CreateRequest,
): Promise<RunRecord | undefined> {
  const fresh = newItems(request.input).toReversed();
  for (const item of fresh) {
    if (item.type !== "mcp_approval_response") continue;
    const id = approvalIdOf(item.approval_request_id);
    const approval = id === undefined ? undefined : await store.getApproval({ owner, id });
    if (approval !== undefined) return store.getRun({ owner, id: approval.runId });
  }
  const own = new Set(
    request.input.flatMap((item) =>
      item.type === "function_call" || item.type === "custom_tool_call" ? [item.call_id] : [],
    ),
  );
  for (const item of fresh) {
    if (item.type !== "function_call_output" && item.type !== "custom_tool_call_output") continue;
    if (!own.has(item.call_id)) return store.findRun({ owner, callId: item.call_id });
  }
  return undefined;
}
