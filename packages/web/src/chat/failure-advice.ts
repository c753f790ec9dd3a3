import type { ChainError } from "../run/run-event.ts";
import type { RunPhase } from "../run/run-state.ts";

export interface FailureAdvice {
  readonly title: string;
  readonly advice: string;
  /** What the button says; none where nothing is gained by trying again. */
  readonly retry: "Try again" | "Carry on";
  readonly tone: "danger" | "plain";
}

type Advice = readonly [title: string, advice: string];

/** What each failure is called, and what a person can do about it. */
const byCode: { readonly [code: string]: Advice } = {
  authentication: [
    "The provider does not accept the key",
    "Check the key in the server's environment and restart it, or choose another model below and try again.",
  ],
  rate_limit: [
    "The provider asks for a pause",
    "Too many requests in a short time. Wait a moment, or choose another model below, and try again.",
  ],
  insufficient_quota: [
    "The account has no credit left",
    "Add credit at the provider, or choose another model below, and try again.",
  ],
  context_length: [
    "The conversation is too long for this model",
    "Start a new chat, or choose a model with a larger context below and try again.",
  ],
  model_not_found: [
    "The provider does not know this model",
    "Choose another model below, and try again.",
  ],
  bad_request: [
    "The provider refused the request",
    "The message below says what it did not like. Another model may take it.",
  ],
  empty_answer: [
    "The model said nothing",
    "It was asked twice. What its tools did is kept; try again, or choose another model below.",
  ],
  connection: [
    "The provider could not be reached",
    "Check the network, or that the model's server is running. Finished calls are not done again.",
  ],
  timeout: [
    "The model fell silent",
    "Nothing came for longer than allowed. Finished calls are not done again.",
  ],
  server: [
    "The provider failed",
    "This is on its side and often passes. Finished calls are not done again.",
  ],
  interrupted: [
    "The server stopped in the middle of this turn",
    "What was finished is kept. Calls that were under way may or may not have happened.",
  ],
};

const stopped: FailureAdvice = {
  title: "You stopped this turn",
  advice: "What was finished is kept.",
  retry: "Carry on",
  tone: "plain",
};

/** What to say of a run that did not complete; undefined where it did, or goes on. */
export function failureAdvice(
  phase: RunPhase,
  error: ChainError | null,
): FailureAdvice | undefined {
  const known =
    error !== null && Object.hasOwn(byCode, error.code) ? byCode[error.code] : undefined;
  switch (phase) {
    case "queued":
    case "running":
    case "waiting":
    case "completed":
      return undefined;
    case "aborted":
      return stopped;
    case "interrupted":
    case "error":
    case "timeout": {
      const [title, advice] = known ?? fallback[phase];
      return {
        title,
        advice,
        retry: phase === "timeout" ? "Carry on" : "Try again",
        tone: "danger",
      };
    }
  }
}

const fallback: { readonly [phase in "interrupted" | "error" | "timeout"]: Advice } = {
  interrupted: byCode["interrupted"] ?? ["The server stopped", ""],
  error: ["This turn failed", "Finished calls are not done again."],
  timeout: ["This turn took too long", "It was stopped at its limit. What was finished is kept."],
};
