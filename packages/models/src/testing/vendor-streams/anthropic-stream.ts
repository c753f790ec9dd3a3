import { halves, idOf, sse, type VendorAnswer } from "./vendor-answer.ts";

/** Returns a stream of Anthropic's Messages API: consecutive blocks with pings between them. */
export function anthropicStream({ reasoning, text, calls = [], afterword }: VendorAnswer): string {
  const blocks: object[][] = [];
  const open = (block: object, deltas: readonly object[]): void => {
    const index = blocks.length;
    blocks.push([
      { type: "content_block_start", index, content_block: block },
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]);
  };
  const openText = (words: string): void =>
    open(
      { type: "text", text: "" },
      halves(words).map((delta) => ({ type: "text_delta", text: delta })),
    );
  if (reasoning !== undefined)
    open({ type: "thinking", thinking: "", signature: "" }, [
      ...halves(reasoning).map((thinking) => ({ type: "thinking_delta", thinking })),
      { type: "signature_delta", signature: "sig" },
    ]);
  if (text !== undefined) openText(text);
  for (const [index, call] of calls.entries())
    open(
      { type: "tool_use", id: idOf(call, index), name: call.name, input: {} },
      halves(call.arguments).map((delta) => ({ type: "input_json_delta", partial_json: delta })),
    );
  if (afterword !== undefined) openText(afterword);
  const stop = { stop_reason: calls.length > 0 ? "tool_use" : "end_turn", stop_sequence: null };
  return [
    messageStart({ input_tokens: 12, cache_read_input_tokens: 8, output_tokens: 1 }),
    { type: "ping" },
    ...blocks.flat(),
    { type: "message_delta", delta: stop, usage: { output_tokens: 9 } },
    { type: "message_stop" },
  ]
    .map(sse)
    .join("");
}

/** Returns the first event of a message with these token counts. */
export function messageStart(usage: object): object {
  const message = {
    id: "m1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  };
  return { type: "message_start", message };
}
