import { halves, idOf, interleaved, sse, type VendorAnswer } from "./vendor-answer.ts";

/**
 * Returns a stream of Chat Completions, with a keep-alive comment, usage in a separate chunk, and
 * `[DONE]`.
 */
export function chatStream(answer: VendorAnswer): string {
  const { reasoning, text, calls = [], afterword } = answer;
  const starts = calls.map((call, index) =>
    chunk({
      tool_calls: [
        {
          index,
          id: idOf(call, index),
          type: "function",
          function: { name: call.name, arguments: "" },
        },
      ],
    }),
  );
  const deltas = calls.map((call, index) =>
    halves(call.arguments).map((delta) =>
      chunk({ tool_calls: [{ index, function: { arguments: delta } }] }),
    ),
  );
  const usage = {
    prompt_tokens: 20,
    completion_tokens: 9,
    total_tokens: 29,
    prompt_tokens_details: { cached_tokens: 8 },
    completion_tokens_details: { reasoning_tokens: 3 },
  };
  return [
    ": connected\n\n",
    sse(chunk({ role: "assistant", content: "" })),
    ...halves(reasoning).map((delta) => sse(chunk({ reasoning_content: delta }))),
    ...halves(text).map((delta) => sse(chunk({ content: delta }))),
    ...starts.map(sse),
    ...interleaved(deltas).map(sse),
    ...halves(afterword).map((delta) => sse(chunk({ content: delta }))),
    sse(chunk({}, calls.length > 0 ? "tool_calls" : "stop")),
    sse({ ...envelope, choices: [], usage }),
    sse("[DONE]"),
  ].join("");
}

const envelope = { id: "c", created: 1, model: "m" };

function chunk(delta: object, finishReason: string | null = null): object {
  return { ...envelope, choices: [{ index: 0, delta, finish_reason: finishReason }] };
}
