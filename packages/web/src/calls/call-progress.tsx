import { createMemo, Show } from "solid-js";
import type { CallState } from "../run/call-state.ts";
import { ContentParts } from "../shell/content-parts.tsx";
import { VisibleText } from "../shell/visible-text.tsx";
import { notePicture } from "./note-picture.ts";

/** Characters of live output that a row shows; its details show more. */
const shownTail = 2_000;

/** How far a running call is, and what it says. */
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

  // The one that is being made, as far as it is.
  const picture = createMemo(() => {
    if (!props.isRunning) return null;
    const last = props.call.notes.findLast(({ data }) => notePicture(data) !== null);
    return last === undefined ? null : notePicture(last.data);
  });

  return (
    <>
      <Show when={picture()}>{(part) => <ContentParts parts={[part()]} />}</Show>
      <Show when={progress()}>
        {(now) => (
          <div class="call-progress row soft" data-testid="call-progress">
            <Show when={share() !== undefined}>
              <progress value={share()} max="1" aria-label="Progress" />
            </Show>
            <span>
              {now().message ?? ""}{" "}
              {now().total !== undefined ? `${now().done ?? 0} of ${now().total}` : ""}
            </span>
          </div>
        )}
      </Show>
      <Show when={output() !== ""}>
        <pre class="call-live breaks" data-testid="call-output" aria-label="Output so far">
          <VisibleText text={output()} />
        </pre>
      </Show>
    </>
  );
}
