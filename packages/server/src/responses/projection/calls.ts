import type { CallResult, ChainEvent, JsonObject, PlacedAnnotation } from "@capstan/core";
import type { SettledStatus } from "@capstan/core/host";
import {
  approvalItem,
  approvalItemId,
  createApprovalWriter,
  createItemWriter,
  type ItemWriter,
  type OutputOrder,
  type ServerListing,
} from "./output-order.ts";
import type { SealReceipt } from "./call-receipts.ts";
import { createCallSummaryWriter } from "./call-summaries.ts";
import { failureText } from "./call-texts.ts";
import { createHostedWriter, type HostedCallWriter, type HostedType } from "./hosted-calls.ts";
import {
  createToolSearchOutput,
  createToolSearchWriter,
  type DeclaredTools,
} from "./tool-searches.ts";
import { imageWriters } from "./images.ts";
import { incompleteCode } from "./incomplete-code.ts";
import { type InternedText, internText } from "./text-items.ts";
import type { McpApprovalRequestOutput, McpCallError, McpCallOutput } from "./wire.ts";

type CallEvent<T extends ChainEvent["type"]> = Extract<ChainEvent, { type: T }>;

/** A server call that the client sees. */
interface ServerCall {
  readonly label: string;
  readonly name: string;
  /** Its text is shown as a message. */
  readonly isFinal: boolean;
  /** It is from an earlier response, which showed its approval request. */
  readonly isInherited: boolean;
  /** Another call made it: only its approval request is shown. */
  readonly isSubCall: boolean;
  /** An agent offered its tool, and the client did not name the group. */
  readonly isSummarized: boolean;
  /** The hosted type that its tool is bound to in this request. */
  readonly hosted?: HostedType | "tool_search" | undefined;
  texts: CallTexts;
  writer?: ServerCallWriter;
  hostedWriter?: HostedCallWriter;
  /** Its approval request waits for the client. */
  isAsked?: boolean;
  isRefused?: boolean;
  /** Its tool is final, and the client has received its message. */
  isAnswered?: boolean;
}

/** An approval request of a sub-call. The parent call continues after the answer. */
export interface OpenApproval {
  readonly approvalId: string;
  readonly item: McpApprovalRequestOutput;
}

/**
 * Projects the calls that the server runs. A client sees the calls of the groups that it declared,
 * and summaries of the calls of an agent's other groups.
 */
export function createServerCalls(options: {
  readonly outputOrder: OutputOrder;
  readonly servers: readonly ServerListing[];
  readonly summarized?: readonly string[];
  /** The hosted types of tools, by `group.Tool`. @default none */
  readonly hosted?: { readonly [toolId: string]: string } | undefined;
  /** The data of hosted calls that the request includes. @default none */
  readonly included?: readonly string[] | undefined;
  /** The tools of the request. */
  readonly declared: DeclaredTools;
  readonly responseId: string;
  readonly approvals: "inline" | "deferred";
  readonly sealReceipt?: SealReceipt;
}) {
  const { outputOrder, sealReceipt } = options;
  const isDeferred = options.approvals === "deferred";
  const labels = new Map(options.servers.map((server) => [server.group, server.label]));
  const summarized = new Set(options.summarized);
  const hostedTypes = new Map(
    Object.entries(options.hosted ?? {}) as [string, HostedType | "tool_search"][],
  );
  const calls = new Map<string, ServerCall>();
  /** Ids of final calls with open text, by item id. */
  const callsByItem = new Map<string, string>();
  const openApprovals = new Map<string, OpenApproval>();
  const containerId = options.responseId.replace(/^resp_/, "cntr_");
  /** Ids of files that calls of `code_interpreter` made. */
  const containerFiles = new Set<string>();
  let hasTurnBegun = false;

  const show = ({ label, name, texts, isSummarized }: ServerCall): ServerCallWriter => {
    const { approvalId } = texts;
    if (isSummarized) {
      const writer = createCallSummaryWriter({
        name,
        group: label,
        argumentsText: wireArguments(texts).text,
        sealReceipt,
      });
      outputOrder.enter(writer);
      return writer;
    }
    const writer = createServerCallWriter({
      label,
      name,
      arguments: wireArguments(texts),
      approvalRequestId: isDeferred && approvalId !== undefined ? approvalItemId(approvalId) : null,
    });
    outputOrder.enter(writer);
    return writer;
  };

  const showHosted = (call: ServerCall): HostedCallWriter | undefined => {
    if (call.hosted === undefined) return undefined;
    if (call.hostedWriter === undefined) {
      const argumentsText = wireArguments(call.texts).text;
      call.hostedWriter =
        call.hosted === "tool_search"
          ? createToolSearchWriter(argumentsText)
          : createHostedWriter(call.hosted, {
              argumentsText,
              containerId,
              included: options.included ?? [],
            });
      outputOrder.enter(call.hostedWriter);
    }
    return call.hostedWriter;
  };

  const showImages = (result: CallResult, which: "all" | "unstored"): void => {
    for (const writer of imageWriters(result, { which })) outputOrder.enter(writer);
  };

  return {
    /** The model was asked: calls proposed before this come from an earlier response. */
    turnBegan(): void {
      hasTurnBegun = true;
    },
    proposed(event: CallEvent<"call.proposed">): void {
      const { callId, owner, toolId = "", parentCallId, final, hidden } = event;
      if (hidden === true) return;
      const dot = toolId.indexOf(".");
      const group = toolId.slice(0, dot);
      const isSubCall = parentCallId !== undefined;
      const isSummarized = !labels.has(group) && summarized.has(group);
      // Its approval request needs an answer, whichever group it belongs to.
      const type = isSubCall ? undefined : hostedTypes.get(toolId);
      const isNamed = isSubCall || isSummarized || type !== undefined;
      const label = labels.get(group) ?? (isNamed ? group : undefined);
      if (label === undefined || owner !== "server") return;
      calls.set(callId, {
        label,
        isSubCall,
        isSummarized,
        hosted: type,
        name: toolId.slice(dot + 1),
        isFinal: final === true,
        isInherited: !hasTurnBegun,
        texts: callTexts(event),
      });
    },
    asked({ callId, approval }: CallEvent<"approval.requested">): void {
      const call = calls.get(callId);
      if (call === undefined) return;
      call.texts = { ...call.texts, args: argsText(approval.args), approvalId: approval.id };
      // The hosted types have no approval requests: users answer them on the page.
      if (!isDeferred || call.hosted !== undefined) return;
      call.isAsked = true;
      const { label, name, texts } = call;
      const id = approvalItemId(approval.id);
      const { variables, preview } = approval;
      const request = { id, label, name, arguments: wireArguments(texts), variables, preview };
      outputOrder.enter(createApprovalWriter(request));
      // The output order sends it after its parent call, which has not ended.
      if (call.isSubCall)
        openApprovals.set(callId, { approvalId: approval.id, item: approvalItem(request) });
    },
    answered({ callId, approvalId, decision, args }: CallEvent<"approval.answered">): void {
      openApprovals.delete(callId);
      const call = calls.get(callId);
      if (call === undefined) return;
      call.texts = { ...call.texts, approvalId, ...(args && { args: argsText(args) }) };
      call.isAsked = false;
      call.isRefused = decision.verdict === "refused";
    },
    started(callId: string): void {
      const call = calls.get(callId);
      // A call that runs again after a crash already has its item.
      if (call === undefined || call.isSubCall) return;
      if (call.hosted !== undefined) showHosted(call);
      else if (!call.isFinal) call.writer ??= show(call);
    },
    /** A tool reported a custom event. */
    reported({ callId, name, data }: CallEvent<"call.event">): void {
      calls.get(callId)?.hostedWriter?.report(name, data);
    },
    /** Called when a user reviews the result of a call. */
    reviewed(callId: string): void {
      calls.get(callId)?.hostedWriter?.review();
    },
    /** A final call's text is shown as a message. */
    addOutput(callId: string, itemId: string): void {
      callsByItem.set(itemId, callId);
    },
    endOutput(itemId: string, text: string): void {
      const call = calls.get(callsByItem.get(itemId) ?? "");
      callsByItem.delete(itemId);
      if (call !== undefined) call.isAnswered = text !== "";
    },
    settled({ callId, status, result }: CallEvent<"call.settled">): void {
      const call = calls.get(callId);
      calls.delete(callId);
      openApprovals.delete(callId);
      if (call === undefined || call.isSubCall) return;
      const hosted = showHosted(call);
      if (hosted !== undefined) {
        hosted.settle(status, result);
        if (call.hosted === "tool_search")
          outputOrder.enter(createToolSearchOutput(result, { status, declared: options.declared }));
        if (call.hosted === "code_interpreter")
          for (const part of result.parts ?? [])
            if ("fileId" in part && part.fileId !== undefined) containerFiles.add(part.fileId);
        if (status === "success" && call.hosted !== "image_generation")
          showImages(result, "unstored");
        return;
      }
      // A final call has no other items than its message and its pictures.
      const isAnswer = call.isAnswered === true || (call.isFinal && result.parts !== undefined);
      if (isAnswer && status === "success") return showImages(result, "all");
      // A call whose approval was denied or never answered has no item: the approval request
      // represents it.
      const isApprovalRequest = call.isInherited || (isDeferred && call.isRefused === true);
      const writer = call.writer ?? (isApprovalRequest ? undefined : show(call));
      writer?.settle(status, result);
      if (writer !== undefined && status === "success") showImages(result, "unstored");
    },
    /** Returns a message's source, as a file of the container if `code_interpreter` made it. */
    cited(annotation: PlacedAnnotation, text: string): PlacedAnnotation {
      if (annotation.type !== "file_path" || !containerFiles.has(annotation.fileId))
        return annotation;
      const { fileId, filename, index: end } = annotation;
      const start = text.slice(0, end).endsWith(filename) ? end - filename.length : end;
      return { type: "container_file_citation", containerId, fileId, filename, start, end };
    },
    /** The open approval requests of sub-calls. */
    openApprovals: (): readonly OpenApproval[] => [...openApprovals.values()],
    /** Returns whether the client can answer the approval request of this call. */
    isAsked: (callId: string) => calls.get(callId)?.isAsked === true,
  };
}

export interface ServerCallWriter extends ItemWriter {
  settle(status: SettledStatus, result: CallResult): void;
}

type Wire = Pick<McpCallOutput, "status" | "output" | "error">;

interface Outcome {
  readonly status: "completed" | "failed" | "incomplete";
  readonly text: InternedText;
}

const unknownOutcome = "The response ended before this call did. It may or may not have acted.";

/** Writes a server call as a call of an MCP server's tool. */
function createServerCallWriter(call: {
  readonly label: string;
  readonly name: string;
  readonly arguments: InternedText;
  readonly approvalRequestId: string | null;
}): ServerCallWriter {
  let outcome: Outcome | undefined;
  const { writer } = createItemWriter<McpCallOutput>({
    kind: "server_call",
    prefix: "mcp",
    phase: () => (outcome === undefined ? "open" : "ended"),
    item(id, status, isAdded) {
      const state = status === "in_progress" ? running : onWire(outcome ?? failed(unknownOutcome));
      return {
        id,
        type: "mcp_call",
        status: state.status,
        approval_request_id: call.approvalRequestId,
        server_label: call.label,
        name: call.name,
        arguments: isAdded ? "" : call.arguments.text,
        output: state.output,
        error: state.error,
      };
    },
    opened(send) {
      const { text } = call.arguments;
      send({ type: "response.mcp_call.in_progress" });
      send({ type: "response.mcp_call_arguments.delta", delta: text });
      send({ type: "response.mcp_call_arguments.done", arguments: text });
    },
    // The API has no event for an incomplete call of a server.
    closing: (send, { status }) =>
      send({ type: `response.mcp_call.${status === "incomplete" ? "failed" : status}` }),
  });
  return {
    ...writer,
    settle(status, result) {
      outcome =
        status === "success"
          ? { status: "completed", text: internText(result.finalText) }
          : {
              ...failed(failureText(result)),
              ...(result.error?.code === incompleteCode && { status: "incomplete" }),
            };
    },
  };
}

const running: Wire = { status: "in_progress", output: null, error: null };

function failed(text: string): Outcome {
  return { status: "failed", text: internText(text) };
}

function onWire({ status, text: { text } }: Outcome): Wire {
  if (status === "completed") return { status, output: text, error: null };
  const error: McpCallError = {
    type: "mcp_tool_execution_error",
    content: [{ type: "text", text }],
  };
  return { status, output: null, error };
}

/** The arguments of a call, and the approval that it waits for or was given. */
interface CallTexts {
  /** The arguments as the model wrote them. */
  readonly argumentsText: InternedText;
  /** The resolved and validated arguments, as JSON. */
  readonly args?: InternedText;
  readonly approvalId?: string;
}

export function callTexts({ argumentsText, args }: CallEvent<"call.proposed">): CallTexts {
  return { argumentsText: internText(argumentsText), ...(args && { args: argsText(args) }) };
}

function argsText(args: JsonObject): InternedText {
  return internText(JSON.stringify(args));
}

/**
 * Returns a call's arguments as a client reads them: the approved ones, otherwise the model's own
 * text, which has references in place of their values.
 */
export function wireArguments({ argumentsText, args, approvalId }: CallTexts): InternedText {
  if (args !== undefined && (approvalId !== undefined || !isJsonObject(argumentsText.text)))
    return args;
  return argumentsText.text.trim() === "" ? internText("{}") : argumentsText;
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
