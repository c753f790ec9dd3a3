import { hasEnded, type RunState } from "./run-state.ts";

/** What a reader of an answer must know of it: that a limit or a filter ended it. In words. */
export function endedEarly({ limit, finishReason, phase }: RunState): readonly string[] {
  const notices: string[] = [];
  if (limit !== null) notices.push(`${limit} The model was asked to answer without more tools.`);
  if (hasEnded(phase) && finishReason === "length")
    notices.push("The model's limit of tokens ended the answer.");
  if (hasEnded(phase) && finishReason === "content_filter")
    notices.push("The provider's content filter ended the answer.");
  return notices;
}
