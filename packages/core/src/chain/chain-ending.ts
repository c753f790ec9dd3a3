import { errorMessage } from "../errors/error-message.ts";
import { ModelError } from "../model/model-error.ts";
import type { ChainError, ChainStatus } from "./chain-result.ts";

/** How a chain stops. */
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
  return { status: why.code === "aborted" ? "aborted" : "error", error: why };
}

/** Why a caller's signal aborted, in words. */
export function abortReason(signal: AbortSignal | undefined): string {
  const reason: unknown = signal?.reason;
  return reason instanceof DOMException && reason.name === "AbortError"
    ? "it was stopped"
    : errorMessage(reason ?? "it was stopped");
}
