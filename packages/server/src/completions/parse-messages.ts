import type {
  AssistantMessage,
  ContentPart,
  Message,
  ToolCallRequest,
  ToolMessage,
} from "@capstan/core";
import type { NewRun } from "@capstan/store";
import { z } from "zod";
import { dataSource } from "../http/data-source.ts";
import { mimeTypeOf } from "../runs/files/file-name.ts";
import { badRequest, checked, isObject, missingParameter, wrongType } from "../http/errors.ts";
import { NamedFile } from "../http/files/stored-files.ts";
import { StoredData } from "../http/read-body.ts";
import { withoutAnswerLinks } from "./answer-links.ts";

/** The messages of a Chat Completions request, as the loop reads them. */
export interface ParsedMessages {
  readonly messages: readonly Message[];
  /** The bytes to which the messages refer. */
  readonly blobs: NonNullable<NewRun["blobs"]>;
}

/**
 * Parses the messages of a Chat Completions request. Roles `function` and calls in `function_call`
 * are the API's older form of tools; each gets a call id from its position.
 *
 * @param given the request's `messages`
 * @throws RequestError with the path of the invalid part, or if a tool message answers no call
 */
export function parseMessages(given: unknown): ParsedMessages {
  if (!Array.isArray(given)) throw wrongType("messages", "an array of messages", given);
  if (given.length === 0)
    throw badRequest("messages", "Invalid 'messages': empty array. Send at least one message.");
  const blobs: NonNullable<NewRun["blobs"]>[number][] = [];
  /** The name of each call so far, by its id. */
  const calls = new Map<string, string>();
  /** The id of the newest call so far, by its name. */
  const newest = new Map<string, string>();
  const messages: Message[] = [];
  for (const [index, value] of (given as readonly unknown[]).entries()) {
    const at = `messages[${index}]`;
    const { role } = checked(anyMessage, value, at);
    switch (role) {
      case "system":
      case "developer":
        messages.push({ role, content: textOf(contentOf(value, at, blobs)) });
        break;
      case "user": {
        const parts = contentOf(value, at, blobs);
        const isText = parts.every(({ type }) => type === "text");
        messages.push({ role, content: isText ? textOf(parts) : parts });
        break;
      }
      case "assistant": {
        const message = assistantMessage(value, { at, index, calls, blobs });
        for (const { id, function: called } of message.tool_calls ?? [])
          newest.set(called.name, id);
        messages.push(message);
        break;
      }
      case "tool": {
        const { tool_call_id: id } = checked(toolMessage, value, at);
        messages.push(
          answer(id, { at: `${at}.tool_call_id`, calls, parts: contentOf(value, at, blobs) }),
        );
        break;
      }
      case "function": {
        const { name } = checked(functionMessage, value, at);
        const id = newest.get(name) ?? "";
        messages.push(answer(id, { at: `${at}.name`, calls, parts: contentOf(value, at, blobs) }));
        break;
      }
    }
  }
  return { messages, blobs };
}

const anyMessage = z.object({
  role: z.enum(["system", "developer", "user", "assistant", "tool", "function"]),
});

const toolMessage = z.object({ tool_call_id: z.string().min(1) });
const functionMessage = z.object({ name: z.string().min(1) });

const called = z.object({ name: z.string().min(1), arguments: z.string() });
const toolCall = z.union([
  z.object({
    id: z.string().min(1),
    type: z.literal("custom"),
    custom: z.object({ name: z.string().min(1), input: z.string() }),
  }),
  z.object({ id: z.string().min(1), function: called }),
]);
const assistant = z.object({
  tool_calls: z.array(toolCall).nullish(),
  function_call: called.nullish(),
  refusal: z.string().nullish(),
  reasoning_content: z.string().nullish(),
});

type Blobs = NonNullable<NewRun["blobs"]>[number][];

function assistantMessage(
  value: unknown,
  {
    at,
    index,
    calls,
    blobs,
  }: {
    readonly at: string;
    readonly index: number;
    readonly calls: Map<string, string>;
    readonly blobs: Blobs;
  },
): AssistantMessage {
  const given = checked(assistant, value, at);
  const requests = (given.tool_calls ?? []).map((call): ToolCallRequest =>
    "custom" in call
      ? request(call.id, call.custom.name, JSON.stringify({ input: call.custom.input }))
      : request(call.id, call.function.name, call.function.arguments),
  );
  if (given.function_call != null)
    requests.push(
      request(`call_${index}`, given.function_call.name, given.function_call.arguments),
    );
  for (const { id, function: called } of requests) calls.set(id, called.name);
  const text = withoutAnswerLinks(textOf(contentOf(value, at, blobs)));
  return {
    role: "assistant",
    content: text === "" ? (given.refusal ?? "") : text,
    ...(given.reasoning_content != null &&
      given.reasoning_content !== "" && { reasoning: [{ text: given.reasoning_content }] }),
    ...(requests.length > 0 && { tool_calls: requests }),
  };
}

function request(id: string, name: string, args: string): ToolCallRequest {
  return { id, type: "function", function: { name, arguments: args } };
}

function answer(
  id: string,
  {
    at,
    calls,
    parts,
  }: {
    readonly at: string;
    readonly calls: ReadonlyMap<string, string>;
    readonly parts: readonly ContentPart[];
  },
): ToolMessage {
  const name = calls.get(id);
  if (name === undefined)
    throw badRequest(
      at,
      `Invalid '${at}': no call of an earlier assistant message has this id or name. Send the assistant message with its 'tool_calls' before the answers.`,
    );
  const isText = parts.every(({ type }) => type === "text");
  return {
    role: "tool",
    tool_call_id: id,
    name,
    content: textOf(parts),
    ...(!isText && { parts }),
  };
}

function textOf(parts: readonly ContentPart[]): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

function contentOf(message: unknown, at: string, blobs: Blobs): readonly ContentPart[] {
  const content = isObject(message) ? message["content"] : undefined;
  if (content == null || content === "") return [];
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content))
    throw wrongType(`${at}.content`, "a string or an array of content parts", content);
  return (content as readonly unknown[]).map((part, index) => {
    const parsed = contentPart(part, `${at}.content[${index}]`);
    if (parsed.bytes !== undefined) blobs.push(parsed.bytes);
    return parsed.part;
  });
}

/** A string, or the `StoredData` with which `readJson` has replaced a long string. */
const data = z.custom<string | StoredData>(
  (value) => typeof value === "string" || value instanceof StoredData,
  "expected a string",
);

const parts = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("refusal"), refusal: z.string() }),
  z.object({
    type: z.literal("image_url"),
    image_url: z.object({ url: data, detail: z.string().nullish() }),
  }),
  z.object({ type: z.literal("video_url"), video_url: z.object({ url: data }) }),
  z.object({
    type: z.literal("input_audio"),
    input_audio: z.object({ data, format: z.enum(["wav", "mp3"]) }),
  }),
  z.object({
    type: z.literal("file"),
    file: z.object({
      file_data: data.nullish(),
      // `withFiles` has replaced the id by its file.
      file_id: z
        .custom<NamedFile>((value) => value instanceof NamedFile, "expected the id of a file")
        .nullish(),
      filename: z.string().nullish(),
    }),
  }),
]);

interface ParsedPart {
  readonly part: ContentPart;
  readonly bytes?: Blobs[number] | undefined;
}

function contentPart(value: unknown, at: string): ParsedPart {
  const part = checked(parts, value, at);
  switch (part.type) {
    case "text":
      return { part };
    case "refusal":
      return { part: { type: "text", text: part.refusal } };
    case "image_url": {
      const { url, detail } = part.image_url;
      const { bytes, ...source } = dataSource(url, "image/*");
      const known = detail === "low" || detail === "high" ? detail : "auto";
      return { part: { type: "image", detail: known, ...source }, bytes };
    }
    case "video_url": {
      const { bytes, ...source } = dataSource(part.video_url.url, "video/*");
      return { part: { type: "file", name: "video", ...source }, bytes };
    }
    case "input_audio": {
      const { data: audio, format } = part.input_audio;
      const { bytes, ...source } = dataSource(
        audio,
        `audio/${format === "mp3" ? "mpeg" : format}`,
        "base64",
      );
      return { part: { type: "file", name: `audio.${format}`, ...source }, bytes };
    }
    case "file": {
      const { file_data: given, file_id: stored, filename } = part.file;
      if (stored != null) {
        if (given != null)
          throw badRequest(
            `${at}.file.file_id`,
            `Mutually exclusive parameters: '${at}.file.file_id' and '${at}.file.file_data'. Send one of them.`,
          );
        const { id: fileId, mimeType, source, blob } = stored;
        const name = filename ?? stored.name;
        const file = { type: "file", name, mimeType, source, fileId } as const;
        return { part: file, bytes: blob };
      }
      if (given == null) throw missingParameter(`${at}.file.file_data`);
      const name = filename ?? "file";
      const { bytes, ...source } = dataSource(given, mimeTypeOf(name), "base64");
      return { part: { type: "file", name, ...source }, bytes };
    }
  }
}
