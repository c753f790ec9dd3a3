import type { HistoryMode } from "@capstan/core";
import {
  type ApiError,
  failed,
  invalidRequest,
  missingParameter,
  ok,
  type Parsed,
} from "../http/api-error.ts";
import type { CreateRequest } from "./request/create-request.ts";
import { issueError, wrongType } from "./request/issue-error.ts";
import { parseFormat } from "./request/parse-format.ts";
import { parseInput } from "./request/parse-input.ts";
import { parseToolChoice } from "./request/parse-tool-choice.ts";
import { parseTools } from "./request/parse-tools.ts";
import { requestEcho } from "./request/request-echo.ts";
import { requestSettings } from "./request/request-settings.ts";
import { type RequestBody, requestSchema } from "./request/request-schema.ts";
import { isObject, withoutNulls } from "./request/without-nulls.ts";

export type ParsedRequest =
  | { readonly status: "ok"; readonly request: CreateRequest }
  | { readonly status: "error"; readonly error: ApiError };

/**
 * The body of `POST /v1/responses`. Unknown members, tools and items are let through; what is
 * known and wrong is an error in OpenAI's words, with the path of what is wrong.
 *
 * @param body JSON from outside, of whatever form
 * @example
 * const parsed = parseCreateRequest(JSON.parse(text), { origins: ["http://127.0.0.1:8787"] });
 * if (parsed.status === "error") return c.json(errorBody(parsed.error), 400);
 */
export function parseCreateRequest(
  body: unknown,
  options: {
    /** Where this server is reached: its groups may be named by such a URL. @default [] */
    readonly origins?: readonly string[];
  } = {},
): ParsedRequest {
  if (!isObject(body)) return failed(wrongType("request", "a JSON object", body ?? null));
  const result = requestSchema.safeParse(body);
  if (!result.success) return failed(issueError(result.error.issues, body, ""));
  const given =
    result.data.conversation === "" ? { ...result.data, conversation: null } : result.data;

  const conflict = conflictOf(given) ?? metadataError(given.metadata ?? {});
  if (conflict !== undefined) return failed(conflict);
  const conversation = parseConversation(given.conversation);
  if (conversation.status === "error") return conversation;
  const input = parseInput(given.input);
  if (input.status === "error") return input;
  const tools = parseTools(given.tools ?? [], options.origins ?? []);
  if (tools.status === "error") return tools;
  const toolChoice = parseToolChoice(given.tool_choice, tools.value);
  if (toolChoice.status === "error") return toolChoice;
  const format = parseFormat(given.text?.format);
  if (format.status === "error") return format;

  const { client, customTools, servers, carried } = tools.value;
  const echo = requestEcho(given, {
    tools: tools.value.echo,
    toolChoice: toolChoice.value.echo,
    format: format.value.echo,
  });
  const request: CreateRequest = {
    ...withoutNulls({
      model: given.model,
      instructions: given.instructions,
      previousResponseId: given.previous_response_id,
      conversation: conversation.value,
      maxToolCalls: given.max_tool_calls,
      promptCacheKey: given.prompt_cache_key,
    }),
    input: input.value,
    tools: { client, customTools, servers, carried },
    toolChoice: toolChoice.value.choice,
    settings: requestSettings(given, toolChoice.value.choice, format.value.format),
    truncation: given.truncation ?? "disabled",
    store: echo.store,
    background: echo.background,
    stream: given.stream ?? false,
    include: given.include ?? [],
    metadata: echo.metadata,
    ...(given.approvals === "inline" ? { approvals: "inline" } : {}),
    ...(given.tool_outputs === "inline" ? { toolOutputs: "inline" } : {}),
    ...(given.history == null ? {} : { history: historyMode(given.history) }),
    echo,
  };
  return { status: "ok", request };
}

function historyMode(given: NonNullable<RequestBody["history"]>): HistoryMode {
  return typeof given === "string" ? given : { keepTurns: given.keep_turns };
}

/** What must be there, and what cannot be together. */
function conflictOf(given: RequestBody): ApiError | undefined {
  const { input, previous_response_id: previous, conversation } = given;
  if (input == null && previous == null && conversation == null) return missingParameter("input");
  if (previous != null && conversation != null) {
    return invalidRequest({
      param: "previous_response_id",
      code: "mutually_exclusive_parameters",
      message:
        "'previous_response_id' and 'conversation' are mutually exclusive: a conversation knows its last response. Send one of them.",
    });
  }
  if (given.background === true && given.store === false) {
    return invalidRequest({
      param: "background",
      code: "invalid_value",
      message: "'background' can only be used when 'store' is true: the response is read later.",
    });
  }
  return undefined;
}

function metadataError(metadata: { readonly [key: string]: string }): ApiError | undefined {
  const keys = Object.keys(metadata);
  if (keys.length > 16) {
    return invalidRequest({
      param: "metadata",
      code: "object_above_max_properties",
      message: `Invalid 'metadata': too many properties. Expected at most 16, but got ${keys.length} instead.`,
    });
  }
  const long = keys.find((key) => key.length > 64);
  if (long === undefined) return undefined;
  return invalidRequest({
    param: "metadata",
    code: "string_above_max_length",
    message: `Invalid 'metadata': a key is too long. Expected at most 64 characters, but got ${long.length} instead.`,
  });
}

function parseConversation(given: unknown): Parsed<string | undefined> {
  if (given === undefined || given === null) return ok(undefined);
  const id: unknown = isObject(given) ? given["id"] : given;
  if (typeof id !== "string") {
    return failed(wrongType("conversation", "a string or an object with an 'id'", given));
  }
  if (/^conv_[a-zA-Z0-9_-]+$/.test(id)) return ok(id);
  return failed(
    invalidRequest({
      param: "conversation",
      code: "invalid_value",
      message: `Invalid 'conversation': '${id.slice(0, 100)}' is no id of a conversation. Expected one that begins with 'conv_'.`,
    }),
  );
}
