import type { ErrorBody } from "@capstan/contract";
import type { z } from "zod";

/** What went wrong with a request, before it becomes an HTTP answer. */
export interface ApiError {
  /** The HTTP status. */
  readonly status: number;
  readonly type: string;
  /** Stable, snake_case. */
  readonly code: string;
  /** The part of the request that is wrong, as a path: `input[0].arguments`; `request` where it is the whole. */
  readonly param: string;
  readonly message: string;
  readonly retryAfterSeconds?: number;
}

/** Either what was asked for, or what is wrong with the request. */
export type Parsed<T> =
  | { readonly status: "ok"; readonly value: T }
  | { readonly status: "error"; readonly error: ApiError };

/**
 * A request that cannot be served as it stands: status 400 unless said otherwise.
 *
 * @example invalidRequest({ param: "model", code: "model_not_found", message: "…" , status: 404 })
 */
export function invalidRequest(options: {
  readonly message: string;
  /** @default "request" */
  readonly param?: string;
  /** @default "invalid_request" */
  readonly code?: string;
  /** @default 400 */
  readonly status?: number;
}): ApiError {
  return {
    status: options.status ?? 400,
    type: "invalid_request_error",
    code: options.code ?? "invalid_request",
    param: options.param ?? "request",
    message: options.message,
  };
}

export function missingParameter(param: string): ApiError {
  return invalidRequest({
    param,
    code: "missing_required_parameter",
    message: `Missing required parameter: '${param}'.`,
  });
}

/** The body of an HTTP error: all four keys, all text, or a client shows "Bad Request" instead. */
export function errorBody(error: ApiError): ErrorBody {
  const { message, type, param, code } = error;
  return { error: { message, type, param: param || "request", code: code || type } };
}

export function ok<T>(value: T): Parsed<T> {
  return { status: "ok", value };
}

export function failed(error: ApiError): { readonly status: "error"; readonly error: ApiError } {
  return { status: "error", error };
}

type Issue = z.core.$ZodIssue;

/** Fields that are whole numbers; zod's issues do not say. */
const integerFields: ReadonlySet<PropertyKey> = new Set([
  "keep_turns",
  "max_output_tokens",
  "max_tool_calls",
  "top_logprobs",
]);

/** What a value is, in OpenAI's words. */
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
 * The first issue as the error that OpenAI would give.
 *
 * @param value what was parsed, to say what came instead
 * @param at where that is in the request: `input[0]`; empty for the whole of it
 */
export function issueError(issues: readonly Issue[], value: unknown, at: string): ApiError {
  const issue = issues[0];
  if (issue === undefined) return invalidRequest({ message: "The request is not valid." });
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
      return invalidRequest({
        param,
        code: "invalid_value",
        message: `Invalid '${param}': ${issue.message}`,
      });
  }
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

export function wrongType(param: string, expected: string, got: unknown): ApiError {
  return invalidRequest({
    param,
    code: "invalid_type",
    message: `Invalid type for '${param}': expected ${expected}, but got ${describe(got)} instead.`,
  });
}

export function unsupportedValue(
  param: string,
  got: unknown,
  supported: readonly string[],
): ApiError {
  const quoted = supported.map((value) => `'${value}'`);
  const list =
    quoted.length < 2 ? quoted.join("") : `${quoted.slice(0, -1).join(", ")} and ${quoted.at(-1)}`;
  return invalidRequest({
    param,
    code: "invalid_value",
    message: `Invalid value: '${short(got)}' for '${param}'. Supported values are: ${list}.`,
  });
}

function outOfRange(
  issue: Extract<Issue, { code: "too_small" | "too_big" }>,
  param: string,
  got: unknown,
): ApiError {
  const isBelow = issue.code === "too_small";
  const limit = String(isBelow ? issue.minimum : issue.maximum);
  const side = isBelow ? "below_min" : "above_max";
  if (issue.origin === "string" || issue.origin === "array") {
    const length = typeof got === "string" || Array.isArray(got) ? got.length : 0;
    const bound = `${isBelow ? "minimum" : "maximum"} length ${limit}`;
    return invalidRequest({
      param,
      code: `${issue.origin}_${side}_length`,
      message: `Invalid '${param}': ${issue.origin} too ${isBelow ? "short" : "long"}. Expected ${bound}, but got length ${length} instead.`,
    });
  }
  const kind = integerFields.has(issue.path.at(-1) ?? "") ? "integer" : "decimal";
  const bound = `${isBelow ? ">=" : "<="} ${limit}`;
  return invalidRequest({
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

/** A value in an error message, which is not the place for megabytes. */
function short(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

/** The members that say something: on this wire null means "not given". */
export function withoutNulls<T extends object>(value: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const given = Object.entries(value).filter(
    ([, member]) => member !== null && member !== undefined,
  );
  return Object.fromEntries(given) as { [K in keyof T]?: NonNullable<T[K]> };
}

export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
