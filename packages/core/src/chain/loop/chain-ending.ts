import { CapstanError, errorMessage } from "../../base/errors.ts";
import type { FinishReason } from "../../model/model.ts";
import { ModelError } from "../../model/model-error.ts";
import type { ChainError, ChainStatus } from "../journal/chain-result.ts";

export interface ChainEnding {
  readonly status: Exclude<ChainStatus, "running">;
  readonly error?: ChainError;
}

/** A model that failed: never a successful answer. */
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

/** What stopped a chain from outside; `aborted` is somebody's wish, the rest are failures. */
export function stopped(error: ChainError | undefined): ChainEnding {
  const why = error ?? { code: "aborted", message: "it was stopped", phase: "chain" };
  const { code } = why;
  return { status: code === "aborted" || code === "timeout" ? code : "error", error: why };
}

export function abortError(signal: AbortSignal): ChainError {
  const reason: unknown = signal.reason;
  const name = reason instanceof DOMException ? reason.name : undefined;
  if (name === "TimeoutError")
    return { code: "timeout", message: "it took longer than it may", phase: "chain" };
  const message = name === "AbortError" ? "it was stopped" : errorMessage(reason);
  return { code: "aborted", message, phase: "chain" };
}

/** A model that said nothing, twice. What it was cut off from is told by its finish reason instead. */
export function emptyAnswer(finishReason: FinishReason | undefined): ChainEnding {
  if (finishReason === "length" || finishReason === "content_filter")
    return { status: "completed" };
  const message = "The model's answer was empty, and empty again when it was asked once more.";
  return { status: "error", error: { code: "empty_answer", message, phase: "final_response" } };
}

/** What went wrong in the loop itself: an option that fails where it is asked, or a fault of ours. */
export function loopError(thrown: unknown): ChainError {
  const code = CapstanError.isInstance(thrown) ? thrown.code : "internal";
  return { code, message: errorMessage(thrown), phase: "chain" };
}
