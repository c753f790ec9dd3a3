import type { RunEvent } from "@capstan/contract";

/**
 * Watches a run for output: text or calls of the model, or a tool that ran. Calls that it took over
 * from an earlier run do not count until they run. A run without output can be repeated safely.
 */
export function watchOutput(): {
  push(event: RunEvent): void;
  readonly hasOutput: () => boolean;
} {
  let hasBegun = false;
  let hasOutput = false;
  return {
    push({ type }) {
      if (type === "round.started") hasBegun = true;
      hasOutput ||=
        type === "item.start" || type === "call.started" || (hasBegun && type === "call.proposed");
    },
    hasOutput: () => hasOutput,
  };
}
