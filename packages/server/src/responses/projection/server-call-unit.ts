import type { CallResult } from "@capstan/core";
import type { SettledStatus } from "@capstan/core/host";
import type { McpCallError, McpCallOutput } from "./wire.ts";
import { type SharedText, sharedText } from "./shared-text.ts";
import { type Place, placeOf, type Unit } from "./unit.ts";

export interface ServerCallUnit extends Unit {
  settle(status: SettledStatus, result: CallResult): void;
}

type Wire = Pick<McpCallOutput, "status" | "output" | "error">;

interface Outcome {
  readonly status: "completed" | "failed";
  readonly text: SharedText;
}

const unknownOutcome = "The response ended before this call did. It may or may not have acted.";

/** A call that the server runs, shown as the call of an MCP server's tool. */
export function createServerCallUnit(call: {
  readonly label: string;
  readonly name: string;
  readonly arguments: SharedText;
  readonly approvalRequestId: string | null;
}): ServerCallUnit {
  let outcome: Outcome | undefined;
  let place: Place | undefined;

  const item = (args: string, state: Wire): McpCallOutput => ({
    id: placeOf(place).itemId,
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
    isOpen: () => place !== undefined,
    settle(status, result) {
      outcome =
        status === "success"
          ? { status: "completed", text: sharedText(result.finalText) }
          : failed(result.error?.message ?? result.rejectReason ?? result.finalText);
    },
    open(given) {
      place = given;
      const { emit, outputIndex: output_index, itemId: item_id } = given;
      const at = { item_id, output_index };
      emit({ type: "response.output_item.added", output_index, item: item("", running) });
      emit({ type: "response.mcp_call.in_progress", ...at });
      emit({ type: "response.mcp_call_arguments.delta", ...at, delta: args() });
      emit({ type: "response.mcp_call_arguments.done", ...at, arguments: args() });
    },
    snapshot: () => item(args(), running),
    close() {
      const { emit, outputIndex: output_index, itemId: item_id } = placeOf(place);
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
  return { status: "failed", text: sharedText(text) };
}

function onWire({ status, text: { text } }: Outcome): Wire {
  if (status === "completed") return { status, output: text, error: null };
  const error: McpCallError = {
    type: "mcp_tool_execution_error",
    content: [{ type: "text", text }],
  };
  return { status, output: null, error };
}
