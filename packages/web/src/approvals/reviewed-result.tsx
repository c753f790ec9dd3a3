import type { ResultApprovalView } from "@capstan/contract";
import { createMemo, createSignal, For, Show } from "solid-js";
import { client } from "../api/client.ts";
import { ContentParts } from "../shell/content-parts.tsx";
import { formatCount } from "../format/count.ts";
import { ErrorText } from "../shell/error-text.tsx";
import { createAction } from "../state/action.ts";

/** A result as it is, and what of it the model would get. A long one comes in pieces. */
export function ReviewedResultView(props: {
  readonly approval: string;
  readonly first: ResultApprovalView;
}) {
  const [more, setMore] = createSignal("");
  const { isBusy, error, run } = createAction();
  const text = () => (props.first.result?.text ?? "") + more();
  const total = () => props.first.result?.total ?? 0;
  const shown = () => props.first.result?.shown ?? "";
  const parts = createMemo(() => props.first.result?.parts ?? []);

  const next = () =>
    run(async () => {
      const piece = await client.review(props.approval, { start: text().length });
      setMore((known) => known + (piece.result?.text ?? ""));
    });

  return (
    <div class="review-result">
      <pre
        class="value"
        tabindex="0"
        aria-label="The result"
        data-review-text
        data-testid="review-text"
      >
        {text()}
      </pre>
      <ContentParts parts={parts().filter((part) => part.type !== "omitted")} />
      <For each={parts().filter((part) => part.type === "omitted")}>
        {(part) => (
          <p class="review-note">
            A {part.of} of {formatCount(part.bytes)} bytes ({part.mimeType}) is too large to show.
          </p>
        )}
      </For>
      <Show when={text().length < total()}>
        <button type="button" class="link-button" disabled={isBusy()} onClick={() => void next()}>
          Show more: {formatCount(text().length)} of {formatCount(total())} characters are here
        </button>
      </Show>
      <ErrorText class="approval-error" message={error()} />
      <Show
        when={shown() !== text() || text().length < total()}
        fallback={<p class="review-note">As it is, the model would get all of it.</p>}
      >
        <details>
          <summary>What the model would get: {formatCount(shown().length)} characters</summary>
          <pre class="value" tabindex="0" data-testid="review-shown">
            {shown()}
          </pre>
        </details>
      </Show>
    </div>
  );
}
