import { For, Show } from "solid-js";

import { formatDuration, formatElapsed } from "../format/duration.ts";
import { hasEnded, type RunState } from "../run/run-state.ts";
import { runDuration, runTotals } from "../run/run-totals.ts";
import { useApp } from "../state/app-state.ts";
import { createTickingClock } from "../state/ticking-clock.ts";
import { chatTexts } from "../texts/chat.ts";
import { formatCost } from "../texts/numbers/count.ts";

interface TurnStatsProps {
  readonly state: RunState;
  readonly model: string;
}

/** A turn's model, time, tokens and cost, on one line. */
export function TurnStats(props: TurnStatsProps) {
  const app = useApp();
  const isRunning = () => !hasEnded(props.state.phase);
  const now = createTickingClock(() => isRunning() && props.state.phase !== "waiting");
  const time = () => {
    const duration = runDuration(props.state, now());
    if (duration === null) return null;
    return isRunning() ? formatElapsed(duration) : formatDuration(duration);
  };
  const facts = () => {
    const totals = runTotals(props.state);
    const { usage, stats } = props.state;
    const found: string[] = [];
    if (app.isExpert() && totals.calls > 0) {
      found.push(chatTexts.stats.calls(totals.rounds, totals.calls));
      found.push(chatTexts.stats.results(totals.tokensShown, totals.tokensWithheld));
    }
    if (app.isExpert() && usage !== null && usage.inputTokens + usage.outputTokens > 0) {
      found.push(
        chatTexts.stats.model(usage.inputTokens, usage.cachedInputTokens, usage.outputTokens),
      );
    }
    const isAsked = usage !== null && usage.inputTokens + usage.outputTokens > 0;
    if (isAsked && stats?.cost !== undefined)
      found.push(chatTexts.stats.cost(formatCost(stats.cost)));
    return found;
  };

  return (
    <Show when={time()}>
      {(shown) => (
        <p
          class="turn-numbers flow faint"
          title={app.isExpert() ? chatTexts.stats.about : chatTexts.stats.aboutTime}
          data-testid="turn-numbers"
        >
          <span class="number-time" data-testid="turn-time">
            {shown()}
          </span>
          <span data-testid="turn-model">{props.model}</span>
          <For each={facts()}>{(fact) => <span>{fact}</span>}</For>
        </p>
      )}
    </Show>
  );
}
