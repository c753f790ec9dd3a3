import { Show } from "solid-js";
import { answerOf } from "../run/answer.ts";
import { hasEnded } from "../run/run-state.ts";
import { IconButton } from "../shell/button.tsx";
import { CopyButton } from "../shell/copy-button.tsx";
import { useApp } from "../state/app-state.ts";
import type { LiveRun } from "../state/live-run.ts";
import { chatTexts } from "../texts/chat.ts";
import type { Turn } from "./group-turns.ts";
import { canRepeat, repeatMessage } from "./repeat-message.ts";
import { TurnStats } from "./turn-stats.tsx";

interface TurnFootProps {
  readonly run: LiveRun;
  readonly turn: Turn<LiveRun>;
  /** Whether the run is the last one of its turn. */
  readonly isLast: boolean;
}

/** The end of an answer: its statistics, and buttons to copy it and to ask again. */
export function TurnFoot(props: TurnFootProps) {
  const app = useApp();
  const hasRunEnded = () => hasEnded(props.run.state().phase);
  const mayRepeat = () => props.isLast && hasRunEnded() && canRepeat(app, props.turn);
  return (
    <div class="turn-foot flow">
      <Show when={hasRunEnded() && answerOf(props.run.state())}>
        {(text) => <CopyButton text={text()} label={chatTexts.copyAnswer} />}
      </Show>
      <Show when={mayRepeat()}>
        <IconButton
          look="small"
          icon="retry"
          size={15}
          label={chatTexts.repeat}
          title={chatTexts.repeatTitle}
          data-testid="regenerate"
          onClick={() => void repeatMessage(app, props.turn)}
        />
      </Show>
      <TurnStats state={props.run.state()} model={props.run.view.model} />
    </div>
  );
}
