import type { CallResult } from "@capstan/core";
import type { SettledStatus } from "@capstan/core/host";
import type { McpCallError, McpCallOutput } from "./wire.ts";
import { type InternedText, internText } from "./interned-text.ts";
import { type ItemPosition, positionOf, type ItemWriter } from "./item-writer.ts";

export interface ServerCallWriter extends ItemWriter {
  settle(status: SettledStatus, result: CallResult): void;
}

type Wire = Pick<McpCallOutput, "status" | "output" | "error">;

interface Outcome {
  readonly status: "completed" | "failed";
  readonly text: InternedText;
}

const unknownOutcome = "The response ended before this call did. It may or may not have acted.";

/** A call that the server runs, shown as the call of an MCP server's tool. */
export function createServerCallWriter(call: {
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
