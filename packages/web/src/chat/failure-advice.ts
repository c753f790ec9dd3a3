import type { ChainError } from "../run/run-event.ts";
import type { RunPhase } from "../run/run-state.ts";
import { chatTexts } from "../texts/chat.ts";

export interface FailureAdvice {
  readonly title: string;
  readonly advice: string;
  /** The text of the button that starts the turn again. */
  readonly retry: string;
  readonly tone: "danger" | "plain";
}

/** Explains a run that did not complete; returns `undefined` if it completed or still runs. */
export function failureAdvice(
  phase: RunPhase,
  error: ChainError | null,
): FailureAdvice | undefined {
  const failures: { readonly [code: string]: Pick<FailureAdvice, "title" | "advice"> } =
    chatTexts.failures;
  const known =
    error !== null && Object.hasOwn(failures, error.code) ? failures[error.code] : undefined;
  switch (phase) {
    case "queued":
    case "running":
    case "waiting":
    case "completed":
      return undefined;
    case "aborted":
      return { ...chatTexts.stopped, retry: chatTexts.continue, tone: "plain" };
    case "interrupted":
    case "error":
    case "timeout": {
      return {
        ...(known ?? fallbacks[phase]()),
        retry: phase === "timeout" ? chatTexts.continue : chatTexts.retry,
        tone: "danger",
      };
    }
  }
}

const fallbacks = {
  interrupted: () => chatTexts.interrupted,
  error: () => chatTexts.failed,
  timeout: () => chatTexts.tookTooLong,
};
