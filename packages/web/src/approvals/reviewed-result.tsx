import type { ResultApprovalView } from "@capstan/contract";
import type { VisiblePart } from "@capstan/core/text";
import { createMemo, For, Show } from "solid-js";
import { ContentParts } from "../shell/content-parts.tsx";

import { FoldableText } from "./folding.tsx";
import { approvalsTexts } from "../texts/approvals.ts";

/** A result in full, and the text that the model would see. */
export function ReviewedResultView(props: {
  readonly review: ResultApprovalView;
  /** The loaded text, and the text for the model if it differs. */
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
        aria-label={approvalsTexts.review.result}
        data-review-text
        data-testid="review-text"
      >
        <FoldableText parts={props.text} isWhole={props.isWhole} />
      </pre>
      <ContentParts
        parts={parts().filter((part) => part.type !== "omitted")}
        tool={props.review.toolName}
      />
      <For each={parts().filter((part) => part.type === "omitted")}>
        {(part) => (
          <p class="review-note">
            {approvalsTexts.review.omitted(part.of, part.bytes, part.mimeType)}
          </p>
        )}
      </For>
      <Show
        when={props.forModel}
        fallback={<p class="review-note">{approvalsTexts.review.allForModel}</p>}
      >
        {(forModel) => (
          <>
            <p class="review-note">
              {approvalsTexts.review.partForModel(shown().length)}
              <Show when={shown().length < total()}> {approvalsTexts.review.restForModel}</Show>
            </p>
            <pre
              class="value whole"
              tabindex="0"
              aria-label={approvalsTexts.review.forModel}
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
