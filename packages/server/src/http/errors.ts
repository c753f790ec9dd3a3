import type { ErrorBody } from "@capstan/contract";
import type { z } from "zod";

export interface RequestErrorOptions {
  readonly message: string;
  /** The HTTP status. @default 400 */
  readonly status?: number;
  /** @default "invalid_request_error" */
  readonly type?: string;
  /** Stable, snake_case. @default "invalid_request" */
  readonly code?: string;
  /**
   * The part of the request that is wrong, as a path: `input[0].arguments`. @default "request", for
   * the whole request
   */
  readonly param?: string;
  readonly retryAfterSeconds?: number;
  /** False tells OpenAI's clients that a repeat would fail again, whatever the status. */
  readonly retryable?: boolean;
}

/**
 * The error of a request that cannot be served. Routes throw it, and the app sends it as a
 * response.
 */
export class RequestError extends Error {
  readonly status: number;
  readonly type: string;
  readonly code: string;
  readonly param: string;
  readonly retryAfterSeconds: number | undefined;
  readonly retryable: boolean | undefined;

  constructor(options: RequestErrorOptions) {
    super(options.message);
    this.name = "RequestError";
    this.status = options.status ?? 400;
    this.type = options.type ?? "invalid_request_error";
    this.code = options.code ?? "invalid_request";
    this.param = options.param ?? "request";
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.retryable = options.retryable;
  }
}

/**
 * The HTTP response for an error. Its body has all four fields; without them clients show "Bad
 * Request" instead.
 */
export function errorResponse(error: RequestError): Response {
  const { message, type, param, code, status, retryAfterSeconds: seconds, retryable } = error;
  const headers = {
    "Cache-Control": "no-store",
    ...(seconds !== undefined && { "Retry-After": String(seconds) }),
    ...(retryable !== undefined && { "X-Should-Retry": String(retryable) }),
  };
  const body: ErrorBody = { error: { message, type, param, code } };
  return Response.json(body, { status, headers });
}

/**
 * The error for a record that does not exist or has another owner. Both cases have the same error,
 * so that ids reveal nothing.
 */
export function notFound(what: string, id: string): RequestError {
  return new RequestError({
    status: 404,
    code: `${what.replaceAll(" ", "_")}_not_found`,
    param: "id",
    message: `There is no ${what} "${id.slice(0, 100)}" here.`,
  });
}

export function conflict(message: string): RequestError {
  return new RequestError({ status: 409, code: "conflict", message });
}

export function badRequest(param: string, message: string): RequestError {
  return new RequestError({ code: "invalid_value", param, message });
}

export function tooLong(param: string, message: string): RequestError {
  return new RequestError({ status: 413, code: "string_above_max_length", param, message });
}

type Issue = z.core.$ZodIssue;

/** Integer fields; zod's issues do not distinguish them from other numbers. */
const integerFields: ReadonlySet<PropertyKey> = new Set([
  "keep_turns",
  "max_output_tokens",
  "max_tool_calls",
  "top_logprobs",
]);

/** Names of JSON types in OpenAI's messages. */
const typeNames: { readonly [type: string]: string } = {
  string: "a string",
  number: "a number",
  int: "an integer",
  boolean: "a boolean",
  array: "an array",
  object: "an object",
  record: "an object",
};

/**
 * Returns the first issue in the form of OpenAI's errors.
 *
 * @param value the parsed value, whose type the message names
 * @param at the value's path in the request, for example `input[0]`; empty for the whole request
 */
export function issueError(issues: readonly Issue[], value: unknown, at: string): RequestError {
  const issue = issues[0];
  if (issue === undefined) return new RequestError({ message: "The request is not valid." });
  const param = joinPath(at, issue.path);
  const got = valueAt(value, issue.path);
  if (got === undefined) return missingParameter(param);
  switch (issue.code) {
    case "invalid_type":
      return wrongType(param, typeNames[issue.expected] ?? issue.expected, got);
    case "invalid_value":
      return unsupportedValue(param, got, issue.values.map(String));
    case "too_small":
    case "too_big":
      return outOfRange(issue, param, got);
    default:
      return new RequestError({
        param,
        code: "invalid_value",
        message: `Invalid '${param}': ${issue.message}`,
      });
  }
}

export function missingParameter(param: string): RequestError {
  return new RequestError({
    param,
    code: "missing_required_parameter",
    message: `Missing required parameter: '${param}'.`,
  });
}

/** Returns the `type` of a request for an error message: its text or JSON, at most 100 characters. */
export function shownType(type: unknown): string {
  return (typeof type === "string" ? type : (JSON.stringify(type) ?? "undefined")).slice(0, 100);
}

/** `joinPath("input[0]", ["content", 1, "text"])` is `input[0].content[1].text`. */
function joinPath(at: string, path: readonly PropertyKey[]): string {
  let joined = at;
  for (const key of path) {
    if (typeof key === "number") joined += `[${key}]`;
    else joined += joined === "" ? String(key) : `.${String(key)}`;
  }
  return joined === "" ? "request" : joined;
}

export function wrongType(param: string, expected: string, got: unknown): RequestError {
  return new RequestError({
    param,
    code: "invalid_type",
    message: `Invalid type for '${param}': expected ${expected}, but got ${describe(got)} instead.`,
  });
}

export function unsupportedValue(
  param: string,
  got: unknown,
  supported: readonly string[],
): RequestError {
  const quoted = supported.map((value) => `'${value}'`);
  const list =
    quoted.length < 2 ? quoted.join("") : `${quoted.slice(0, -1).join(", ")} and ${quoted.at(-1)}`;
  return new RequestError({
    param,
    code: "invalid_value",
    message: `Invalid value: '${short(got)}' for '${param}'. Supported values are: ${list}.`,
  });
}

function outOfRange(
  issue: Extract<Issue, { code: "too_small" | "too_big" }>,
  param: string,
  got: unknown,
): RequestError {
  const isBelow = issue.code === "too_small";
  const limit = String(isBelow ? issue.minimum : issue.maximum);
  const side = isBelow ? "below_min" : "above_max";
  if (issue.origin === "string" || issue.origin === "array") {
    const length = typeof got === "string" || Array.isArray(got) ? got.length : 0;
    const bound = `${isBelow ? "minimum" : "maximum"} length ${limit}`;
    return new RequestError({
      param,
      code: `${issue.origin}_${side}_length`,
      message: `Invalid '${param}': ${issue.origin} too ${isBelow ? "short" : "long"}. Expected ${bound}, but got length ${length} instead.`,
    });
  }
  const kind = integerFields.has(issue.path.at(-1) ?? "") ? "integer" : "decimal";
  const bound = `${isBelow ? ">=" : "<="} ${limit}`;
  return new RequestError({
    param,
    code: `${kind}_${side}_value`,
    message: `Invalid '${param}': ${kind} ${isBelow ? "below minimum" : "above maximum"} value. Expected a value ${bound}, but got ${short(got)} instead.`,
  });
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== "object" || current === null) return undefined;
    current = (current as { readonly [key: PropertyKey]: unknown })[key];
  }
  return current;
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (Number.isInteger(value)) return "an integer";
  return typeNames[typeof value] ?? typeof value;
}

/** Returns a value as an error message shows it: long values are cut. */
function short(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

/**
 * Returns a value of the request after validation.
 *
 * @param at the value's path in the request; empty for the whole request
 * @throws RequestError with the path of the first invalid field
 * @example checked(z.object({ n: z.int() }), body, "").n;
 */
export function checked<S extends z.ZodType>(schema: S, value: unknown, at: string): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw issueError(result.error.issues, value, at);
}

/** Returns whether a value is a JSON object. */
export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
