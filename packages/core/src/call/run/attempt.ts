import { errorMessage, type ToolErrorData } from "../../base/errors.ts";
import { isToolError, type ToolError, isWithText } from "../../tool/return-value.ts";
import { plainData } from "../../json/short-json.ts";
import type { Tool, RetryPolicy } from "../../tool/tool.ts";
import type { ToolArgs } from "../../base/json.ts";
import type { ToolContext } from "../../tool/tool-context.ts";

/** How one try of a tool ended. */
export type Attempt =
  | { readonly status: "returned"; readonly value: unknown; readonly text?: string }
  | { readonly status: "failed"; readonly error: ToolErrorData; readonly threw: boolean };

/** Runs a tool once. Never throws, and its promise never rejects: a throw is an outcome. */
export function attempt(
  execute: NonNullable<Tool["execute"]>,
  args: ToolArgs,
  context: ToolContext,
): Attempt | Promise<Attempt> {
  try {
    const returned: unknown = execute(args, context);
    return isThenable(returned) ? Promise.resolve(returned).then(ended, threw) : ended(returned);
  } catch (thrown) {
    return threw(thrown);
  }
}

function ended(value: unknown): Attempt {
  try {
    // As JSON it would be an empty object, and its message lost.
    if (value instanceof Error) return threw(value);
    if (isToolError(value)) return { status: "failed", error: plainError(value), threw: false };
    return isWithText(value)
      ? { status: "returned", value: value.value, text: value.text }
      : { status: "returned", value };
  } catch (thrown) {
    // An object may throw wherever it is touched.
    return threw(thrown);
  }
}

function plainError({ code, message, retryable, retryAfterMs, details }: ToolError): ToolErrorData {
  return {
    code: isText(code) ? code : "tool_failed",
    message: isText(message) ? message : "It failed, and did not say why.",
    ...(retryable !== undefined && { retryable }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(details !== undefined && { details: plainData(details) }),
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function threw(thrown: unknown): Attempt {
  const error = { code: "tool_threw", message: errorMessage(thrown) };
  return { status: "failed", error, threw: true };
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    "then" in value &&
    typeof value.then === "function"
  );
}

export interface RetryDelayOptions {
  readonly policy: RetryPolicy;
  readonly error: ToolErrorData;
  /** Tries that were made; 1 after the first. */
  readonly tries: number;
  /** From 0 to 1. */
  readonly random: number;
}

/**
 * Ms until the next try: full jitter over a doubling bound, so that callers that failed together
 * do not come back together; never sooner than the error asks. Undefined where there is no next try.
 *
 * @example retryDelay({ policy: { attempts: 3 }, error: { code: "busy", message: "", retryable: true }, tries: 1, random: 0.5 }) // 100
 */
export function retryDelay({
  policy,
  error,
  tries,
  random,
}: RetryDelayOptions): number | undefined {
  if (tries >= policy.attempts || error.retryable !== true) return undefined;
  const { baseMs = 200, maxMs = 10_000 } = policy;
  const bound = Math.min(maxMs, baseMs * 2 ** (tries - 1));
  return Math.max(random * bound, error.retryAfterMs ?? 0);
}
