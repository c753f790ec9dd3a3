import assert from "node:assert/strict";
import type {
  OutputItem,
  ResponseObject,
  ResponseStreamEvent,
  OutputText,
  RefusalPart,
  ReasoningText,
} from "../responses/projection/wire.ts";

interface Text {
  readonly value: string;
  readonly isDone: boolean;
}

/** The only item that can be open. */
interface OpenItem {
  readonly added: OutputItem;
  readonly index: number;
  /** Event types between `added` and `done`, with repeats of one type as one. */
  readonly body: string[];
  text: Text;
}

const bodies: { readonly [type in OutputItem["type"]]: RegExp } = {
  image_generation_call:
    /^image_generation_call\.in_progress(?: image_generation_call\.generating(?: image_generation_call\.partial_image)*)?(?: image_generation_call\.completed)?$/,
  web_search_call:
    /^web_search_call\.in_progress(?: web_search_call\.searching)?(?: web_search_call\.completed)?$/,
  file_search_call:
    /^file_search_call\.in_progress(?: file_search_call\.searching)?(?: file_search_call\.completed)?$/,
  code_interpreter_call:
    /^code_interpreter_call\.in_progress(?: code_interpreter_call_code\.delta)*(?: code_interpreter_call_code\.done code_interpreter_call\.interpreting)?(?: code_interpreter_call\.completed)?$/,
  message:
    /^content_part\.added(?:(?: output_text\.delta)?(?: output_text\.annotation\.added)* output_text\.done|(?: refusal\.delta)? refusal\.done) content_part\.done$/,
  reasoning:
    /^content_part\.added( reasoning_text\.delta)? reasoning_text\.done content_part\.done$/,
  function_call: /^(function_call_arguments\.delta )?function_call_arguments\.done$/,
  custom_tool_call: /^(custom_tool_call_input\.delta )?custom_tool_call_input\.done$/,
  mcp_list_tools: /^mcp_list_tools\.in_progress mcp_list_tools\.(completed|failed)$/,
  mcp_call:
    /^mcp_call\.in_progress mcp_call_arguments\.delta mcp_call_arguments\.done mcp_call\.(completed|failed)$/,
  mcp_approval_request: /^$/,
  local_shell_call: /^$/,
  shell_call: /^$/,
  apply_patch_call: /^$/,
  tool_search_call: /^$/,
  tool_search_output: /^$/,
};

const terminals = ["response.completed", "response.failed", "response.incomplete"];

/**
 * Fails if a stream breaks the Responses API's grammar: consecutive numbers, one open item at a
 * time, each item's own events, deltas that add up, one closing event with the whole response.
 */
export function assertStreamGrammar(
  events: readonly ResponseStreamEvent[],
  options: { readonly closed?: boolean } = {},
): void {
  const finished: OutputItem[] = [];
  let open: OpenItem | undefined;
  let closing: ResponseObject | undefined;
  let hasFailed = false;

  for (const [position, event] of events.entries()) {
    assert.equal(event.sequence_number, position, "numbered from 0 without a gap");
    assert.deepEqual(Object.keys(event).slice(0, 2), ["type", "sequence_number"]);
    assert.equal(closing, undefined, `nothing follows the closing event, not ${event.type}`);
    if (hasFailed) assert.equal(event.type, "response.failed", "failed follows error");
    if (position === 0) assert.equal(event.type, "response.created");
    switch (event.type) {
      case "response.created":
        assert.equal(position, 0);
        assert.deepEqual([event.response.output, event.response.usage], [[], null]);
        break;
      case "response.queued":
        assert.ok(position === 1 || events[position - 1]?.type === "response.queued");
        assert.equal(event.response.background, true);
        break;
      case "response.in_progress": {
        const { output } = event.response;
        assert.deepEqual(output.slice(0, finished.length), finished);
        assert.equal(output.length, finished.length + (open === undefined ? 0 : 1));
        if (open !== undefined) assert.equal(textOf(output.at(-1)), open.text.value);
        break;
      }
      case "response.output_item.added":
        assert.equal(open, undefined, "one item is open at a time");
        assert.equal(event.output_index, finished.length);
        assert.ok(!finished.some((item) => item.id === event.item.id), "ids are unique");
        open = { added: event.item, index: event.output_index, body: [], text: emptyText };
        break;
      case "response.output_item.done": {
        assert.ok(open, "an item that is done was added");
        assert.equal(event.output_index, open.index);
        assertSameIdentity(open.added, event.item);
        assert.match(open.body.join(" "), bodies[event.item.type]);
        if (open.text.isDone) assert.equal(textOf(event.item), open.text.value);
        finished.push(event.item);
        open = undefined;
        break;
      }
      case "error":
        hasFailed = true;
        assert.deepEqual(
          [event.error.code, event.error.message, event.param],
          [event.code, event.message, null],
        );
        break;
      case "response.completed":
      case "response.failed":
      case "response.incomplete":
        assert.equal(open, undefined, "no item is left open");
        assert.deepEqual(event.response.output, finished, "the closing event has every item");
        closing = event.response;
        break;
      default:
        assert.ok(open, `${event.type} belongs to an open item`);
        assert.deepEqual([event.item_id, event.output_index], [open.added.id, open.index]);
        record(open, event);
    }
  }

  assertLastItems(finished, closing);
  if (options.closed === true)
    assert.ok(terminals.includes(events.at(-1)?.type ?? ""), "it is closed");
}

const emptyText: Text = { value: "", isDone: false };

type BodyEvent = Extract<ResponseStreamEvent, { item_id: string }>;

function record(open: OpenItem, event: BodyEvent): void {
  const name = event.type.replace("response.", "");
  if (open.body.at(-1) !== name || !name.endsWith(".delta")) open.body.push(name);
  if ("delta" in event) {
    assert.notEqual(event.delta, "", "no delta is empty");
    open.text = { value: open.text.value + event.delta, isDone: false };
  }
  const whole = wholeText(event);
  if (whole === undefined) return;
  assert.equal(whole, open.text.value, "deltas add up to the whole");
  open.text = { value: whole, isDone: true };
}

function wholeText(event: BodyEvent): string | undefined {
  if ("text" in event) return event.text;
  if ("arguments" in event) return event.arguments;
  if ("input" in event) return event.input;
  if ("refusal" in event) return event.refusal;
  return undefined;
}

/** The text of a part of a message or of reasoning. */
export function partText(part: OutputText | RefusalPart | ReasoningText): string {
  return part.type === "refusal" ? part.refusal : part.text;
}

function textOf(item: OutputItem | undefined): string {
  switch (item?.type) {
    case "message":
    case "reasoning":
      return item.content.map(partText).join("");
    case "function_call":
    case "mcp_call":
      return item.arguments;
    case "custom_tool_call":
      return item.input;
    default:
      return "";
  }
}

function assertSameIdentity(added: OutputItem, done: OutputItem): void {
  assert.deepEqual([added.id, added.type], [done.id, done.type]);
  for (const key of ["call_id", "name", "server_label", "approval_request_id"] as const) {
    const [before, after] = [added, done].map((item) =>
      new Map<string, unknown>(Object.entries(item)).get(key),
    );
    assert.equal(before, after, `${key} is final when the item is added`);
  }
}

function assertLastItems(items: readonly OutputItem[], closing: ResponseObject | undefined): void {
  // The server's calls do not follow the order in which the model wrote them.
  const own = items.filter(({ type }) => !type.startsWith("mcp_"));
  const incomplete = own.findIndex((item) => "status" in item && item.status === "incomplete");
  if (incomplete !== -1) {
    assert.equal(incomplete, own.length - 1, "only the last item may be incomplete");
    assert.notEqual(closing?.status, "completed");
  }
  for (const item of items) assert.ok(!("status" in item) || item.status !== "in_progress");
  if (closing === undefined) return;
  assert.equal(Object.keys(closing).filter((key) => key !== "conversation").length, 31);
  assert.equal(closing.completed_at === null, closing.status !== "completed");
  assert.equal(closing.error === null, closing.status !== "failed");
  assert.equal(closing.incomplete_details === null, closing.status !== "incomplete");
}
