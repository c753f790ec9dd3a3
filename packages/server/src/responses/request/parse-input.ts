import type { JsonObject } from "@capstan/core";
import { z } from "zod";
import {
  failed,
  invalidRequest,
  isObject,
  issueError,
  missingParameter,
  ok,
  type Parsed,
  unsupportedValue,
  withoutNulls,
  wrongType,
} from "../../http/api-error.ts";
import type { InputContent, InputItem } from "./input-item.ts";
import { maxImage } from "../../http/take-data.ts";
import { StoredData } from "../../http/stored-data.ts";

const id = z.string().nullish();
const status = z
  .string()
  .nullish()
  .transform((given) => given ?? "completed");
const name = z.string().min(1);
const callId = z.string().min(1);
const texts = z.array(z.object({ type: z.string().nullish(), text: z.string() }));

/** Items that mean something here, by their type. What they carry beyond this is dropped. */
const itemSchemas: { readonly [type: string]: z.ZodType<object> } = {
  message: z.object({
    id,
    status,
    role: z.enum(["user", "assistant", "system", "developer"]),
    content: z.unknown().optional(),
    phase: z.string().nullish(),
  }),
  function_call: z.object({
    id,
    status,
    call_id: callId,
    name,
    arguments: z.string(),
    namespace: z.string().nullish(),
  }),
  custom_tool_call: z.object({ id, status, call_id: callId, name, input: z.string() }),
  function_call_output: z.object({ id, status, call_id: callId, output: z.unknown().optional() }),
  custom_tool_call_output: z.object({
    id,
    status,
    call_id: callId,
    output: z.unknown().optional(),
  }),
  reasoning: z.object({
    id,
    summary: texts.nullish().transform((given) => given ?? []),
    content: texts.nullish(),
    encrypted_content: z.string().nullish(),
  }),
  mcp_call: z.object({
    id,
    status,
    server_label: z.string(),
    name,
    arguments: z.string(),
    output: z.string().nullish(),
    error: z.unknown().optional(),
    approval_request_id: z.string().nullish(),
  }),
  mcp_list_tools: z.object({ id, server_label: z.string(), tools: z.array(z.unknown()) }),
  mcp_approval_request: z.object({
    id: z.string().min(1),
    server_label: z.string(),
    name,
    arguments: z.string(),
  }),
  mcp_approval_response: z.object({
    id,
    approval_request_id: z.string().min(1),
    approve: z.boolean(),
    reason: z.string().nullish(),
  }),
  item_reference: z.object({ id: z.string().min(1) }),
};

/**
 * The input of a request as items. A string is one message of the user; nothing at all is no
 * item.
 */
export function parseInput(input: unknown): Parsed<readonly InputItem[]> {
  if (input === undefined || input === null) return ok([]);
  if (typeof input === "string") {
    if (input === "") return ok([]);
    const content = [{ type: "input_text", text: input }] as const;
    return ok([{ type: "message", status: "completed", role: "user", content }]);
  }
  if (!Array.isArray(input))
    return failed(wrongType("input", "a string or an array of items", input));
  const items: InputItem[] = [];
  for (const [index, value] of input.entries()) {
    const item = parseItem(value, `input[${index}]`);
    if (item.status === "error") return item;
    items.push(item.value);
  }
  return ok(items);
}

function parseItem(value: unknown, at: string): Parsed<InputItem> {
  if (!isObject(value)) return failed(wrongType(at, "an object", value));
  const type = itemType(value);
  if (type === undefined) return failed(missingParameter(`${at}.type`));
  const schema = Object.hasOwn(itemSchemas, type) ? itemSchemas[type] : undefined;
  if (schema === undefined) return ok({ type: "carried", item: value as JsonObject });
  const result = schema.safeParse(value);
  if (!result.success) return failed(issueError(result.error.issues, value, at));
  const item = { type, ...withoutNulls(result.data) };
  if (type === "message") return withContent(item, "content", value, at);
  if (type.endsWith("_output")) return withContent(item, "output", value, at);
  return ok(item as InputItem);
}

/** Without a type it is a message, or a reference where there is nothing but an id. */
function itemType(value: { readonly [key: string]: unknown }): string | undefined {
  if (typeof value["type"] === "string") return value["type"];
  if (value["role"] !== undefined) return "message";
  return typeof value["id"] === "string" && value["content"] === undefined
    ? "item_reference"
    : undefined;
}

function withContent(
  item: object,
  key: "content" | "output",
  value: { readonly [key: string]: unknown },
  at: string,
): Parsed<InputItem> {
  const given = value[key];
  if (key === "output" && typeof given === "string")
    return ok({ ...item, output: given } as InputItem);
  const textType = value["role"] === "assistant" ? "output_text" : "input_text";
  const content = parseContent(given, { at: `${at}.${key}`, textType });
  if (content.status === "error") return content;
  const filled: object = { ...item, [key]: content.value };
  return ok(filled as InputItem);
}

const text = z.object({ text: z.string() });
const list = z
  .array(z.unknown())
  .nullish()
  .transform((given) => given ?? []);

const partSchemas = {
  input_text: text.transform((part) => ({ type: "input_text", ...part })),
  text: text.transform((part) => ({ type: "input_text", ...part })),
  output_text: z
    .object({ text: z.string(), annotations: list, logprobs: list })
    .transform((part) => ({ type: "output_text", ...part })),
  refusal: z.object({ refusal: z.string() }).transform((part) => ({ type: "refusal", ...part })),
  input_image: z
    .object({
      image_url: z.string().max(maxImage),
      detail: z.string().nullish().transform(imageDetail),
    })
    .transform((part) => ({ type: "input_image", ...part })),
  input_file: z
    .object({
      filename: z.string().nullish(),
      file_data: z.string().nullish(),
      file_url: z.string().nullish(),
    })
    .transform((part) => ({ type: "input_file", ...withoutNulls(part) })),
  input_video: z
    .object({ video_url: z.string() })
    .transform((part) => ({ type: "input_video", ...part })),
} as const;

/** The parts of a message or of a call's output. Text alone is one part. */
function parseContent(
  content: unknown,
  options: { readonly at: string; readonly textType: "input_text" | "output_text" },
): Parsed<readonly InputContent[]> {
  const { at, textType } = options;
  if (content === undefined) return failed(missingParameter(at));
  if (typeof content === "string") {
    const part = {
      text: content,
      ...(textType === "output_text" ? { annotations: [], logprobs: [] } : {}),
    };
    return ok([{ type: textType, ...part } as InputContent]);
  }
  if (content === null) return ok([]);
  if (!Array.isArray(content))
    return failed(wrongType(at, "a string or an array of content parts", content));
  const parts: InputContent[] = [];
  for (const [index, value] of content.entries()) {
    const part = parsePart(value, `${at}[${index}]`);
    if (part.status === "error") return part;
    parts.push(part.value);
  }
  return ok(parts);
}

function parsePart(value: unknown, at: string): Parsed<InputContent> {
  if (!isObject(value)) return failed(wrongType(at, "an object", value));
  const { type } = value;
  if (type === undefined) return failed(missingParameter(`${at}.type`));
  if (typeof type !== "string" || !Object.hasOwn(partSchemas, type)) {
    return failed(unsupportedValue(`${at}.type`, type, Object.keys(partSchemas)));
  }
  const noSource = missingSource(value, at);
  if (noSource !== undefined) return failed(noSource);
  // They were Base64: where a text is expected there was one.
  const stored = Object.entries(value).filter(([, member]) => member instanceof StoredData);
  const texts = Object.fromEntries(stored.map(([name]) => [name, ""]));
  const result = partSchemas[type as keyof typeof partSchemas].safeParse({ ...value, ...texts });
  if (!result.success) return failed(issueError(result.error.issues, value, at));
  const known = Object.fromEntries(stored.filter(([name]) => name in result.data));
  return ok({ ...result.data, ...known } as InputContent);
}

/** A part that names no content, or content that is not kept here. */
function missingSource(value: { readonly [key: string]: unknown }, at: string) {
  const { type, file_id: fileId } = value;
  if (type !== "input_image" && type !== "input_file") return undefined;
  const sources = type === "input_image" ? ["image_url"] : ["file_data", "file_url"];
  if (sources.some((name) => value[name] != null)) return undefined;
  if (fileId == null) return missingParameter(`${at}.${sources[0]}`);
  return invalidRequest({
    param: `${at}.file_id`,
    code: "unsupported_parameter",
    message: `Unsupported parameter: '${at}.file_id'. This server keeps no files; send the content itself as ${sources.map((name) => `'${name}'`).join(" or ")}.`,
  });
}

function imageDetail(detail: string | null | undefined): "low" | "high" | "auto" {
  return detail === "low" || detail === "high" ? detail : "auto";
}
