import { CapstanError, errorMessage } from "../../base/errors.ts";
import { cutsOff } from "../../model/incomplete-calls.ts";
import type { FinishReason } from "../../model/model.ts";
import { ModelError } from "../../model/model-error.ts";
import type { ChainError, ChainStatus } from "../journal/chain-result.ts";

/** How a chain ended: its status, and its error if it failed. */
export interface ChainEnding {
  readonly status: Exclude<ChainStatus, "running">;
  readonly error?: ChainError;
}

/** Returns the ending of a chain whose model failed; it is never a successful answer. */
export function modelFailure(failure: unknown): ChainEnding {
  if (!ModelError.isInstance(failure)) {
    const error = { code: "server", message: errorMessage(failure), phase: "model" } as const;
    return { status: "error", error };
  }
  const { code, message, retryAfterMs } = failure;
  const retry = retryAfterMs === undefined ? {} : { retryAfterMs };
  const error: ChainError = { code, message, phase: "model", ...retry };
  return { status: code === "timeout" ? "timeout" : "error", error };
}

/**
 * Returns the ending of a chain that was stopped from outside. `aborted` is a request to stop; the
 * other codes are failures.
 */
export function stopped(error: ChainError | undefined): ChainEnding {
  const why = error ?? { code: "aborted", message: "it was stopped", phase: "chain" };
  const { code } = why;
  return { status: code === "aborted" || code === "timeout" ? code : "error", error: why };
}

/** Returns the error of an aborted signal: `timeout` if the signal timed out, else `aborted`. */
export function abortError(signal: AbortSignal): ChainError {
  const reason: unknown = signal.reason;
  const name = reason instanceof DOMException ? reason.name : undefined;
  if (name === "TimeoutError")
    return { code: "timeout", message: "it exceeded its time limit", phase: "chain" };
  const message = name === "AbortError" ? "it was stopped" : errorMessage(reason);
  return { code: "aborted", message, phase: "chain" };
}

/**
 * Returns the ending for a model that gave an empty answer twice, or one that was cut off: the
 * finish reason explains it.
 */
export function emptyAnswer(finishReason: FinishReason | undefined): ChainEnding {
  if (cutsOff(finishReason)) return { status: "completed" };
  const message = "The model's answer was empty, and so was its second attempt.";
  return { status: "error", error: { code: "empty_answer", message, phase: "final_response" } };
}

/** Returns the error of the loop itself: an option that throws, or a bug. */
export function loopError(thrown: unknown): ChainError {
  const code = CapstanError.isInstance(thrown) ? thrown.code : "internal";
  return { code, message: errorMessage(thrown), phase: "chain" };
}
