import type { JsonObject, JsonValue, RequestTool } from "@capstan/core";
import { newId, type ToolChoice } from "@capstan/core/host";
import type { RequestKey, RunRecord, StoreWrite } from "@capstan/store";
import { badRequest, conflict, RequestError } from "../http/errors.ts";
import { requireKnownGroups } from "../http/parse-tool.ts";
import { hostedServer, hostedTool } from "../http/tools/hosted-tools.ts";
import { requireNoLoosening } from "../http/rights.ts";
import type { Services } from "../http/services.ts";
import { newMessages } from "../runs/history/item-messages.ts";
import { findRequestedModel } from "../runs/active/run-models.ts";
import { type AgentFields, applyAgent } from "../runs/request/agent.ts";
import type { RunRequest } from "../runs/request/run-request.ts";
import { titleFrom } from "../runs/request/title.ts";
import { unknownModel } from "./unknown-model.ts";
import { requireNoActiveRun, requireNoOpenCalls } from "./active-run.ts";
import { messageWrite, threadLimit } from "./create-thread.ts";
import { createdView, messageData, type MessageView } from "./message-view.ts";
import { modelMessages } from "./model-messages.ts";
import { type Assistant, findAssistant } from "./request/assistant.ts";
import { type HostedType, hostedTypes } from "./request/hosted-tools.ts";
import { type CreatedMessage, fileIdsOf } from "./request/parse-message.ts";
import { modelSettings, type ParsedRun, type WireChoice } from "./request/parse-run.ts";
import { requireFiles } from "./require-files.ts";
import type { RunWire } from "./run-wire.ts";
import { restateIfRead, type Thread, threadWrite } from "./thread.ts";
import { readToolContext } from "./tool-context.ts";
import { messagesOf, readThreadParts, type ThreadParts } from "./thread-messages.ts";

/** The caller of a request for a run. */
export interface RunCaller {
  readonly owner: string;
  readonly mayApprove: boolean;
  readonly key?: RequestKey | undefined;
  /** The request's headers that tools receive. */
  readonly headers?: { readonly [name: string]: string };
}

/** The data that a run takes from its request and its assistant, before its thread is read. */
export interface PreparedRun {
  readonly request: ParsedRun;
  readonly assistant: Assistant;
  readonly model: string;
  readonly agent: AgentFields;
  readonly tools: readonly JsonObject[];
  readonly hosted: readonly HostedType[];
}

/**
 * Checks a request for a run, without any effect.
 *
 * @throws RequestError for an unknown assistant, model, group or file, or a missing right
 */
export async function prepareRun(
  services: Services,
  { owner, mayApprove }: RunCaller,
  request: ParsedRun,
): Promise<PreparedRun> {
  const { models, groups, runs, hostedTools = {} } = services;
  const assistant = await findAssistant(services, { owner, id: request.assistantId });
  if (assistant === undefined) throw unknownAssistant(request.assistantId);
  const { fields } = assistant;
  const { tools } = request;
  if (tools !== undefined && !mayApprove) requireNoLoosening(tools);
  const named = request.model ?? fields.model;
  const model = await findRequestedModel(models, named);
  if (model === undefined) throw unknownModel(named);
  const wanted = tools?.echo ?? fields.tools;
  const hosted = hostedOf(wanted);
  const offered = wanted.flatMap((tool) => hostedTool(tool as RequestTool, hostedTools) ?? []);
  const { instructions: _own, ...preset } = assistant.agent;
  const texts = [request.instructions ?? fields.instructions, request.additionalInstructions];
  const agent = applyAgent(
    tools === undefined ? preset : { ...preset, groups: [], functions: [] },
    {
      instructions: texts.filter((text) => text != null && text !== "").join("\n\n"),
      servers: [...(tools?.servers ?? []), ...offered.map(hostedServer)],
      clientTools: tools?.client ?? [],
      offersClientTools: true,
      excludesOthers: false,
      approvals: "inline",
    },
  );
  requireKnownGroups(groups(), agent.servers);
  checkChoice(request.choice?.value, agent, hosted);
  const files = request.additionalMessages.flatMap(fileIdsOf);
  await requireFiles(runs.store, { owner, ids: files, at: "additional_messages" });
  return {
    request,
    assistant,
    model: model.id,
    agent,
    tools: wanted,
    hosted,
  };
}

/**
 * Starts a run of a thread. Its first commit also adds the additional messages to the thread.
 *
 * @throws RequestError 400 if the thread has an active run
 */
export async function startThreadRun(
  services: Services,
  { owner, key, headers }: RunCaller,
  { thread, prepared }: { readonly thread: Thread; readonly prepared: PreparedRun },
): Promise<RunRecord> {
  const { runs, hostedTools = {}, history } = services;
  const { store } = runs;
  const { conversation, data } = thread;
  const { request, agent, hosted } = prepared;
  const parts = await readThreadParts(store, thread);
  const head = await parts.runs.at(0);
  if (head !== undefined) requireNoActiveRun(thread, head);
  if (head !== undefined) requireNoOpenCalls(head);
  const added = request.additionalMessages.map((message) => ({ id: newId("msg_"), message }));
  const fresh = [
    ...parts.pending.flatMap((record) => createdView(record) ?? []),
    ...added.map(({ id, message }) => addedView(id, message)),
  ];
  const read = await readMessages(store, { thread, parts, fresh, prepared });
  const options = { store, owner, offered: hosted };
  const { messages, blobs } = await modelMessages(read.views, options);
  const { before, turn } = newMessages(messages, { adopts: false });
  const also: readonly StoreWrite[] = [
    ...added.map(({ id, message }, index) => ({
      ...messageWrite(conversation, message, id),
      ...(index === added.length - 1 && { limit: threadLimit }),
    })),
    ...(read.mustRestate === data.mustRestate
      ? []
      : [threadWrite(thread, { mustRestate: read.mustRestate })]),
  ];
  const wire: RunWire = {
    ...wireOf(prepared, fresh, hostedTools),
    ...(read.restates === "all" && { restated: read.views.map(({ id }) => id) }),
  };
  const typed = await readToolContext(services, {
    owner,
    headers,
    prepared,
    thread,
    messages: [...parts.objects.values()]
      .map(messageData)
      .filter((each) => each.type === "created")
      .concat(request.additionalMessages),
  });
  const run: RunRequest = {
    principal: owner,
    model: prepared.model,
    instructions: agent.instructions,
    context: before,
    ...(read.restates !== undefined && { restates: read.restates }),
    history: agent.history ?? history,
    inputMessages: turn,
    inputItems: fresh.map(inputItem),
    blobs: [...blobs, ...typed.blobs],
    parentId: conversation.headRunId,
    conversationId: conversation.id,
    title: conversation.title === "" ? titleFrom(turn) : null,
    servers: agent.servers,
    clientTools: agent.clientTools,
    settings: modelSettings({
      choice: toolChoice(request.choice?.value, hostedTools),
      format: wire.responseFormat,
      parallelToolCalls: request.parallelToolCalls,
      temperature: wire.temperature,
      topP: wire.topP,
      reasoningEffort: request.reasoningEffort ?? prepared.assistant.fields.reasoning_effort,
    }),
    maxToolCalls: agent.maxToolCalls,
    maxRounds: agent.maxRounds,
    ...(request.maxPromptTokens !== null && { maxPromptTokens: request.maxPromptTokens }),
    ...(request.maxCompletionTokens !== null && {
      maxCompletionTokens: request.maxCompletionTokens,
    }),
    approvals: agent.approvals,
    toolOutputs: "inline",
    toolContext: typed.toolContext,
    answers: [],
    outputs: [],
    continuesParent: false,
    api: "threads",
    wire: wire as unknown as JsonValue,
  };
  const outcome = await runs.start(run, { isDurable: true, key, also });
  if (outcome.status === "started") {
    // Messages that were deleted in the meantime must not be read again.
    await restateIfRead(
      store,
      thread,
      fresh.map(({ id }) => id),
    );
    return outcome.run;
  }
  // Another request may have started a run in the meantime.
  const now = await store.getConversation(conversation);
  const newest = now?.headRunId ?? null;
  const other = newest === null ? undefined : await store.getRun({ owner, id: newest });
  if (other !== undefined) requireNoActiveRun(thread, other);
  throw conflict(outcome.message);
}

interface ReadOptions {
  readonly thread: Thread;
  readonly parts: ThreadParts;
  /** The messages that no run has read. */
  readonly fresh: readonly MessageView[];
  readonly prepared: PreparedRun;
}

/**
 * Returns the messages that a run states: the new ones, or all that it reads if they differ from
 * the history of the thread's runs.
 */
async function readMessages(
  store: Services["runs"]["store"],
  { thread: { data }, parts, fresh, prepared }: ReadOptions,
): Promise<{
  readonly views: readonly MessageView[];
  readonly restates: "all" | "own" | undefined;
  /** Whether the next run must state all messages. */
  readonly mustRestate: boolean;
}> {
  const { last_messages: last } = prepared.request.truncation;
  const { mustRestate } = data;
  if (last === null && !mustRestate) return { views: fresh, restates: undefined, mustRestate };
  const earlier = await Array.fromAsync(messagesOf(store, { ...parts, pending: [] }, "asc"));
  const all = [...earlier, ...fresh].filter((view) => (view["content"] as []).length > 0);
  // Later runs still read the messages that this run leaves out.
  if (last !== null && last < all.length)
    return {
      views: all.slice(-last),
      restates: "own",
      // Later runs read only this run's own turn, and added answers do not belong to that turn.
      mustRestate:
        mustRestate || last < fresh.length || fresh.some(({ role }) => role === "assistant"),
    };
  return mustRestate
    ? { views: all, restates: "all", mustRestate: false }
    : { views: fresh, restates: undefined, mustRestate };
}

function unknownAssistant(id: string): RequestError {
  const message = `There is no assistant "${id.slice(0, 100)}" here. GET /v1/assistants lists the assistants.`;
  return new RequestError({
    status: 404,
    param: "assistant_id",
    code: "assistant_not_found",
    message,
  });
}

function addedView(id: string, message: CreatedMessage): MessageView {
  const { role, content, attachments } = message;
  return { id, role, content: [...content], attachments: attachments as unknown as JsonObject[] };
}

/** Returns a message as an item of the Responses API. Runs show their input in this form. */
function inputItem({ id, role, content }: MessageView): JsonValue {
  const type = role === "assistant" ? "output_text" : "input_text";
  const texts = (content as readonly JsonObject[]).map((block) =>
    block["type"] === "text"
      ? (block["text"] as { readonly value: string }).value
      : `[${block["type"] as string}]`,
  );
  return {
    type: "message",
    id,
    status: "completed",
    role: role ?? "user",
    content: texts.map((text) => ({ type, text })),
  };
}

function wireOf(
  { request, assistant, model, agent, tools, hosted }: PreparedRun,
  fresh: readonly MessageView[],
  hostedTools: NonNullable<Services["hostedTools"]>,
): RunWire {
  const { fields } = assistant;
  const responseFormat = request.responseFormat ?? fields.response_format;
  const format = responseFormat === "auto" ? undefined : responseFormat;
  const schema = format?.["json_schema"] as { readonly strict?: boolean } | undefined;
  return {
    assistantId: assistant.id,
    messages: fresh.map(({ id }) => id),
    instructions: agent.instructions ?? "",
    model: request.model ?? fields.model ?? model,
    tools,
    toolChoice: request.choice?.wire ?? "auto",
    responseFormat,
    truncation: request.truncation,
    maxPromptTokens: request.maxPromptTokens,
    maxCompletionTokens: request.maxCompletionTokens,
    parallelToolCalls: request.parallelToolCalls,
    temperature: request.temperature ?? fields.temperature,
    topP: request.topP ?? fields.top_p,
    metadata: request.metadata,
    forms: Object.fromEntries(
      hosted.flatMap((type) => {
        const id = hostedTools[type];
        return id === undefined ? [] : [[id, type]];
      }),
    ),
    holdsAnswers: schema?.strict === true,
  };
}

function hostedOf(tools: readonly JsonObject[]): readonly HostedType[] {
  return hostedTypes.filter((type) => tools.some((tool) => tool["type"] === type));
}

/** @throws RequestError if the tool choice names a tool that the run does not offer */
function checkChoice(
  choice: WireChoice | undefined,
  { clientTools }: AgentFields,
  hosted: readonly HostedType[],
): void {
  if (choice === undefined || typeof choice === "string") return;
  const isKnown =
    choice.type === "function"
      ? clientTools.some((tool) => tool.function.name === choice.name)
      : hosted.includes(choice.type);
  if (isKnown) return;
  const name = choice.type === "function" ? choice.name : choice.type;
  throw badRequest(
    "tool_choice",
    `Invalid 'tool_choice': the run has no tool '${name.slice(0, 100)}'. Name a function or a type of its 'tools'.`,
  );
}

function toolChoice(
  choice: WireChoice | undefined,
  hostedTools: NonNullable<Services["hostedTools"]>,
): ToolChoice | undefined {
  if (choice === undefined || typeof choice === "string" || choice.type === "function")
    return choice;
  return { type: "function", name: hostedTools[choice.type]?.split(".")[1] ?? choice.type };
}
