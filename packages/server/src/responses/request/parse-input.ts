import type { JsonObject } from "@capstan/core";
import { z } from "zod";
import {
  checked,
  isObject,
  issueError,
  missingParameter,
  RequestError,
  unsupportedValue,
  wrongType,
} from "../../http/errors.ts";
import { nextTurn } from "../../http/streams.ts";
import { NamedFile, requireImage } from "../../http/files/stored-files.ts";
import { StoredData, maxImage, withoutNulls } from "../../http/read-body.ts";

const id = z.string().nullish();
const status = z
  .string()
  .nullish()
  .transform((given) => given ?? "completed");
const name = z.string().min(1);
const callId = z.string().min(1);
const texts = z.array(z.object({ type: z.string().nullish(), text: z.string() }));
/** Parsed by `parseContent`. */
const content = z.unknown().optional();
const output = { id, status, call_id: callId, output: content };
const looseObject = z.record(z.string(), z.json());

/** Schemas of supported items by type. Other members are dropped. */
export const itemSchemas = {
  message: z.object({
    id,
    status,
    role: z.enum(["user", "assistant", "system", "developer"]),
    content,
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
  custom_tool_call: z.object({
    id,
    status,
    call_id: callId,
    name,
    input: z.string(),
    namespace: z.string().nullish(),
  }),
  function_call_output: z.object(output),
  custom_tool_call_output: z.object(output),
  local_shell_call: z.object({ id, status, call_id: callId, action: looseObject }),
  local_shell_call_output: z
    .object({ id, status, call_id: callId.nullish(), output: z.string() })
    .refine((item) => (item.call_id ?? item.id) != null, {
      path: ["call_id"],
      error: "expected the id of the call, as 'call_id' or 'id'.",
    }),
  shell_call: z.object({
    id,
    status,
    call_id: callId,
    action: looseObject,
    environment: looseObject.nullish(),
  }),
  shell_call_output: z.object({
    id,
    status,
    call_id: callId,
    output: z.array(z.looseObject({ stdout: z.string().nullish(), stderr: z.string().nullish() })),
    max_output_length: z.number().nullish(),
  }),
  apply_patch_call: z.object({ id, status, call_id: callId, operation: looseObject }),
  apply_patch_call_output: z.object({
    id,
    status,
    call_id: callId,
    output: z.string().nullish(),
  }),
  /** A search that a server made has no `call_id`. */
  tool_search_call: z.object({
    id,
    status,
    call_id: callId.nullish(),
    execution: z.string().nullish(),
    arguments: z.unknown().optional(),
  }),
  tool_search_output: z.object({
    id,
    status,
    call_id: callId.nullish(),
    execution: z.string().nullish(),
    tools: z.array(z.unknown()),
  }),
  additional_tools: z.object({ id, role: z.string().nullish(), tools: z.array(z.unknown()) }),
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
} as const;

type ItemType = keyof typeof itemSchemas;

/** An object without its null members: in this API null means "not given". */
type Given<T> = {
  readonly [K in keyof T as null extends T[K] ? never : K]: T[K];
} & { readonly [K in keyof T as null extends T[K] ? K : never]?: NonNullable<T[K]> };

/** Members that have parsers of their own. */
type Parsed<Type> = Type extends "message"
  ? { readonly content: readonly InputContent[] }
  : Type extends "function_call_output" | "custom_tool_call_output"
    ? { readonly output: string | readonly InputContent[] }
    : unknown;

/**
 * An item of one type: no nulls, `status` filled in, text always in parts. Everything else is as
 * the client wrote it.
 */
export type ItemOf<Type extends ItemType> = Type extends unknown
  ? { readonly type: Type } & Parsed<Type> &
      Omit<Given<z.output<(typeof itemSchemas)[Type]>>, keyof Parsed<Type>>
  : never;

/** An item of a request. An item of an unknown type is stored and not shown to a model. */
export type InputItem = ItemOf<ItemType> | { readonly type: "carried"; readonly item: JsonObject };

/**
 * Returns the input of a request as items. A string is one message of the user; no input is an
 * empty list.
 *
 * @throws RequestError
 */
export function parseInput(input: unknown): readonly InputItem[] {
  if (input === undefined || input === null || input === "") return [];
  if (typeof input === "string") {
    const text = [{ type: "input_text", text: input }] as const;
    return [{ type: "message", status: "completed", role: "user", content: text }];
  }
  if (!Array.isArray(input)) throw wrongType("input", "a string or an array of items", input);
  return input.map((value, index) => parseItem(value, `input[${index}]`));
}

/** Number of items that are parsed in one turn of the event loop. */
const sliceItems = 1_000;

/**
 * Parses the items of a long input in several turns of the event loop. Returns undefined for a
 * short input.
 */
export async function parseLongInput(body: unknown): Promise<readonly InputItem[] | undefined> {
  const input = isObject(body) ? body["input"] : undefined;
  if (!Array.isArray(input) || input.length <= sliceItems) return undefined;
  const items: InputItem[] = [];
  for (const [index, value] of input.entries()) {
    if (index % sliceItems === 0) await nextTurn();
    items.push(parseItem(value, `input[${index}]`));
  }
  return items;
}

function parseItem(value: unknown, at: string): InputItem {
  if (!isObject(value)) throw wrongType(at, "an object", value);
  const type = itemType(value);
  if (type === undefined) throw missingParameter(`${at}.type`);
  if (!isKnown(type)) return { type: "carried", item: value as JsonObject };
  const item = { type, ...withoutNulls(checked(itemSchemas[type], value, at)) };
  if (type === "message") return withContent(item, "content", value, at);
  if (type === "function_call_output" || type === "custom_tool_call_output")
    return withContent(item, "output", value, at);
  return item as InputItem;
}

function isKnown(type: string): type is ItemType {
  return Object.hasOwn(itemSchemas, type);
}

/** An item without a type is a message, or a reference if it has only an id. */
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
): InputItem {
  const given = value[key];
  const isText = key === "output" && typeof given === "string";
  const textType = value["role"] === "assistant" ? "output_text" : "input_text";
  const parsed = isText ? given : parseContent(given, { at: `${at}.${key}`, textType });
  return { ...item, [key]: parsed } as InputItem;
}

const text = z.object({ text: z.string() });
const list = z
  .array(z.unknown())
  .nullish()
  .transform((given) => given ?? []);
/** A string, or the `StoredData` with which `readJson` has replaced a long string. */
const data: z.ZodType<string | StoredData> = z.string();
/** `withFiles` has replaced the id by its file. */
const namedFile = z
  .custom<NamedFile>((value) => value instanceof NamedFile, "expected the id of a file")
  .nullish();
const imageData: typeof data = z.string().max(maxImage);

export const partSchemas = {
  input_text: text.transform((part) => ({ type: "input_text" as const, ...part })),
  text: text.transform((part) => ({ type: "input_text" as const, ...part })),
  output_text: z
    .object({ text: z.string(), annotations: list, logprobs: list })
    .transform((part) => ({ type: "output_text" as const, ...part })),
  refusal: z
    .object({ refusal: z.string() })
    .transform((part) => ({ type: "refusal" as const, ...part })),
  input_image: z
    .object({
      image_url: imageData.nullish(),
      file_id: namedFile,
      detail: z.string().nullish().transform(imageDetail),
    })
    .transform((part) => ({
      type: "input_image" as const,
      ...withoutNulls(part),
      detail: part.detail,
    })),
  input_file: z
    .object({
      filename: z.string().nullish(),
      file_data: data.nullish(),
      file_url: data.nullish(),
      file_id: namedFile,
    })
    .transform((part) => ({ type: "input_file" as const, ...withoutNulls(part) })),
  input_video: z
    .object({ video_url: data })
    .transform((part) => ({ type: "input_video" as const, ...part })),
} as const;

export type InputContent = Readonly<z.output<(typeof partSchemas)[keyof typeof partSchemas]>>;

/** Returns the parts of a message or of a call's output. A string is one part. */
function parseContent(
  given: unknown,
  options: { readonly at: string; readonly textType: "input_text" | "output_text" },
): readonly InputContent[] {
  const { at, textType } = options;
  if (given === undefined) throw missingParameter(at);
  if (typeof given === "string") {
    const more = textType === "output_text" ? { annotations: [], logprobs: [] } : {};
    return [{ type: textType, text: given, ...more } as InputContent];
  }
  if (given === null) return [];
  if (!Array.isArray(given)) throw wrongType(at, "a string or an array of content parts", given);
  return given.map((value, index) => parsePart(value, `${at}[${index}]`));
}

function parsePart(value: unknown, at: string): InputContent {
  if (!isObject(value)) throw wrongType(at, "an object", value);
  const { type } = value;
  if (type === undefined) throw missingParameter(`${at}.type`);
  if (typeof type !== "string" || !Object.hasOwn(partSchemas, type))
    throw unsupportedValue(`${at}.type`, type, Object.keys(partSchemas));
  checkSource(value, at);
  // These members were Base64 strings, so the schema checks empty strings in their place.
  const stored = Object.entries(value).filter(([, member]) => member instanceof StoredData);
  const empty = Object.fromEntries(stored.map(([key]) => [key, ""]));
  const schema = partSchemas[type as keyof typeof partSchemas];
  const result = schema.safeParse({ ...value, ...empty });
  if (!result.success) throw issueError(result.error.issues, value, at);
  const known = Object.fromEntries(stored.filter(([key]) => key in result.data));
  return { ...result.data, ...known };
}

/** @throws RequestError if a part has no content, or content of two kinds */
function checkSource(value: { readonly [key: string]: unknown }, at: string): void {
  const { type, file_id: fileId } = value;
  if (type !== "input_image" && type !== "input_file") return;
  const sources = type === "input_image" ? ["image_url"] : ["file_data", "file_url"];
  const given = sources.filter((key) => value[key] != null);
  if (fileId == null) {
    if (given.length === 0) throw missingParameter(`${at}.${sources[0]}`);
    return;
  }
  if (given.length > 0)
    throw new RequestError({
      param: `${at}.file_id`,
      code: "mutually_exclusive_parameters",
      message: `Mutually exclusive parameters: '${at}.file_id' and '${at}.${given[0]}'. Send one of them.`,
    });
  if (type === "input_image" && fileId instanceof NamedFile) requireImage(fileId, `${at}.file_id`);
}

function imageDetail(detail: string | null | undefined): "low" | "high" | "auto" {
  return detail === "low" || detail === "high" ? detail : "auto";
}
