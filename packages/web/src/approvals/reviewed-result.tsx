import type { ResultApprovalView } from "@capstan/contract";
import type { VisiblePart } from "@capstan/core/text";
import { createMemo, For, Show } from "solid-js";
import { ContentParts } from "../shell/content-parts.tsx";
import { formatCount } from "../format/count.ts";
import { FoldableText } from "./folding.tsx";

/** A result as it is, and what of it the model would get. */
export function ReviewedResultView(props: {
  readonly review: ResultApprovalView;
  /** The text as far as it was loaded, and what the model would get where that is another. */
  readonly text: readonly VisiblePart[];
  readonly forModel: readonly VisiblePart[] | undefined;
  readonly isWhole: boolean;
}) {
  const parts = createMemo(() => props.review.result?.parts ?? []);
  const total = () => props.review.result?.total ?? 0;
  const shown = () => props.review.result?.shown ?? "";

  return (
    <div class="review-result">
      <pre
        class="value whole"
        tabindex="0"
        aria-label="The result"
        data-review-text
        data-testid="review-text"
      >
        <FoldableText parts={props.text} isWhole={props.isWhole} />
      </pre>
      <ContentParts parts={parts().filter((part) => part.type !== "omitted")} />
      <For each={parts().filter((part) => part.type === "omitted")}>
        {(part) => (
          <p class="review-note">
            A {part.of} of {formatCount(part.bytes)} bytes ({part.mimeType}) is too large to show.
          </p>
        )}
      </For>
      <Show
        when={props.forModel}
        fallback={<p class="review-note">As it is, the model would get all of it.</p>}
      >
        {(forModel) => (
          <>
            <p class="review-note">
              What the model would get: {formatCount(shown().length)} characters.
              <Show when={shown().length < total()}>
                {" "}
                It can read the rest by the name of the value.
              </Show>
            </p>
            <pre
              class="value whole"
              tabindex="0"
              aria-label="What the model would get"
              data-testid="review-shown"
            >
              <FoldableText parts={forModel()} isWhole={props.isWhole} />
            </pre>
          </>
        )}
      </Show>
    </div>
  );
}
