import type { ChainError, Usage } from "@capstan/core";
import { addUsage, type FinishReason } from "@capstan/core/host";
import type { RunEvent } from "@capstan/contract";
import type {
  OutputItem,
  ResponseEcho,
  ResponseObject,
  ResponseStatus,
  ResponseStreamEvent,
  UnnumberedEvent,
  WireError,
  WireUsage,
} from "./wire.ts";
import type { SealReceipt } from "./call-receipts.ts";
import type { ToolForms } from "../client-tools/tool-form.ts";
import { createServerCalls } from "./calls.ts";
import { createClientCalls } from "./client-calls.ts";
import {
  createListToolsWriter,
  createOutputOrder,
  itemIds,
  type ServerListing,
} from "./output-order.ts";
import { createTextItems } from "./text-items.ts";

export interface ProjectionOptions extends ResponseIdentity {
  /** The groups that the request declared, in its order. Calls of other groups are not shown. */
  readonly servers: readonly ServerListing[];
  /**
   * Groups of an agent that the request did not declare. A call of them is shown as a summary, in a
   * reasoning item. @default []
   */
  readonly summarized?: readonly string[];
  /** The hosted types that the request declared, by the tool that is bound to each. @default none */
  readonly hosted?: { readonly [toolId: string]: string };
  /** The data of hosted calls that the request includes. @default none */
  readonly included?: readonly string[];
  /** Seals the receipts of those calls. @default their summaries have no receipts */
  readonly sealReceipt?: SealReceipt;
  /** How the client's tools are shown. @default as functions */
  readonly forms?: ToolForms;
  /**
   * `deferred`: an approval request is an `mcp_approval_request`, and the response ends there.
   * `inline`: the response waits, and the approval request is answered elsewhere.
   * @default "deferred"
   */
  readonly approvals?: "inline" | "deferred";
  /**
   * `deferred`: the response ends with its client's calls. `inline`: it waits for their outputs.
   * @default "deferred"
   */
  readonly toolOutputs?: "inline" | "deferred";
  /**
   * When a client's calls are announced: `live` as the model writes them, or `after_step`, if
   * another process may have to repeat the step.
   * @default "live"
   */
  readonly clientCalls?: "live" | "after_step";
}

/** Translates a run's events into events of the Responses API. */
export interface Projection {
  /**
   * Returns `response.created`, which some clients expect before the run starts. Later calls return
   * an empty list.
   */
  begin(): readonly ResponseStreamEvent[];
  /** Returns the stream events for a run's event; an empty list after the closing event. */
  push(event: RunEvent): readonly ResponseStreamEvent[];
  /** Returns the response as it is now, without the unsent content of waiting items. */
  response(): ResponseObject;
  /**
   * Returns the approvals for which sub-calls wait. The response looks completed until they are
   * answered.
   */
  openApprovals(): readonly string[];
  /**
   * Ends the stream with the requests for these approvals. The run continues after the answers.
   */
  pause(): readonly ResponseStreamEvent[];
}

const cutReasons: { readonly [reason in FinishReason]?: "max_output_tokens" | "content_filter" } = {
  length: "max_output_tokens",
  content_filter: "content_filter",
};

const endedInCall: ResponseState = {
  status: "failed",
  error: {
    code: "server_error",
    message: "The response ended in the middle of a function call. Do not run that call.",
  },
};

/**
 * Creates a projection. It is a pure fold: the same options and events produce the same bytes,
 * however the reads divide the events. A replay folds the journal again.
 *
 * @example
 * const projection = createProjection({ responseId, createdAt, model, echo, servers: [] });
 * for await (const event of run.events()) {
 *   for (const out of projection.push(event)) stream.write(encodeEvent(out));
 * }
 */
export function createProjection(options: ProjectionOptions): Projection {
  const {
    approvals = "deferred",
    toolOutputs = "deferred",
    clientCalls: publish = "live",
  } = options;
  let batch: ResponseStreamEvent[] = [];
  let nextNumber = 0;
  let lastSeq = 0;
  let hasBegun = false;
  let state: ResponseState = { status: options.echo.background ? "queued" : "in_progress" };
  let asking: ResponseState = state;
  let isStarted = false;
  let usage: Usage | undefined;
  let finishReason: FinishReason | undefined;

  const emit = (event: UnnumberedEvent): void => {
    const { type, ...rest } = event;
    batch.push({ type, sequence_number: nextNumber, ...rest } as ResponseStreamEvent);
    nextNumber += 1;
  };
  const outputOrder = createOutputOrder({ emit, itemId: itemIds(options.responseId) });
  const texts = createTextItems(outputOrder, { holdsAnswers: isStrict(options.echo.text) });
  const declared = {
    tools: options.echo.tools,
    forms: options.forms ?? {},
    servers: options.servers,
  };
  const serverCalls = createServerCalls({ outputOrder, ...options, declared, approvals });
  const clientCalls = createClientCalls({
    outputOrder,
    forms: options.forms ?? {},
    publish,
  });

  const response = () => {
    const requests = serverCalls.openApprovals().map(({ item }) => item);
    // The response looks completed, because a client that waits for its end would never answer.
    const shown = requests.length === 0 || isClosed(state.status) ? state : asking;
    const output = outputOrder.output();
    return responseObject(
      options,
      shown,
      shown === asking ? [...output, ...requests] : output,
      usage,
    );
  };

  const begin = (): void => {
    if (hasBegun) return;
    hasBegun = true;
    emit({ type: "response.created", response: response() });
    if (state.status === "queued") emit({ type: "response.queued", response: response() });
  };

  const start = (): void => {
    if (isStarted) return;
    isStarted = true;
    state = { status: "in_progress" };
    emit({ type: "response.in_progress", response: response() });
    for (const server of options.servers) {
      if (server.known !== true) outputOrder.enter(createListToolsWriter(server));
    }
  };

  const close = (outcome: ResponseState): void => {
    // After "completed" a client could run the incomplete call.
    const final = outcome.status === "completed" && outputOrder.isInCall() ? endedInCall : outcome;
    outputOrder.finish({ completed: final.status === "completed" });
    state = final;
    if (final.status === "failed") emit(errorEvent(final.error));
    // The API has no event for a cancelled response; clients accept this one.
    const type = final.status === "cancelled" ? "incomplete" : final.status;
    emit({ type: `response.${type}`, response: response() });
  };

  /** Returns the end of a response that did not fail: `incomplete` if its last answer was cut off. */
  const endedWell = (at: number): ResponseState => {
    const reason = finishReason === undefined ? undefined : cutReasons[finishReason];
    return reason === undefined ? { status: "completed", at } : { status: "incomplete", reason };
  };

  const fail = (error: ChainError): void => close({ status: "failed", error: wireError(error) });

  const apply = (event: RunEvent): void => {
    switch (event.type) {
      case "chain.started":
      case "chain.resumed":
        return start();
      case "round.started":
        serverCalls.turnBegan();
        return clientCalls.stepEnded();
      case "item.start":
        if (event.kind === "text" && event.callId !== undefined) {
          texts.startAnswer(event.itemId);
          serverCalls.addOutput(event.callId, event.itemId);
        } else if (event.kind === "text")
          texts.start(event.itemId, event.refusal === true ? "refusal" : "text");
        else if (event.kind === "reasoning") texts.start(event.itemId, "reasoning");
        if (event.kind === "arguments" && event.owner === "client") {
          texts.startArguments(
            event.itemId,
            clientCalls.writing(event.callId, event.name),
            (whole) => clientCalls.written(event.callId, event.name, whole),
          );
        }
        return;
      case "item.delta":
        return texts.append(event.itemId, event.delta);
      case "item.logprobs":
        return texts.addLogprobs(event.itemId, event.logprobs);
      case "item.end":
        serverCalls.endOutput(event.itemId, event.text);
        return texts.end(event.itemId, event.text, {
          incomplete: event.incomplete === true,
          annotations: event.annotations?.map((one) => serverCalls.cited(one, event.text)),
        });
      case "model.restarted":
        texts.stand();
        if (clientCalls.voidStep() === "void") return;
        // The client may be running the announced call, which cannot be withdrawn, so the response
        // fails.
        return fail({
          code: "interrupted",
          phase: "model",
          message: `The model was started again (${event.reason}) after a function call of its first attempt was announced. Do not run that call; send the request again.`,
        });
      case "round.ended":
        texts.release();
        finishReason = event.finishReason;
        usage = usage === undefined ? event.usage : addUsage(usage, event.usage);
        clientCalls.stepEnded();
        if (cutReasons[finishReason] !== undefined) texts.cutLast();
        return;
      case "call.proposed":
        if (event.owner === "client") clientCalls.proposed(event);
        else serverCalls.proposed(event);
        return;
      case "approval.requested":
        asking = { status: "completed", at: event.approval.createdAt };
        return serverCalls.asked(event);
      case "approval.answered":
        return serverCalls.answered(event);
      case "client_call.waiting":
        return clientCalls.waiting(event.callId);
      case "call.started":
        return serverCalls.started(event.callId);
      case "review.requested":
        return serverCalls.reviewed(event.callId);
      case "call.event":
        return serverCalls.reported(event);
      case "call.settled":
        clientCalls.settled(event);
        return serverCalls.settled(event);
      case "chain.waiting": {
        for (const callId of event.callIds) clientCalls.waiting(callId);
        const isForClient = (callId: string) =>
          clientCalls.isClientCall(callId)
            ? toolOutputs === "deferred"
            : serverCalls.isAsked(callId);
        if (event.callIds.every(isForClient)) close(endedWell(event.at));
        return;
      }
      case "chain.ended": {
        texts.release();
        if (event.status === "aborted") return close({ status: "cancelled" });
        if (event.status === "error" || event.status === "timeout") {
          const message = "The response could not be finished.";
          return fail(event.error ?? { code: "internal", message, phase: "chain" });
        }
        // The event's own usage includes earlier responses of the same turn.
        usage ??= { inputTokens: 0, outputTokens: 0 };
        return close(endedWell(event.at));
      }
      case "run.heartbeat":
        // A queued response must not have the status in progress.
        emit({
          type: state.status === "queued" ? "response.queued" : "response.in_progress",
          response: response(),
        });
        return;
      case "model.retry":
      case "call.progress":
      case "limit.reached":
      case "review.answered":
      case "run.orphaned":
      case "run.interrupted":
        return;
    }
  };

  const take = (): readonly ResponseStreamEvent[] => {
    const taken = batch;
    batch = [];
    return taken;
  };

  return {
    begin() {
      begin();
      return take();
    },
    push(event) {
      if (isClosed(state.status)) return [];
      begin();
      // Joined deltas share one number, and the skipped numbers are not reused.
      nextNumber += Math.max(0, event.seq - lastSeq - 1);
      lastSeq = event.seq;
      apply(event);
      // A text that ended may have been truncated. Only the next event about another item shows
      // that.
      if (!isClosed(state.status)) outputOrder.advance({ hold: isAboutText(event) });
      return take();
    },
    response,
    openApprovals: () => serverCalls.openApprovals().map(({ approvalId }) => approvalId),
    pause() {
      let output_index = outputOrder.output().length;
      for (const { item } of serverCalls.openApprovals()) {
        emit({ type: "response.output_item.added", output_index, item });
        emit({ type: "response.output_item.done", output_index, item });
        output_index += 1;
      }
      emit({ type: "response.completed", response: response() });
      return take();
    },
  };
}

/** Whether answers must match a strict JSON schema, so that a step may be rejected. */
function isStrict({ format }: ResponseEcho["text"]): boolean {
  return (
    typeof format === "object" && format !== null && "strict" in format && format.strict === true
  );
}

function isAboutText(event: RunEvent): boolean {
  return (
    event.type === "item.end" || event.type === "run.heartbeat" || event.type === "model.retry"
  );
}

/** The fields of a response that are known at its first event. */
interface ResponseIdentity {
  /** `resp_…`, the run's id. */
  readonly responseId: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly model: string;
  readonly echo: ResponseEcho;
  readonly previousResponseId?: string;
  readonly conversation?: string;
}

/** The fields that can change until its end. */
type ResponseState =
  | { readonly status: "queued" | "in_progress" }
  | { readonly status: "completed"; readonly at: number }
  | { readonly status: "incomplete"; readonly reason: "max_output_tokens" | "content_filter" }
  | { readonly status: "failed"; readonly error: WireError }
  | { readonly status: "cancelled" };

function isClosed(status: ResponseStatus): boolean {
  return status !== "queued" && status !== "in_progress";
}

/** Returns the response in the wire format, with all members. */
function responseObject(
  identity: ResponseIdentity,
  state: ResponseState,
  output: readonly OutputItem[],
  usage: Usage | undefined,
): ResponseObject {
  const { echo, conversation } = identity;
  return {
    id: identity.responseId,
    object: "response",
    created_at: seconds(identity.createdAt),
    completed_at: state.status === "completed" ? seconds(state.at) : null,
    status: state.status,
    error: state.status === "failed" ? state.error : null,
    incomplete_details: state.status === "incomplete" ? { reason: state.reason } : null,
    model: identity.model,
    previous_response_id: identity.previousResponseId ?? null,
    ...(conversation === undefined ? {} : { conversation: { id: conversation } }),
    ...echo,
    output,
    usage: isClosed(state.status) && usage !== undefined ? wireUsage(usage) : null,
  };
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}

/** Returns token counts in OpenAI's form, with all members. */
function wireUsage(usage: Usage): WireUsage {
  return {
    input_tokens: usage.inputTokens,
    input_tokens_details: { cached_tokens: usage.cachedInputTokens ?? 0 },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
    total_tokens: usage.inputTokens + usage.outputTokens,
  };
}

/** The codes that clients know; all others are `server_error`. */
const wireCodes: { readonly [code: string]: string } = {
  rate_limit: "rate_limit_exceeded",
  insufficient_quota: "insufficient_quota",
  context_length: "context_length_exceeded",
  bad_request: "invalid_prompt",
};

function wireError(error: ChainError): WireError {
  const code = Object.hasOwn(wireCodes, error.code) ? wireCodes[error.code] : undefined;
  return { code: code ?? "server_error", message: error.message + retryHint(error) };
}

/** Returns the delay in the wording that clients parse. */
function retryHint({ code, retryAfterMs }: ChainError): string {
  if (code !== "rate_limit" || retryAfterMs === undefined) return "";
  return ` Please try again in ${(retryAfterMs / 1000).toFixed(1)}s.`;
}

/** Returns the event that precedes `response.failed`. */
function errorEvent({ code, message }: WireError): UnnumberedEvent {
  const type = code === "server_error" ? "server_error" : "invalid_request_error";
  return { type: "error", code, message, param: null, error: { type, code, message, param: null } };
}
