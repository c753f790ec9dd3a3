import type { HistoryMode, JsonObject } from "@capstan/core";
import { z } from "zod";
import {
  badRequest,
  checked,
  isObject,
  missingParameter,
  RequestError,
  unsupportedValue,
  wrongType,
} from "../../http/errors.ts";
import { type ChatOption, compileSchema, type ResponseFormat } from "@capstan/core/host";
import { type InputItem, parseInput } from "./parse-input.ts";
import type { HostedTools } from "../../http/services.ts";
import { ignoredFields } from "../../http/fields/ignored-fields.ts";
import { withoutNulls } from "../../http/read-body.ts";
import { checkDepth } from "../../http/parse-tool.ts";
import { modelToolChoice, parseToolChoice } from "./parse-tool-choice.ts";
import { parseTools, type RequestTools } from "./parse-tools.ts";
import { responseDefaults, responseFields } from "./response-fields.ts";
import type { ResponseEcho } from "../projection/wire.ts";

/** The parsed body of `POST /v1/responses`. Fields that were not given are absent. */
export type CreateRequest = ReturnType<typeof parseCreateRequest>;

/**
 * Parses the body of `POST /v1/responses`. Unknown members, tools and items are accepted; an
 * invalid known one is an error in OpenAI's form, with its path.
 *
 * @param body untrusted JSON
 * @throws RequestError
 * @example
 * const request = parseCreateRequest(JSON.parse(text), { origins: ["http://127.0.0.1:8787"] });
 */
export function parseCreateRequest(
  body: unknown,
  options: {
    /** The server's own addresses, at which a URL can name a group. @default [] */
    readonly origins?: readonly string[];
    /** The tools that are bound to hosted types. @default none */
    readonly hostedTools?: HostedTools;
    /** The body's input, if it has already been parsed. */
    readonly input?: readonly InputItem[] | undefined;
  } = {},
) {
  if (!isObject(body)) throw wrongType("request", "a JSON object", body ?? null);
  const given = checked(requestSchema, body, "");
  checkConflicts(given);
  checkMetadata(given.metadata ?? {});
  const conversation = parseConversation(given.conversation);
  const input = options.input ?? parseInput(given.input);
  const tools = parseTools(given.tools ?? [], { ...options, input });
  const toolChoice = parseToolChoice(given.tool_choice, tools);
  const format = parseFormat(given.text?.format);

  const echo = requestEcho(given, {
    tools: tools.echo,
    toolChoice: toolChoice.echo,
    format: format.echo,
  });
  return {
    ...withoutNulls({
      model: given.model,
      instructions: given.instructions,
      previousResponseId: given.previous_response_id,
      conversation: conversation?.id,
      maxToolCalls: given.max_tool_calls,
    }),
    input,
    /**
     * The response that the input follows, if it is not the newest one of the conversation; null for
     * the start of the conversation.
     */
    after: conversation?.after,
    /**
     * The newest response of the conversation that the client knows, null for none. If there is a
     * newer one, the request is rejected.
     */
    head: conversation?.head,
    /** The client's end user. */
    user: given.safety_identifier ?? given.user ?? undefined,
    tools,
    toolChoice: toolChoice.choice,
    settings: requestSettings(given, modelToolChoice(toolChoice.choice, tools), format.format),
    store: echo.store,
    background: echo.background,
    stream: given.stream ?? false,
    // An extension of the API: the response waits for a user or for its client's outputs instead of
    // ending.
    ...(given.approvals != null && { approvals: given.approvals }),
    ...(given.tool_outputs === "inline" && { toolOutputs: "inline" as const }),
    ...(given.history != null && { history: historyMode(given.history) }),
    /** The fields of the request that the response repeats. */
    echo,
    /** The values of `include` that change the response. */
    include: includable.filter((value) => given.include?.includes(value) === true),
    /** Names of the parts of the request that have no effect. */
    ignored: ignoredParts(body, given, tools),
  };
}

/** The values of `include` that change a response. */
const includable = [
  "message.output_text.logprobs",
  "file_search_call.results",
  "web_search_call.results",
  "web_search_call.action.sources",
  "code_interpreter_call.outputs",
] as const;

/** Values of `include` that have no effect, because responses always contain their data. */
const included: readonly string[] = [
  "reasoning.encrypted_content",
  "message.input_image.image_url",
  "computer_call_output.output.image_url",
];

function ignoredParts(
  body: { readonly [name: string]: unknown },
  given: RequestBody,
  { carried }: Pick<RequestTools, "carried">,
): readonly string[] {
  const known: readonly string[] = [...includable, ...included];
  const include = given.include ?? [];
  const hasLogprobs = include.includes("message.output_text.logprobs");
  const { summary } = given.reasoning ?? {};
  return [
    ...ignoredFields(body, responseFields, responseDefaults).filter(
      (name) => name !== "stream_options" || given.stream_options?.include_obfuscation === true,
    ),
    ...include.filter((value) => !known.includes(value)).map((value) => `include.${value}`),
    ...(given.top_logprobs != null && given.top_logprobs > 0 && !hasLogprobs
      ? ["top_logprobs"]
      : []),
    ...(summary != null ? ["reasoning.summary"] : []),
    ...carried.flatMap(({ type }) => (typeof type === "string" ? [`tools.${type}`] : [])),
  ];
}

function historyMode(given: NonNullable<RequestBody["history"]>): HistoryMode {
  return typeof given === "string" ? given : { keepTurns: given.keep_turns };
}

/** Rejects missing fields and mutually exclusive fields. */
function checkConflicts(given: RequestBody): void {
  const { input, previous_response_id: previous, conversation } = given;
  if (input == null && previous == null && conversation == null) throw missingParameter("input");
  if (previous != null && conversation != null) {
    throw new RequestError({
      param: "previous_response_id",
      code: "mutually_exclusive_parameters",
      message:
        "'previous_response_id' and 'conversation' are mutually exclusive: a conversation knows its last response. Send one of them.",
    });
  }
  if (given.background === true && given.store === false) {
    const message =
      "'background' can only be used when 'store' is true, because the response is read later.";
    throw badRequest("background", message);
  }
}

function checkMetadata(metadata: { readonly [key: string]: string }): void {
  const keys = Object.keys(metadata);
  if (keys.length > 16) {
    throw new RequestError({
      param: "metadata",
      code: "object_above_max_properties",
      message: `Invalid 'metadata': too many properties. Expected at most 16, but got ${keys.length} instead.`,
    });
  }
  const long = keys.find((key) => key.length > 64);
  if (long === undefined) return;
  throw new RequestError({
    param: "metadata",
    code: "string_above_max_length",
    message: `Invalid 'metadata': a key is too long. Expected at most 64 characters, but got ${long.length} instead.`,
  });
}

interface ConversationPlace {
  readonly id: string;
  readonly after: string | null | undefined;
  readonly head: string | null | undefined;
}

function parseConversation(given: unknown): ConversationPlace | undefined {
  if (given === undefined || given === null) return undefined;
  const place = isObject(given) ? given : { id: given };
  const id = place["id"];
  const responseOf = (name: "after" | "head"): string | null | undefined => {
    const response = place[name];
    if (response === undefined || response === null || typeof response === "string")
      return response;
    throw wrongType(
      `conversation.${name}`,
      "the id of a response of the conversation or null",
      response,
    );
  };
  if (typeof id !== "string")
    throw wrongType("conversation", "a string or an object with an 'id'", given);
  const [after, head] = [responseOf("after"), responseOf("head")];
  if (/^conv_[a-zA-Z0-9_-]+$/.test(id)) return { id, after, head };
  const message = `Invalid 'conversation': '${id.slice(0, 100)}' is not a conversation id. Expected one that starts with 'conv_'.`;
  throw badRequest("conversation", message);
}

const optionalText = z.string().nullish();
/** Some clients send "" for fields that they do not set. */
const optionalId = optionalText.transform((given) => (given === "" ? null : given));
const shortKey = z.string().max(64).nullish();

/**
 * The simple members of a request and their limits. Input, tools, tool choice and format have
 * parsers of their own; members that are not listed are ignored.
 */
export const requestSchema = z.object({
  model: optionalId,
  input: z.unknown().optional(),
  instructions: optionalId,
  previous_response_id: optionalId,
  conversation: z
    .unknown()
    .optional()
    .transform((given) => (given === "" ? null : given)),
  tools: z.array(z.unknown()).nullish(),
  tool_choice: z.unknown().optional(),
  parallel_tool_calls: z.boolean().nullish(),
  max_tool_calls: z.int().min(1).nullish(),
  max_output_tokens: z.int().min(16).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  text: z
    .object({
      format: z.unknown().optional(),
      verbosity: z.enum(["low", "medium", "high"]).nullish(),
    })
    .nullish(),
  reasoning: z.object({ effort: optionalText, summary: optionalText }).nullish(),
  truncation: z.enum(["auto", "disabled"]).nullish(),
  service_tier: optionalText,
  safety_identifier: shortKey,
  /** The older name of `safety_identifier`. */
  user: z.string().max(512).nullish(),
  prompt_cache_key: shortKey,
  metadata: z.record(z.string(), z.string().max(512)).nullish(),
  include: z.array(z.string()).nullish(),
  store: z.boolean().nullish(),
  background: z.boolean().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_obfuscation: z.boolean().nullish() }).nullish(),
  approvals: z.enum(["inline", "deferred"]).nullish(),
  tool_outputs: z.enum(["inline", "deferred"]).nullish(),
  history: z
    .union([z.enum(["log", "full"]), z.object({ keep_turns: z.int().min(0) })], {
      error: 'expected "log", "full" or {"keep_turns": 3}.',
    })
    .nullish(),
});

type RequestBody = z.infer<typeof requestSchema>;

/**
 * Returns the settings of a request for its model. Settings that were not given are left to the
 * provider.
 */
function requestSettings(
  given: RequestBody,
  choice: ChatOption["toolChoice"],
  format: ResponseFormat,
): ChatOption {
  return withoutNulls({
    toolChoice: choice,
    parallelToolCalls: given.parallel_tool_calls,
    temperature: given.temperature,
    topP: given.top_p,
    presencePenalty: given.presence_penalty,
    frequencyPenalty: given.frequency_penalty,
    maxOutputTokens: given.max_output_tokens,
    reasoningEffort: given.reasoning?.effort,
    verbosity: given.text?.verbosity,
    responseFormat: format.type === "text" ? undefined : format,
    logprobs:
      given.include?.includes("message.output_text.logprobs") === true
        ? { top: given.top_logprobs ?? 0 }
        : undefined,
  });
}

/**
 * Returns the fields that the response repeats, with every default filled in: clients reject `null`
 * for most.
 */
function requestEcho(
  given: RequestBody,
  parts: {
    readonly tools: readonly JsonObject[];
    readonly toolChoice: string | JsonObject;
    readonly format: JsonObject;
  },
): ResponseEcho {
  const { reasoning, text } = given;
  const wireText: JsonObject = {
    format: parts.format,
    ...withoutNulls({ verbosity: text?.verbosity }),
  };
  return {
    background: given.background ?? false,
    frequency_penalty: given.frequency_penalty ?? 0,
    instructions: given.instructions ?? null,
    max_output_tokens: given.max_output_tokens ?? null,
    max_tool_calls: given.max_tool_calls ?? null,
    metadata: given.metadata ?? {},
    parallel_tool_calls: given.parallel_tool_calls ?? true,
    presence_penalty: given.presence_penalty ?? 0,
    prompt_cache_key: given.prompt_cache_key ?? null,
    reasoning:
      reasoning == null
        ? null
        : { effort: reasoning.effort ?? null, summary: reasoning.summary ?? null },
    safety_identifier: given.safety_identifier ?? null,
    // The provider chooses the tier.
    service_tier: "default",
    store: given.store ?? true,
    temperature: given.temperature ?? 1,
    text: wireText,
    tool_choice: parts.toolChoice,
    tools: parts.tools,
    top_logprobs: given.top_logprobs ?? 0,
    top_p: given.top_p ?? 1,
    truncation: given.truncation ?? "disabled",
  };
}

interface ParsedFormat {
  readonly format: ResponseFormat;
  readonly echo: JsonObject;
}

const schemaFormat = z.object({
  name: z.string().min(1),
  schema: z.record(z.string(), z.unknown()),
  description: z.string().nullish(),
  strict: z.boolean().nullish(),
});

/** @throws RequestError for a schema with which answers cannot be checked */
function checkSchema(schema: { readonly [key: string]: unknown }, param: string): void {
  const compiled = compileSchema(schema);
  if (compiled.status === "compiled") return;
  throw badRequest(param, `Invalid '${param}': ${compiled.message}`);
}

/** `text.format`: the required format of the answer's text. */
function parseFormat(given: unknown): ParsedFormat {
  const at = "text.format";
  if (given === undefined || given === null)
    return { format: { type: "text" }, echo: { type: "text" } };
  if (!isObject(given)) throw wrongType(at, "an object", given);
  const { type } = given;
  if (type === undefined) throw missingParameter(`${at}.type`);
  if (type === "text" || type === "json_object") return { format: { type }, echo: { type } };
  if (type !== "json_schema")
    throw unsupportedValue(`${at}.type`, type, ["text", "json_object", "json_schema"]);
  const { name, schema, description, strict } = checked(schemaFormat, given, at);
  checkDepth(schema, `${at}.schema`);
  if (strict === true) checkSchema(schema, `${at}.schema`);
  return {
    format: { type, name, schema, ...withoutNulls({ description, strict }) },
    echo: {
      type,
      name,
      description: description ?? null,
      schema: schema as JsonObject,
      strict: strict ?? false,
    },
  };
}
