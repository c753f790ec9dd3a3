import { halves, idOf, interleaved, sse, type VendorAnswer } from "./vendor-answer.ts";

/** Returns a stream of OpenAI's Responses API: items that open, get deltas and close. */
export function responsesStream({ reasoning, text, calls = [], afterword }: VendorAnswer): string {
  const events: object[] = [
    { type: "response.created", response: { id: "r", created_at: 1, model: "m" } },
  ];
  let index = 0;
  if (reasoning !== undefined) events.push(...reasoningItem(reasoning, index++));
  if (text !== undefined) events.push(...messageItem(text, index++));
  const items = calls.map((call, at) => ({
    ...call,
    output_index: index + at,
    call_id: idOf(call, at),
  }));
  for (const { output_index, call_id, name } of items)
    events.push({
      type: "response.output_item.added",
      output_index,
      item: { type: "function_call", id: `fc_${output_index}`, call_id, name, arguments: "" },
    });
  events.push(
    ...interleaved(
      items.map(({ output_index, arguments: args }) =>
        halves(args).map((delta) => ({
          type: "response.function_call_arguments.delta",
          item_id: `fc_${output_index}`,
          output_index,
          delta,
        })),
      ),
    ),
  );
  for (const { output_index, call_id, name, arguments: args } of items)
    events.push({
      type: "response.output_item.done",
      output_index,
      item: {
        type: "function_call",
        id: `fc_${output_index}`,
        call_id,
        name,
        arguments: args,
        status: "completed",
      },
    });
  index += items.length;
  if (afterword !== undefined) events.push(...messageItem(afterword, index));
  const usage = {
    input_tokens: 20,
    input_tokens_details: { cached_tokens: 8 },
    output_tokens: 9,
    output_tokens_details: { reasoning_tokens: 3 },
  };
  events.push({ type: "response.completed", response: { usage } });
  return events.map(sse).join("");
}

function reasoningItem(text: string, output_index: number): readonly object[] {
  const item_id = "rs_1";
  const item = { type: "reasoning", id: item_id, encrypted_content: null, summary: [] };
  const part = { item_id, output_index, summary_index: 0 };
  return [
    { type: "response.output_item.added", output_index, item },
    { type: "response.reasoning_summary_part.added", ...part },
    ...halves(text).map((delta) => ({
      type: "response.reasoning_summary_text.delta",
      ...part,
      delta,
    })),
    { type: "response.reasoning_summary_part.done", ...part },
    {
      type: "response.output_item.done",
      output_index,
      item: { ...item, encrypted_content: "sealed" },
    },
  ];
}

function messageItem(text: string, output_index: number): readonly object[] {
  const item_id = `msg_${output_index}`;
  const item = { type: "message", id: item_id, role: "assistant", content: [] };
  return [
    { type: "response.output_item.added", output_index, item },
    ...halves(text).map((delta) => ({
      type: "response.output_text.delta",
      item_id,
      output_index,
      content_index: 0,
      delta,
    })),
    { type: "response.output_item.done", output_index, item },
  ];
}
