import { createMemo, For, Index, Match, Show, Switch } from "solid-js";
import { endedEarly } from "../run/run-totals.ts";
import { hasEnded } from "../run/run-state.ts";
import { AddedMessages } from "./added-messages.tsx";
import type { Turn } from "./group-turns.ts";
import type { SendingMessage } from "../state/chat.ts";
import type { LiveRun } from "../state/live-run.ts";
import { RunFailure } from "./run-failure.tsx";
import { TurnFoot } from "./turn-foot.tsx";
import { MessageContent, UserMessage } from "./user-message.tsx";
import { CallRow } from "../calls/call-row.tsx";
import { Markdown } from "../markdown/markdown.tsx";
import { type Segment, segmentsOf } from "../run/segments.ts";
import { callsTexts } from "../texts/calls.ts";
import { chatTexts } from "../texts/chat.ts";

/** A turn: a user message and its runs. */
export function TurnView(props: { readonly turn: Turn<LiveRun> }) {
  return (
    <article class="turn stack" id={turnId(props.turn.id)} data-testid="turn">
      <Show when={!props.turn.isAdded} fallback={<AddedTurn turn={props.turn} />}>
        <UserMessage turn={props.turn} />
        <Index each={props.turn.runs}>
          {(run, index) => (
            <RunView run={run()} turn={props.turn} isLast={index === props.turn.runs.length - 1} />
          )}
        </Index>
      </Show>
    </article>
  );
}

function AddedTurn(props: { readonly turn: Turn<LiveRun> }) {
  return <For each={props.turn.runs}>{(run) => <AddedMessages run={run} />}</For>;
}

/** The id of a turn's element. */
export function turnId(run: string): string {
  return `turn-${run}`;
}

/** A message that is being sent to the server. */
export function SendingTurn(props: { readonly message: SendingMessage }) {
  // Pictures are shown when the message has arrived.
  const files = () => props.message.files.map(({ name }) => ({ id: null, name, isImage: false }));
  return (
    <article class="turn stack" aria-busy="true">
      <MessageContent text={props.message.text} files={files()} />
      <p class="thinking row dim">
        <span class="spinner" /> {chatTexts.turn.sending}
      </p>
    </article>
  );
}

interface RunViewProps {
  readonly run: LiveRun;
  readonly turn: Turn<LiveRun>;
  readonly isLast: boolean;
}

function RunView(props: RunViewProps) {
  const state = () => props.run.state();
  const isRunning = () => !hasEnded(state().phase);
  /** Whether the model is working and the page shows no other sign of progress. */
  const isThinking = () => {
    if (!isRunning() || state().phase === "waiting") return false;
    const last = state().blocks.at(-1);
    if (last === undefined) return true;
    if (last.type !== "call") return !last.open;
    return Object.values(state().calls).every((call) => call.phase === "settled");
  };

  return (
    <div class="run stack" data-testid="run" data-phase={state().phase} aria-busy={isRunning()}>
      <RunSegments run={props.run} />
      <Show when={state().retry}>
        {(retry) => (
          <p class="notice" role="status" data-testid="model-retry">
            <span class="spinner" />{" "}
            {chatTexts.turn.retry(
              retry().reason,
              retry().attempt + 1,
              Math.ceil(retry().delayMs / 1000),
            )}
          </p>
        )}
      </Show>
      <Show when={isThinking() && state().retry === null}>
        <p class="thinking row dim" data-testid="thinking">
          <span class="wave" aria-hidden="true">
            <i />
            <i />
            <i />
          </span>
          <span class="visually-hidden">{chatTexts.turn.thinking}</span>
        </p>
      </Show>
      <Show when={props.run.stream() === "gone" && isRunning()}>
        <p class="notice danger" role="alert">
          {chatTexts.turn.gone}
        </p>
      </Show>
      <For each={endedEarly(state())}>
        {(notice) => (
          <p class="notice" role="status" data-testid="ended-early">
            {notice}
          </p>
        )}
      </For>
      <RunFailure run={props.run} canRetry={props.isLast} />
      <TurnFoot {...props} />
    </div>
  );
}

/** The model's text and its calls, in the order in which they arrived. */
function RunSegments(props: { readonly run: LiveRun }) {
  const segments = createMemo(() => segmentsOf(props.run.state().blocks));
  return (
    <Index each={segments()}>
      {(segment) => <SegmentView run={props.run} segment={segment()} />}
    </Index>
  );
}

function SegmentView(props: { readonly run: LiveRun; readonly segment: Segment }) {
  const block = () => (props.segment.type === "calls" ? null : props.segment.block);
  const ids = () => (props.segment.type === "calls" ? props.segment.ids : []);
  const text = () => block()?.text ?? "";
  const isOver = () => hasEnded(props.run.state().phase);
  const open = () => !isOver() && block()?.open === true;
  const isCut = () => block()?.incomplete === true || (isOver() && block()?.open === true);

  return (
    <Switch>
      <Match when={props.segment.type === "text"}>
        <div class="answer" data-testid="answer">
          <Markdown text={text()} open={open()} />
          {isCut() ? <p class="cut-off">{chatTexts.turn.cutOff}</p> : null}
        </div>
      </Match>
      <Match when={props.segment.type === "reasoning"}>
        <details class="aside-text dim" data-testid="reasoning">
          <summary>{open() ? chatTexts.turn.reasoningOpen : chatTexts.turn.reasoning}</summary>
          <Markdown text={text()} open={open()} />
        </details>
      </Match>
      <Match when={props.segment.type === "void"}>
        <details class="aside-text dim" data-testid="void-text">
          <summary>{chatTexts.turn.restarted}</summary>
          <Markdown text={text()} />
        </details>
      </Match>
      <Match when={props.segment.type === "calls"}>
        <ol class="calls" aria-label={callsTexts.list}>
          <Index each={ids()}>{(id) => <CallRow run={props.run} callId={id()} />}</Index>
        </ol>
      </Match>
    </Switch>
  );
}
