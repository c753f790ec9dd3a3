import { For, Show } from "solid-js";
import { formatCount, plural } from "../format/count.ts";
import { formatDuration, formatElapsed } from "../format/duration.ts";
import { hasEnded, type RunState } from "../run/run-state.ts";
import { runDuration, runTotals } from "../run/run-totals.ts";
import { createTickingClock } from "../state/ticking-clock.ts";

/** A turn's time and tokens, on one line. */
export function TurnStats(props: { readonly state: RunState }) {
  const isRunning = () => !hasEnded(props.state.phase);
  const now = createTickingClock(() => isRunning() && props.state.phase !== "waiting");
  const time = () => {
    const duration = runDuration(props.state, now());
    if (duration === null) return null;
    return isRunning() ? formatElapsed(duration) : formatDuration(duration);
  };
  const facts = () => {
    const totals = runTotals(props.state);
    const { usage } = props.state;
    const found: string[] = [];
    if (totals.calls > 0) {
      found.push(`${plural(totals.rounds, "round")}, ${plural(totals.calls, "call")}`);
      found.push(
        `results: ${formatCount(totals.tokensShown)} tokens shown, ${formatCount(totals.tokensWithheld)} withheld`,
      );
    }
    if (usage !== null && usage.inputTokens + usage.outputTokens > 0) {
      const cached = usage.cachedInputTokens
        ? ` (${formatCount(usage.cachedInputTokens)} cached)`
        : "";
      found.push(
        `model: ${formatCount(usage.inputTokens)} tokens in${cached}, ${formatCount(usage.outputTokens)} out`,
      );
    }
    return found;
  };

  return (
    <Show when={time()}>
      {(shown) => (
        <p
          class="turn-numbers flow faint"
          title="Time without waiting for people. Results: what the model was shown, and what was kept from it as variables. Model: as the provider counted."
          data-testid="turn-numbers"
        >
          <span class="number-time" data-testid="turn-time">
            {shown()}
          </span>
          <For each={facts()}>{(fact) => <span>{fact}</span>}</For>
        </p>
      )}
    </Show>
  );
}
