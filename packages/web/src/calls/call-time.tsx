import { Show } from "solid-js";
import { formatDuration, formatElapsed } from "../format/duration.ts";
import type { CallState } from "../run/call-state.ts";
import { createTickingClock } from "../state/ticking-clock.ts";
import { callsTexts } from "../texts/calls.ts";

/** The time that a call took or has been running. Waiting for approval does not count. */
export function CallTime(props: { readonly call: CallState; readonly isRunning: boolean }) {
  const now = createTickingClock(() => props.isRunning);
  const text = () => {
    const { result, startedAt } = props.call;
    if (result !== null) {
      // The server stopped before the call ended.
      if (props.call.status === "outcome_unknown") return callsTexts.unknownTime;
      return startedAt === null ? null : formatDuration(result.durationMs);
    }
    return props.isRunning && startedAt !== null ? formatElapsed(now() - startedAt) : null;
  };
  return (
    <Show when={text()}>
      {(shown) => (
        <span
          class="call-time faint"
          title={props.call.status === "outcome_unknown" ? callsTexts.unknownEnd : undefined}
          data-testid="call-time"
        >
          {shown()}
        </span>
      )}
    </Show>
  );
}
