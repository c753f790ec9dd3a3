import { createMemo, Index, Match, Switch } from "solid-js";
import { CallRow } from "../calls/call-row.tsx";
import { Markdown } from "../markdown/markdown.tsx";
import { segmentsOf, type Segment } from "../run/segments.ts";
import { hasEnded } from "../run/run-state.ts";
import type { LiveRun } from "../state/live-run.ts";

/** The model's words and its calls, in the order in which they came. */
export function RunSegments(props: { readonly run: LiveRun }) {
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
          {isCut() ? <p class="cut-off">The answer was cut off here.</p> : null}
        </div>
      </Match>
      <Match when={props.segment.type === "reasoning"}>
        <details class="aside-text dim" data-testid="reasoning">
          <summary>{open() ? "Thinking…" : "What the model thought"}</summary>
          <Markdown text={text()} open={open()} />
        </details>
      </Match>
      <Match when={props.segment.type === "void"}>
        <details class="aside-text dim" data-testid="void-text">
          <summary>The model was cut off here, and began again</summary>
          <Markdown text={text()} />
        </details>
      </Match>
      <Match when={props.segment.type === "calls"}>
        <ol class="calls" aria-label="Tool calls">
          <Index each={ids()}>{(id) => <CallRow run={props.run} callId={id()} />}</Index>
        </ol>
      </Match>
    </Switch>
  );
}
