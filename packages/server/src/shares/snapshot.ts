import type { SharedConversation, SharedPart } from "@capstan/contract";
import type { ConversationRecord } from "@capstan/store";
import { isObject, RequestError } from "../http/errors.ts";
import { conversationItems } from "../responses/conversation-items.ts";
import type { ResponseSource, StoredItem } from "../responses/read-response.ts";

/** The maximum UTF-16 code units of all texts of a shared conversation. */
const maxLength = 5_000_000;

/** The maximum UTF-16 code units of a call's input, and of its output. */
const maxCallLength = 10_000;

/**
 * Returns the content of a link to a conversation: the messages and calls of its newest branch. It
 * contains no reasoning, no contents of files and no ids.
 *
 * @param options.includeCalls whether it contains the inputs and outputs of tools
 * @throws RequestError 413 if the conversation is too long
 */
export async function snapshotOf(
  source: ResponseSource,
  conversation: ConversationRecord,
  options: { readonly includeCalls: boolean; readonly at: number },
): Promise<SharedConversation> {
  const parts: SharedPart[] = [];
  let length = 0;
  for await (const item of conversationItems(source, conversation, "asc")) {
    const part = partOf(item, options.includeCalls);
    if (part === undefined) continue;
    length += JSON.stringify(part).length;
    if (length > maxLength) throw tooLong();
    parts.push(part);
  }
  const { title } = conversation;
  return { object: "shared_conversation", title, created_at: options.at, parts };
}

function partOf(item: StoredItem, includeCalls: boolean): SharedPart | undefined {
  if (item["type"] === "message") return messageOf(item);
  const name = callName(item);
  if (name === undefined) return undefined;
  if (!includeCalls) return { type: "call", name };
  const input = textOf(item["arguments"] ?? item["input"] ?? item["code"]);
  const output = textOf(item["output"]);
  return {
    type: "call",
    name,
    ...(input !== "" && { input: shortened(input) }),
    ...(output !== "" && { output: shortened(output) }),
  };
}

/** Messages of the system and of developers are not part of the conversation. */
function messageOf(item: StoredItem): SharedPart | undefined {
  const { role } = item;
  if (role !== "user" && role !== "assistant") return undefined;
  const files = contentOf(item).flatMap((part) => {
    const type = part["type"];
    if (type === "input_image") return ["image"];
    return type === "input_file" ? [textOf(part["filename"]) || "file"] : [];
  });
  return { type: "message", role, text: textOf(item["content"]), files };
}

/** Returns the name of a call's tool, or `undefined` for other items. */
function callName(item: StoredItem): string | undefined {
  const type = textOf(item["type"]);
  if (type === "web_search_call") return "web_search";
  if (type === "file_search_call") return "file_search";
  if (type === "code_interpreter_call") return "code_interpreter";
  if (type === "image_generation_call") return "image_generation";
  const isCall = type === "mcp_call" || type === "function_call" || type === "custom_tool_call";
  return isCall ? textOf(item["name"]).slice(0, 200) : undefined;
}

function contentOf(item: StoredItem): readonly { readonly [field: string]: unknown }[] {
  const content: unknown = item["content"];
  return Array.isArray(content) ? content.filter(isObject) : [];
}

/** Returns a text, or the joined texts of content parts. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return "";
  return value
    .filter(isObject)
    .flatMap((part) => (typeof part["text"] === "string" ? [part["text"]] : []))
    .join("\n\n");
}

function shortened(text: string): string {
  return text.length <= maxCallLength ? text : `${text.slice(0, maxCallLength).toWellFormed()}…`;
}

function tooLong(): RequestError {
  const message =
    "This conversation is too long for a link: its texts have more than 5 MB. Export it, and send the file.";
  return new RequestError({ status: 413, code: "conversation_too_long", message });
}
