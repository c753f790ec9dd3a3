import type { JsonObject } from "@capstan/core";
import { z } from "zod";
import { failed, missingParameter, ok, type Parsed } from "../../http/api-error.ts";
import type { InputItem } from "./input-item.ts";
import { issueError, wrongType } from "./issue-error.ts";
import { parseContent } from "./parse-content.ts";
import { isObject, withoutNulls } from "./without-nulls.ts";

const id = z.string().nullish();
const status = z
  .string()
  .nullish()
  .transform((given) => given ?? "completed");
const name = z.string().min(1);
const callId = z.string().min(1);
const texts = z.array(z.object({ type: z.string().nullish(), text: z.string() }));

/** Items that mean something here, by their type. What they carry beyond this is dropped. */
const schemas: { readonly [type: string]: z.ZodType<object> } = {
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
  const schema = Object.hasOwn(schemas, type) ? schemas[type] : undefined;
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
