import type { JsonValue, Message } from "@capstan/core";
import { type RequestKey, requestOf, type RunRecord } from "@capstan/store";
import { badRequest, conflict, type RequestError } from "../http/errors.ts";
import { offeredEntries, offeredServers, toolContextOf } from "../http/tools/request-data.ts";
import { requireKnownGroups } from "../http/parse-tool.ts";
import { typedFiles } from "../http/files/typed-files.ts";
import { requireNoLoosening } from "../http/rights.ts";
import type { Services } from "../http/services.ts";
import { selectAgent } from "../http/select-agent.ts";
import { applyAgent, settingsWith } from "../runs/request/agent.ts";
import type { HistoryProblem } from "../runs/history/history-item.ts";
import { newMessages } from "../runs/history/item-messages.ts";
import { mergeHistory } from "../runs/history/merge-history.ts";
import { sessionMarks, sessionVariables } from "../runs/history/session-marks.ts";
import type { RunRequest } from "../runs/request/run-request.ts";
import { historyItems } from "./history-items.ts";
import type { CompletionRequest } from "./parse-completion.ts";

/** Options for showing a run in the Chat Completions API. They are stored with the run. */
export interface CompletionView {
  readonly customTools: readonly string[];
  readonly usesFunctions: boolean;
  /**
   * Whether the answer must match a strict schema. It is then sent only after it has been checked.
   */
  readonly holdsAnswers: boolean;
  /** Whether links to a tool's files may follow the answer. They may not if it must be JSON. */
  readonly takesLinks?: boolean;
  readonly metadata: { readonly [name: string]: string };
  /** The agent that the request named as its model. Absent: the run's model. */
  readonly shownModel?: string;
}

/** Returns the view of a request's runs. */
export function viewOf({
  usesFunctions,
  metadata,
  tools,
  settings,
}: CompletionRequest): CompletionView {
  const { responseFormat: format } = settings;
  const holdsAnswers = format?.type === "json_schema" && format.strict === true;
  const takesLinks = format === undefined || format.type === "text";
  return { customTools: tools.customTools, usesFunctions, holdsAnswers, takesLinks, metadata };
}

/** Returns the view of a run that this API started, or `undefined` for another API's run. */
export function completionView(run: RunRecord): CompletionView | undefined {
  if (run.kind !== "turn") return undefined;
  const { api, wire } = requestOf(run);
  return api === "completions" ? (wire as unknown as CompletionView) : undefined;
}

/**
 * Starts a run for one choice of a request. If the request answers open calls of an earlier run,
 * the new run continues that run and has the results of its server calls.
 *
 * @throws RequestError for an unknown model or group, or a missing right
 */
export async function startCompletion(
  services: Services,
  caller: {
    readonly principal: string;
    readonly defaultAgent?: string | undefined;
    readonly mayApprove: boolean;
    /** The value of the request's session header. */
    readonly sessionHeader?: string | undefined;
    readonly key?: RequestKey | undefined;
    /** The number of the choice, and the run of the first one. */
    readonly choice: number;
    readonly of?: string;
    /** The request's headers that tools receive. */
    readonly headers?: { readonly [name: string]: string };
  },
  request: CompletionRequest,
): Promise<RunRecord> {
  const { principal: owner, mayApprove, sessionHeader, key } = caller;
  const { tools, messages, blobs, promptCacheKey } = request;
  if (!mayApprove) requireNoLoosening(tools);
  const selected = await selectAgent(services, caller, request.model, { unknownStatus: 404 });
  const { model, agent, shownModel } = selected;
  requireKnownGroups(services.groups(), tools.servers);

  const marks = sessionMarks({ user: request.user, promptCacheKey, header: sessionHeader });
  const merged = await mergeHistory({
    stores: services.runs.stores,
    owner,
    isDurable: request.store,
    items: historyItems(messages),
    parent: undefined,
    lookUp: async () => new Map(),
    sessionMarks: marks,
  });
  if (merged.status === "invalid") throw historyError(merged.problem);
  // A run that is not stored cannot continue a stored one, but the request states the whole history.
  const {
    parent,
    outputs,
    messages: added,
  } = merged.crosses ? { parent: undefined, outputs: [], messages } : merged;
  const session = parent === undefined ? (merged.session ?? merged.parent) : undefined;
  const variables = await sessionVariables(services.runs, session);
  const adopts = (parent?.result?.waiting ?? []).length > 0;
  const { before, turn } = newMessages(added, { adopts });
  const view = { ...viewOf(request), ...(shownModel !== undefined && { shownModel }) };
  // The API has no approval requests: the answer waits until a user approves elsewhere.
  const typed = await typedFiles(tools.hosted, { store: services.runs.store, owner });
  const fields = applyAgent(agent, {
    ...tools,
    servers: offeredServers(tools),
    clientTools: tools.client,
    approvals: "inline",
  });
  const run: RunRequest = {
    principal: owner,
    model: model.id,
    instructions: fields.instructions,
    context: before,
    history: fields.history ?? services.history,
    inputMessages: turn,
    inputItems: turn.flatMap(shownItem),
    blobs: [...blobs, ...typed.blobs],
    parentId: parent?.id ?? null,
    ...(variables !== undefined && { variables: variables.snapshot() }),
    ...(session !== undefined && !merged.crosses && { sessionId: session.sessionId }),
    sessionKeys: marks.map(({ key }) => key),
    conversationId: null,
    title: null,
    servers: fields.servers,
    clientTools: fields.clientTools,
    ...(fields.omitsClientTools === true && { omitsClientTools: true }),
    checkedTools: tools.checkedTools,
    settings: {
      ...settingsWith(agent, request.settings),
      ...(request.usesFunctions && { parallelToolCalls: false }),
    },
    maxToolCalls: fields.maxToolCalls,
    maxRounds: fields.maxRounds,
    approvals: fields.approvals,
    toolOutputs: "deferred",
    answers: [],
    outputs: outputs.map(({ callId, text, parts }) => ({
      callId,
      output: text,
      ...(parts !== undefined && { parts }),
    })),
    continuesParent: false,
    toolContext: toolContextOf({
      user: request.user,
      metadata: request.metadata,
      headers: caller.headers,
      files: typed.files,
      tools: {
        // The run takes over calls of the parent's tools.
        ...(adopts && parent !== undefined && requestOf(parent).toolContext?.tools),
        ...offeredEntries(tools, tools.declared),
      },
    }),
    api: "completions",
    wire: view,
    ...(request.store && {
      completion: {
        ...(caller.of !== undefined && { of: caller.of }),
        choice: caller.choice,
        model: shownModel ?? model.id,
        metadata: request.metadata,
      },
    }),
  };
  const outcome = await services.runs.start(run, { isDurable: request.store, key });
  if (outcome.status === "conflict") throw conflict(outcome.message);
  return outcome.run;
}

/** @returns an error that names the message with the problem */
function historyError({ at, reason }: HistoryProblem): RequestError {
  const param = `messages[${at}]`;
  const message =
    reason === "second_output"
      ? `Invalid '${param}': the call has another, different answer. Send one answer for each call.`
      : `Invalid '${param}': it answers no call of an earlier assistant message.`;
  return badRequest(param, message);
}

/** Returns a user's message as an item of the Responses API. Runs show their input in this form. */
function shownItem(message: Message): readonly JsonValue[] {
  if (message.role !== "user") return [];
  const { content } = message;
  const parts = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  const texts = parts.map((part) =>
    part.type === "text" ? part.text : part.type === "file" ? `[${part.name}]` : `[${part.type}]`,
  );
  return [
    {
      type: "message",
      status: "completed",
      role: "user",
      content: texts.map((text) => ({ type: "input_text", text })),
    },
  ];
}
