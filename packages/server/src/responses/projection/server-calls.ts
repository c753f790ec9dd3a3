import type { CallResult, ChainEvent, JsonObject } from "@capstan/core";
import type { CallOwner, SettledStatus } from "@capstan/core/host";
import {
  approvalItemId,
  createApprovalWriter,
  type ItemPosition,
  type ItemWriter,
  type OutputOrder,
  positionOf,
  type ServerListing,
} from "./output-order.ts";
import type { McpCallError, McpCallOutput } from "./wire.ts";
import { type InternedText, internText } from "./text-items.ts";

type CallEvent<T extends ChainEvent["type"]> = Extract<ChainEvent, { type: T }>;

/** The calls that the server runs, and what of them a client sees: those of the groups it declared. */
interface ServerCalls {
  /** The model was asked: calls proposed before this come from an earlier response. */
  turnBegan(): void;
  proposed(event: CallEvent<"call.proposed">): void;
  asked(event: CallEvent<"approval.requested">): void;
  answered(event: CallEvent<"approval.answered">): void;
  started(callId: string): void;
  /** A final call's words are a message of their own. */
  speaks(callId: string, itemId: string): void;
  spoke(itemId: string, text: string): void;
  settled(event: CallEvent<"call.settled">): void;
  /** Whether the client can answer what this call waits for. */
  isAsked(callId: string): boolean;
}

interface Tracked {
  readonly call: ServerCallItem;
  readonly writer?: ServerCallWriter;
  readonly asked?: boolean;
  readonly refused?: boolean;
  /** Its tool is final, and it gave the client its message. */
  readonly answered?: boolean;
  /** It comes from an earlier response, which showed the question it waited for. */
  readonly inherited: boolean;
}

export function createServerCalls(options: {
  readonly outputOrder: OutputOrder;
  readonly servers: readonly ServerListing[];
  readonly approvals: "inline" | "deferred";
}): ServerCalls {
  const { outputOrder, approvals } = options;
  const labels = new Map(options.servers.map((server) => [server.group, server.label]));
  const calls = new Map<string, Tracked>();
  /** The final calls whose words are open, by their items. */
  const speakers = new Map<string, string>();
  let hasTurnBegun = false;

  /** What a client knows the call by; undefined where it is none of its business. */
  const shown = ({ toolId, parentCallId, owner }: ServerCallItem) => {
    if (toolId === undefined || parentCallId !== undefined || owner !== "server") return undefined;
    const { group, tool } = toolIdParts(toolId);
    const label = labels.get(group);
    return label === undefined ? undefined : { label, name: tool };
  };

  const show = (tracked: Tracked): ServerCallWriter | undefined => {
    const { call } = tracked;
    const as = shown(call);
    if (as === undefined) return undefined;
    const isDeferred = approvals === "deferred" && call.approvalId !== undefined;
    const writer = createServerCallWriter({
      ...as,
      arguments: wireArguments(call),
      approvalRequestId: isDeferred ? approvalItemId(call.approvalId) : null,
    });
    outputOrder.enter(writer);
    return writer;
  };

  /** A question that was refused or never answered is no call: its request stands for it. */
  const showEnded = (tracked: Tracked): ServerCallWriter | undefined => {
    const wasAsked = tracked.inherited || (approvals === "deferred" && tracked.refused === true);
    return wasAsked ? undefined : show(tracked);
  };

  return {
    turnBegan() {
      hasTurnBegun = true;
    },
    proposed(event) {
      calls.set(event.callId, { call: serverCallItem(event), inherited: !hasTurnBegun });
    },
    asked({ callId, approval }) {
      const tracked = calls.get(callId);
      if (tracked === undefined) return;
      const args = argsText(approval.args);
      const call: ServerCallItem = { ...tracked.call, args, approvalId: approval.id };
      const as = approvals === "deferred" ? shown(call) : undefined;
      calls.set(callId, { ...tracked, call, asked: as !== undefined });
      if (as === undefined) return;
      outputOrder.enter(
        createApprovalWriter({
          id: approvalItemId(approval.id),
          ...as,
          arguments: wireArguments(call),
        }),
      );
    },
    answered({ callId, approvalId, decision, args }) {
      const tracked = calls.get(callId);
      if (tracked === undefined) return;
      const call: ServerCallItem = {
        ...tracked.call,
        approvalId,
        ...(args === undefined ? {} : { args: argsText(args) }),
      };
      calls.set(callId, {
        ...tracked,
        call,
        asked: false,
        refused: decision.verdict === "refused",
      });
    },
    started(callId) {
      const tracked = calls.get(callId);
      // A call that is run again after a crash has its item already.
      if (tracked === undefined || tracked.writer !== undefined || tracked.call.final === true)
        return;
      const writer = show(tracked);
      if (writer !== undefined) calls.set(callId, { ...tracked, writer });
    },
    speaks(callId, itemId) {
      speakers.set(itemId, callId);
    },
    spoke(itemId, text) {
      const callId = speakers.get(itemId);
      const tracked = callId === undefined ? undefined : calls.get(callId);
      speakers.delete(itemId);
      if (callId !== undefined && tracked !== undefined)
        calls.set(callId, { ...tracked, answered: text !== "" });
    },
    settled({ callId, status, result }) {
      const tracked = calls.get(callId);
      calls.delete(callId);
      if (tracked === undefined) return;
      // Its message is its item.
      if (tracked.answered === true && status === "success") return;
      (tracked.writer ?? showEnded(tracked))?.settle(status, result);
    },
    isAsked: (callId) => calls.get(callId)?.asked === true,
  };
}

interface ServerCallWriter extends ItemWriter {
  settle(status: SettledStatus, result: CallResult): void;
}

type Wire = Pick<McpCallOutput, "status" | "output" | "error">;

interface Outcome {
  readonly status: "completed" | "failed";
  readonly text: InternedText;
}

const unknownOutcome = "The response ended before this call did. It may or may not have acted.";

/** A call that the server runs, shown as the call of an MCP server's tool. */
function createServerCallWriter(call: {
  readonly label: string;
  readonly name: string;
  readonly arguments: InternedText;
  readonly approvalRequestId: string | null;
}): ServerCallWriter {
  let outcome: Outcome | undefined;
  let position: ItemPosition | undefined;

  const item = (args: string, state: Wire): McpCallOutput => ({
    id: positionOf(position).itemId,
    type: "mcp_call",
    status: state.status,
    approval_request_id: call.approvalRequestId,
    server_label: call.label,
    name: call.name,
    arguments: args,
    output: state.output,
    error: state.error,
  });
  const args = () => call.arguments.text;
  const running: Wire = { status: "in_progress", output: null, error: null };

  return {
    kind: "server_call",
    prefix: "mcp",
    phase: () => (outcome === undefined ? "open" : "ended"),
    isOpen: () => position !== undefined,
    settle(status, result) {
      outcome =
        status === "success"
          ? { status: "completed", text: internText(result.finalText) }
          : failed(result.error?.message ?? result.rejectReason ?? result.finalText);
    },
    open(given) {
      position = given;
      const { emit, outputIndex: output_index, itemId: item_id } = given;
      const at = { item_id, output_index };
      emit({ type: "response.output_item.added", output_index, item: item("", running) });
      emit({ type: "response.mcp_call.in_progress", ...at });
      emit({ type: "response.mcp_call_arguments.delta", ...at, delta: args() });
      emit({ type: "response.mcp_call_arguments.done", ...at, arguments: args() });
    },
    snapshot: () => item(args(), running),
    close() {
      const { emit, outputIndex: output_index, itemId: item_id } = positionOf(position);
      const final = item(args(), onWire(outcome ?? failed(unknownOutcome)));
      const type =
        final.status === "completed" ? "response.mcp_call.completed" : "response.mcp_call.failed";
      emit({ type, item_id, output_index });
      emit({ type: "response.output_item.done", output_index, item: final });
      return final;
    },
  };
}

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

/** An open call of the server, as the projection remembers it. */
interface ServerCallItem {
  readonly callId: string;
  /** As the model wrote it. */
  readonly name: string;
  readonly owner: CallOwner;
  readonly argumentsText: InternedText;
  /** Resolved and validated, as JSON. */
  readonly args?: InternedText;
  /** `group.Tool`; absent where no tool was found. */
  readonly toolId?: string;
  readonly parentCallId?: string;
  /** Its words are a message of their own. */
  readonly final?: true;
  /** The approval it waits for, or was given. */
  readonly approvalId?: string;
}

export function serverCallItem(
  event: Extract<ChainEvent, { type: "call.proposed" }>,
): ServerCallItem {
  const { callId, name, owner, argumentsText, args, toolId, parentCallId, final } = event;
  return {
    callId,
    name,
    owner,
    argumentsText: internText(argumentsText),
    ...(args === undefined ? {} : { args: argsText(args) }),
    ...(toolId === undefined ? {} : { toolId }),
    ...(parentCallId === undefined ? {} : { parentCallId }),
    ...(final === undefined ? {} : { final }),
  };
}

function argsText(args: JsonObject): InternedText {
  return internText(JSON.stringify(args));
}

/** The two halves of `group.Tool`. */
function toolIdParts(toolId: string): { readonly group: string; readonly tool: string } {
  const dot = toolId.indexOf(".");
  return { group: toolId.slice(0, dot), tool: toolId.slice(dot + 1) };
}

/**
 * A call's arguments as a client reads them: what a person approved, else the model's own text,
 * which holds references rather than the values behind them.
 */
export function wireArguments({ argumentsText, args, approvalId }: ServerCallItem): InternedText {
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
