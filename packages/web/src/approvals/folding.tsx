import { firstParts, type VisiblePart } from "@capstan/core/text";
import { type Accessor, createMemo, createSignal, Show } from "solid-js";
import { AnswerButton } from "./answer-button.tsx";
import { lockAnswers } from "./answer-lock.ts";
import { VisibleParts } from "../shell/visible-text.tsx";

/** What is shown of a text before it is unfolded. */
const foldAt = { lines: 8, characters: 400 };

export interface Folding {
  /** Whether something is not shown: what cannot be seen cannot be allowed. */
  readonly isFolded: Accessor<boolean>;
  readonly isWhole: Accessor<boolean>;
  /** Shows all of it, from now on. */
  readonly unfold: () => void;
}

/** Folds the long texts of a card, all of them or none. */
export function createFolding(texts: Accessor<readonly (readonly VisiblePart[])[]>): Folding {
  const [isWhole, setWhole] = createSignal(false);
  const hasLong = createMemo(() => texts().some((parts) => firstParts(parts, foldAt).left > 0));
  return {
    isWhole,
    isFolded: () => !isWhole() && hasLong(),
    unfold() {
      // The key or the click that unfolds must not answer what has just appeared.
      lockAnswers();
      setWhole(true);
    },
  };
}

/** A text as it is, or its beginning where it is long and its card is folded. */
export function FoldableText(props: {
  readonly parts: readonly VisiblePart[];
  readonly isWhole: boolean;
}) {
  const first = createMemo(() => firstParts(props.parts, foldAt));
  return (
    <Show when={!props.isWhole && first().left > 0} fallback={<VisibleParts parts={props.parts} />}>
      <VisibleParts parts={first().parts} />
      <span class="folded" data-testid="folded">
        … {first().left.toLocaleString()} more characters
      </span>
    </Show>
  );
}

/** The button of a folded card that shows all of it, and says why nothing can be allowed yet. */
export function ShowAll(props: {
  readonly folding: Pick<Folding, "isFolded" | "unfold">;
  readonly hasKeys: Accessor<boolean>;
  readonly testId: string;
  /** What can be done afterwards. @default "allow it" */
  readonly then?: string;
  readonly isBusy?: boolean;
}) {
  return (
    <Show when={props.folding.isFolded()}>
      <div class="show-all flow">
        <AnswerButton
          letter="V"
          class=""
          testId={props.testId}
          isDisabled={props.isBusy === true}
          hasKeys={props.hasKeys}
          onClick={() => props.folding.unfold()}
        >
          Show all of it
        </AnswerButton>
        <span class="soft">You can {props.then ?? "allow it"} when all of it was shown.</span>
      </div>
    </Show>
  );
}
