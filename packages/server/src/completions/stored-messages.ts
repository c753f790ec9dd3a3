import type { ContentPart, JsonObject, Message, ToolCallRequest } from "@capstan/core";
import { customInput } from "@capstan/core/host";
import { requestOf, type Store } from "@capstan/store";
import { readHistory } from "../runs/active/launch.ts";
import { completionId, type StoredCompletion } from "./read-completion.ts";

/** A message of a stored completion's request. */
export type StoredMessage = JsonObject & { readonly id: string };

/**
 * Returns the messages that a stored completion answers, in order. Calls that the server ran are
 * left out, as in the answers of this API.
 *
 * @param linkOf returns the link to a stored file
 */
export async function readStoredMessages(
  store: Store,
  { run, view }: Pick<StoredCompletion, "run" | "view">,
  linkOf: (fileId: string) => string,
): Promise<readonly StoredMessage[]> {
  const { owner, id } = run;
  const ownCalls = new Set<string>();
  for (const { run: ancestor } of (await store.ancestors({ owner, runId: id })) ?? []) {
    const calls = await store.readCalls({ owner, runId: ancestor.id });
    for (const { call } of calls ?? []) if (call.owner === "server") ownCalls.add(call.callId);
  }
  const messages = beforeAnswer(
    await readHistory(store, { owner, parentId: id, adopts: false, history: "full" }),
    run,
  );
  const views: StoredMessage[] = [];
  for (const message of messages) {
    const shown = await messageView(message, { ownCalls, view, linkOf, store });
    if (shown !== undefined)
      views.push({ id: `${completionId(run.id)}-${views.length}`, ...shown });
  }
  return views;
}

/** Returns the messages up to the last one that the client of a run has sent. */
function beforeAnswer(
  messages: readonly Message[],
  run: StoredCompletion["run"],
): readonly Message[] {
  const answered = new Set(requestOf(run).outputs.map(({ callId }) => callId));
  const isSent = (message: Message) =>
    message.role === "tool" ? answered.has(message.tool_call_id) : message.role !== "assistant";
  return messages.slice(0, messages.findLastIndex(isSent) + 1);
}

interface ViewOptions {
  /** The ids of the calls that the server ran. */
  readonly ownCalls: ReadonlySet<string>;
  readonly view: StoredCompletion["view"];
  readonly linkOf: (fileId: string) => string;
  readonly store: Pick<Store, "readBlob">;
}

async function messageView(
  message: Message,
  options: ViewOptions,
): Promise<JsonObject | undefined> {
  const { ownCalls, view } = options;
  switch (message.role) {
    case "system":
    case "developer":
      return { role: message.role, content: message.content, content_parts: null };
    case "user":
      return { role: "user", ...(await contentView(message.content, options)) };
    case "tool": {
      if (ownCalls.has(message.tool_call_id)) return undefined;
      const content = await contentView(message.parts ?? message.content, options);
      return { role: "tool", tool_call_id: message.tool_call_id, ...content };
    }
    case "assistant": {
      const calls = (message.tool_calls ?? []).filter(({ id }) => !ownCalls.has(id));
      if (message.content === "" && calls.length === 0) return undefined;
      const isRefusal = message.refusal === true;
      return {
        role: "assistant",
        content: message.content === "" || isRefusal ? null : message.content,
        refusal: isRefusal ? message.content : null,
        content_parts: null,
        ...(calls.length > 0 && { tool_calls: calls.map((call) => callView(call, view)) }),
      };
    }
  }
}

function callView(
  { id, function: { name, arguments: args } }: ToolCallRequest,
  { customTools }: ViewOptions["view"],
): JsonObject {
  return customTools.includes(name)
    ? { id, type: "custom", custom: { name, input: customInput(args) } }
    : { id, type: "function", function: { name, arguments: args } };
}

/** Returns the text of a content, and its parts if it has any. */
async function contentView(
  content: string | readonly ContentPart[],
  options: ViewOptions,
): Promise<JsonObject> {
  if (typeof content === "string") return { content, content_parts: null };
  const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const parts: JsonObject[] = [];
  for (const part of content) parts.push(await partView(part, options));
  return { content: texts.join("\n"), content_parts: parts };
}

async function partView(part: ContentPart, options: ViewOptions): Promise<JsonObject> {
  if (part.type === "text") return { type: "text", text: part.text };
  if (part.type === "link") return { type: "text", text: part.url };
  const url = await urlOf(part, options);
  if (part.type === "image") return { type: "image_url", image_url: { url } };
  const { fileId, name: filename } = part;
  return {
    type: "file",
    file: { filename, ...(fileId === undefined ? { file_data: url } : { file_id: fileId }) },
  };
}

async function urlOf(
  { source, mimeType, fileId }: Extract<ContentPart, { readonly source: object }>,
  { linkOf, store }: ViewOptions,
): Promise<string> {
  if (source.type === "url") return source.url;
  if (fileId !== undefined) return linkOf(fileId);
  if (source.type === "base64") return `data:${mimeType};base64,${source.data}`;
  const bytes = await store.readBlob(source.sha256);
  const data = bytes === undefined ? "" : Buffer.from(bytes).toString("base64");
  return `data:${mimeType};base64,${data}`;
}
