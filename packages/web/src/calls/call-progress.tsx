import { createMemo, Show } from "solid-js";
import type { CallState } from "../run/call-state.ts";
import { ContentParts } from "../shell/content-parts.tsx";
import { VisibleText } from "../shell/visible-text.tsx";
import { notePicture } from "./note-picture.ts";
import { callsTexts } from "../texts/calls.ts";

/** The maximum number of characters of live output in a row; the details show more. */
const shownTail = 2_000;

/** The progress and the live output of a running call. */
export function CallProgress(props: { readonly call: CallState; readonly isRunning: boolean }) {
  const progress = () => (props.isRunning ? props.call.progress : null);
  const share = () => {
    const now = progress();
    if (now?.done === undefined || !now.total) return undefined;
    return Math.min(1, Math.max(0, now.done / now.total));
  };
  const output = createMemo(() => {
    if (!props.isRunning) return "";
    return props.call.outputs
      .map(({ text }) => text)
      .join("")
      .slice(-shownTail);
  });

  // The newest picture, for example an intermediate version of a generated image.
  const picture = createMemo(() => {
    if (!props.isRunning) return null;
    const last = props.call.notes.findLast(({ data }) => notePicture(data) !== null);
    return last === undefined ? null : notePicture(last.data);
  });

  return (
    <>
      <Show when={picture()}>
        {(part) => <ContentParts parts={[part()]} tool={props.call.name} />}
      </Show>
      <Show when={progress()}>
        {(now) => (
          <div class="call-progress row soft" data-testid="call-progress">
            <Show when={share() !== undefined}>
              <progress value={share()} max="1" aria-label={callsTexts.progress} />
            </Show>
            <span>{callsTexts.progressOf(now())}</span>
          </div>
        )}
      </Show>
      <Show when={output() !== ""}>
        <pre class="call-live breaks" data-testid="call-output" aria-label={callsTexts.outputSoFar}>
          <VisibleText text={output()} />
        </pre>
      </Show>
    </>
  );
}
