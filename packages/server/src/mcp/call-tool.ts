import type { ApprovalRequest, JsonObject, Progress } from "@capstan/core";
import { errorMessage } from "@capstan/core/host";
import { requestOf, type RunRecord } from "@capstan/store";
import {
  type CallToolResult,
  inputRequired,
  type InputRequiredResult,
  type Server,
  type ServerContext,
} from "../libraries/mcp-server.ts";
import { RequestError } from "../http/errors.ts";
import type { Services } from "../http/services.ts";
import { callResult, textResult } from "./calls/call-result.ts";
import { type CallState, followCall } from "./calls/follow-call.ts";
import type { ProgramCalls } from "./calls/program-calls.ts";
import type { ProgramConversations } from "./calls/program-conversation.ts";
import { answerByClient, approvalForm, mayClientApprove } from "./client-approval.ts";
import type { McpOptions } from "./mcp-options.ts";
import { type Exchange, exchangeOf } from "./protocol/exchange.ts";
import type { ListedTool } from "./protocol/tool-list.ts";

/** The parts that the handlers of an MCP server share. */
export interface McpParts {
  readonly services: Services;
  readonly options: McpOptions;
  readonly calls: ProgramCalls;
  readonly conversations: ProgramConversations;
  readonly log: (line: string) => void;
}

/** The tool that waits for a call which has not ended. */
export const awaitCall = "AwaitCall";

interface CallRequest {
  readonly name: string;
  readonly args: JsonObject;
  readonly tool: ListedTool | undefined;
}

/** Serves a call of a tool: starts it, or finds the call that it repeats, and waits for its result. */
export async function callTool(
  parts: McpParts,
  { server, context }: { readonly server: Server; readonly context: ServerContext },
  request: CallRequest,
): Promise<CallToolResult | InputRequiredResult> {
  const exchange = exchangeOf(context);
  const { calls, log } = parts;
  try {
    if (request.tool === undefined) {
      const id = request.args["id"];
      const run = typeof id === "string" ? await calls.find(exchange.principal, id) : undefined;
      if (run === undefined) return unknownCall(id);
      return await follow(parts, { server, context, exchange, run });
    }
    const { registered } = request.tool;
    const call = await calls.start({
      owner: exchange.principal,
      toolId: registered.id,
      args: request.args,
      readOnly: registered.tool.effects === "read",
      headers: exchange.headers,
      disconnected: exchange.disconnected,
    });
    // If the client gives up this request, a repeat gets the call's result. Until the response has
    // ended, an equal request is a new call.
    exchange.onEnd.push(call.release);
    context.mcpReq.signal.addEventListener("abort", call.release, { once: true });
    if (exchange.disconnected.aborted || context.mcpReq.signal.aborted) call.release();
    const { run } = call;
    const structured = registered.tool.declaredReturnType?.schema !== undefined;
    return await follow(parts, { server, context, exchange, run, structured, stops: true });
  } catch (thrown) {
    if (thrown instanceof RequestError) return textResult(thrown.message, true);
    log(`The MCP call of ${request.name} failed: ${errorMessage(thrown)}`);
    return textResult(
      "The server failed to make this call, and its log has the reason. Call the tool again with the same arguments: it runs at most once.",
      true,
    );
  }
}

interface FollowOptions {
  readonly server: Server;
  readonly context: ServerContext;
  readonly exchange: Exchange;
  readonly run: RunRecord;
  /** Whether the tool declares the form of its value. @default false */
  readonly structured?: boolean;
  /** Whether the call stops if the client cancels the request. @default false */
  readonly stops?: boolean;
}

async function follow(
  parts: McpParts,
  { server, context, exchange, run, structured = false, stops = false }: FollowOptions,
): Promise<CallToolResult | InputRequiredResult> {
  const { services, options, calls, conversations } = parts;
  const { signal } = context.mcpReq;
  const store = services.runs.stores.of(run.id);
  await answerFromState(parts, context, run);
  const stop = new AbortController();
  const end = () => stop.abort();
  const isCancelled = () => signal.aborted;
  const asks = openForms(parts, { server, context, run, end });
  const progress = sendProgress(context, options.progressMs);
  let timer = setTimeout(end, options.waitMs);
  signal.addEventListener("abort", end, { once: true });
  exchange.disconnected.addEventListener("abort", end, { once: true });
  if (signal.aborted || exchange.disconnected.aborted) end();
  let state: CallState;
  try {
    state = await followCall({ store, run }, stop.signal, {
      onProgress: progress.report,
      onApproval: (approval) => {
        progress.report({ message: "Waits for approval." });
        if (!asks.canAsk(approval)) return;
        clearTimeout(timer);
        timer = setTimeout(end, options.askMs);
        asks.ask(approval).catch((thrown: unknown) => parts.log(errorMessage(thrown)));
      },
      onAnswer: (approvalId) => asks.close(approvalId),
    });
  } finally {
    clearTimeout(timer);
    progress.stop();
    asks.closeAll();
    signal.removeEventListener("abort", end);
    exchange.disconnected.removeEventListener("abort", end);
  }
  if (isCancelled() && state.status !== "settled") {
    exchange.abandon.abort();
    if (stops) await calls.cancel(run);
    return textResult("The call was cancelled.", true);
  }
  if (asks.required !== undefined && state.status === "waits") return asks.required;
  if (state.status === "runs" || state.status === "waits") return unfinished(state, run, exchange);
  const text = state.status === "settled" ? state.call.result.finalText : undefined;
  await conversations.addVariablesOf(run, text);
  // The SDK sends no response to a cancelled request.
  if (!isCancelled()) {
    const isLinked = state.status === "settled" && state.call.result.isTruncated;
    exchange.onWritten.push(() => calls.delivered(run, { isLinked }));
  }
  if (state.status === "failed") {
    const { message = "The call's run was stopped or deleted." } = state.error ?? {};
    return textResult(`The call did not end: ${message}`, true);
  }
  const result = await callResult({ store, run }, state.call, { structured });
  return (options.extend?.result(toolOf(run), result) as CallToolResult | undefined) ?? result;
}

function toolOf(run: RunRecord): string {
  const { call } = requestOf(run);
  return call?.toolId.slice(call.toolId.indexOf(".") + 1) ?? "";
}

/** Returns the result of a call that has not ended. It is not an error, because models then try something else. */
function unfinished(
  state: Extract<CallState, { status: "runs" | "waits" }>,
  run: RunRecord,
  { origin }: Exchange,
): CallToolResult {
  const tool = toolOf(run);
  const now =
    state.status === "waits"
      ? `${tool} waits for the approval of a user at ${origin}/ and has not run yet.`
      : `${tool} still runs.`;
  return textResult(
    `${now} To get its result, call ${awaitCall} with {"id": "${run.id}"}, or call ${tool} again with the same arguments: it runs once.`,
  );
}

function unknownCall(id: unknown): CallToolResult {
  const shown = typeof id === "string" ? `"${id.slice(0, 100)}"` : "nothing";
  return textResult(
    `id: you have no call ${shown}. Expected the id from a result that says that its call waits or runs.`,
    true,
  );
}

/** Sends notifications of progress, if the client asked for them. Their values always grow. */
function sendProgress(context: ServerContext, everyMs: number) {
  const token = context.mcpReq._meta?.progressToken;
  if (token === undefined) return { report: () => {}, stop: () => {} };
  let last: Progress = {};
  let sent = -1;
  const send = () => {
    const { message, done, total } = last;
    sent = done !== undefined && done > sent ? done : sent + (total === undefined ? 1 : 0.001);
    const params = {
      progressToken: token,
      progress: sent,
      ...(total !== undefined && { total }),
      ...(message !== undefined && { message }),
    };
    context.mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
  const timer = setInterval(send, everyMs);
  return {
    report: (progress: Progress) => {
      last = progress;
      send();
    },
    stop: () => clearInterval(timer),
  };
}

/** The state of an approval form that a client of the protocol 2026-07-28 returns with its answer. */
interface FormState {
  readonly runId: string;
  readonly approvalId: string;
}

/** The name for which states are sealed, so that no other sealed text is a state. */
const sealedFor = (owner: string): string => `MCP approval of ${owner}`;

/** Asks the client's user, if the client can ask and its answers count. */
function openForms(
  parts: McpParts,
  {
    server,
    context,
    run,
    end,
  }: {
    readonly server: Server;
    readonly context: ServerContext;
    readonly run: RunRecord;
    readonly end: () => void;
  },
) {
  const { services, options, log } = parts;
  const isModern = context.mcpReq.envelope !== undefined;
  const open = new Map<string, AbortController>();
  const forms = {
    /** The result that asks a client of the protocol 2026-07-28. */
    required: undefined as InputRequiredResult | undefined,

    canAsk: (approval: ApprovalRequest): boolean =>
      mayClientApprove(options.clientApproves, server.getClientCapabilities(), approval) &&
      approvalForm(approval) !== undefined,

    async ask(approval: ApprovalRequest): Promise<void> {
      const { owner, id: runId } = run;
      // The events of a run that is followed again contain answered requests.
      const stored = await services.runs.stores.getApproval({ owner, id: approval.id });
      if (stored?.status !== "pending" || context.mcpReq.signal.aborted) return;
      const form = approvalForm(approval);
      if (form === undefined) return;
      if (isModern) {
        const state: FormState = { runId, approvalId: approval.id };
        forms.required = inputRequired({
          inputRequests: { approval: inputRequired.elicit(form) },
          requestState: services.sealer.seal(sealedFor(owner), JSON.stringify(state)),
        });
        return end();
      }
      const closed = new AbortController();
      open.set(approval.id, closed);
      context.mcpReq
        .elicitInput(form, { signal: closed.signal, timeout: options.askMs })
        .then((answer) => answerByClient(services, { owner, runId, id: approval.id }, answer))
        .catch((thrown: unknown) => {
          if (!closed.signal.aborted) log(`The MCP client did not ask: ${errorMessage(thrown)}`);
        });
    },

    /** Closes a form whose request was answered elsewhere. */
    close(approvalId: string): void {
      open.get(approvalId)?.abort();
      open.delete(approvalId);
    },

    closeAll(): void {
      for (const form of open.values()) form.abort();
    },
  };
  return forms;
}

/**
 * Answers the approval request whose form the client returns. The sealed state names the request
 * and proves nothing else: the request must belong to this call, and must still be open.
 */
async function answerFromState(
  { services, options }: McpParts,
  context: ServerContext,
  { owner, id: runId }: RunRecord,
): Promise<void> {
  const { inputResponses } = context.mcpReq;
  const sealed = context.mcpReq.requestState<string>();
  if (options.clientApproves === "nothing") return;
  if (typeof sealed !== "string" || inputResponses === undefined) return;
  const opened = services.sealer.open(sealedFor(owner), sealed);
  if (opened.status !== "opened") return;
  const state = JSON.parse(opened.text) as FormState;
  const answer = inputResponses["approval"];
  if (state.runId !== runId || typeof answer !== "object" || answer === null) return;
  await answerByClient(services, { owner, runId, id: state.approvalId }, answer);
}
