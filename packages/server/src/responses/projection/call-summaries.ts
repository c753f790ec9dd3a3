import type { SettledStatus } from "@capstan/core/host";
import type { CallReceipt, SealReceipt } from "./call-receipts.ts";
import type { ServerCallWriter } from "./calls.ts";
import { failureText } from "./call-texts.ts";
import { createItemWriter } from "./output-order.ts";
import type { ReasoningOutput } from "./wire.ts";

/** How a call ended, as the end of a sentence. */
const ends: { readonly [status in SettledStatus]?: string } = {
  success: "succeeded",
  execution_rejected: "was not allowed",
  outcome_unknown: "has an unknown outcome",
};

/**
 * Writes a call of an agent's group as a reasoning item with a summary. A client that did not
 * declare the group cannot show `mcp_call` items. Its `encrypted_content` is the call's receipt,
 * which clients return with their history.
 */
export function createCallSummaryWriter({
  name,
  group,
  argumentsText,
  sealReceipt,
}: Pick<CallReceipt, "name" | "group"> & {
  readonly argumentsText: string;
  readonly sealReceipt: SealReceipt | undefined;
}): ServerCallWriter {
  let end: string | undefined;
  let sealed: string | undefined;
  const start = `Tool call ${name} (${group})`;
  const rest = () => `: ${end ?? "has not ended"}.`;
  const { writer, send } = createItemWriter<ReasoningOutput>({
    kind: "server_call",
    prefix: "rs",
    phase: () => (end === undefined ? "open" : "ended"),
    item: (id, status, isAdded) => {
      const text = status === "in_progress" ? start : start + rest();
      const summary = isAdded ? [] : [{ type: "summary_text" as const, text }];
      return {
        id,
        type: "reasoning",
        status,
        summary,
        content: [],
        ...(sealed !== undefined && { encrypted_content: sealed }),
      };
    },
    opened() {
      send({
        type: "response.reasoning_summary_part.added",
        summary_index: 0,
        part: { type: "summary_text", text: "" },
      });
      send({ type: "response.reasoning_summary_text.delta", summary_index: 0, delta: start });
    },
    closing() {
      const text = start + rest();
      send({ type: "response.reasoning_summary_text.delta", summary_index: 0, delta: rest() });
      send({ type: "response.reasoning_summary_text.done", summary_index: 0, text });
      const part = { type: "summary_text", text } as const;
      send({ type: "response.reasoning_summary_part.done", summary_index: 0, part });
    },
  });
  return {
    ...writer,
    settle(status, result) {
      end = ends[status] ?? "failed";
      const text = status === "success" ? result.finalText : failureText(result);
      sealed = sealReceipt?.({ group, name, arguments: argumentsText, result: text });
    },
  };
}
