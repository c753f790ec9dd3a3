import { firstParts, type VisiblePart } from "@capstan/core/text";
import { type Accessor, createMemo, createSignal, Show } from "solid-js";
import { AnswerButton } from "./answer-button.tsx";
import { lockAnswers } from "./answer-lock.ts";
import { VisibleDiff } from "../shell/visible-diff.tsx";
import { VisibleParts } from "../shell/visible-text.tsx";
import { approvalsTexts } from "../texts/approvals.ts";

/**
 * The maximum numbers of lines and characters that a folded text shows. A folded diff shows more.
 */
const foldAt = { lines: 8, characters: 400 };
const foldDiffAt = { lines: 40, characters: 4_000 };

/** A text that may be folded. */
export interface Foldable {
  readonly value: readonly VisiblePart[];
  readonly isEffect?: true | undefined;
}

function folded({ value, isEffect }: Foldable) {
  return firstParts(value, isEffect === true ? foldDiffAt : foldAt);
}

/** Whether a card folds any of these texts. */
export function isLong(texts: readonly Foldable[]): boolean {
  return texts.some((text) => folded(text).left > 0);
}

export interface Folding {
  /** Whether some text is hidden. The user cannot allow a call before all text was shown. */
  readonly isFolded: Accessor<boolean>;
  readonly isWhole: Accessor<boolean>;
  /** Unfolds all texts of the card. */
  readonly unfold: () => void;
}

/** Folds the long texts of a card. All of them unfold together. */
export function createFolding(texts: Accessor<readonly Foldable[]>): Folding {
  const [isWhole, setWhole] = createSignal(false);
  const hasLong = createMemo(() => isLong(texts()));
  return {
    isWhole,
    isFolded: () => !isWhole() && hasLong(),
    unfold() {
      // The key or click that unfolds a text must not also answer the card.
      lockAnswers();
      setWhole(true);
    },
  };
}

/** Shows a text in full, or only its beginning if it is long and its card is folded. */
export function FoldableText(props: {
  readonly parts: readonly VisiblePart[];
  readonly isWhole: boolean;
  /** Whether it is the effect of a call, for example a diff, whose lines have colours. */
  readonly isEffect?: true | undefined;
}) {
  const View = props.isEffect === true ? VisibleDiff : VisibleParts;
  const first = createMemo(() => folded({ value: props.parts, isEffect: props.isEffect }));
  return (
    <Show when={!props.isWhole && first().left > 0} fallback={<View parts={props.parts} />}>
      <View parts={first().parts} />
      <span class="folded" data-testid="folded">
        {approvalsTexts.folding.more(first().left)}
      </span>
    </Show>
  );
}

/** The button that unfolds a card, and the reason why its buttons are disabled until then. */
export function ShowAll(props: {
  readonly folding: Pick<Folding, "isFolded" | "unfold">;
  readonly hasKeys: Accessor<boolean>;
  readonly testId: string;
  /** The text for the action after unfolding. @default approvalsTexts.folding.allow */
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
          {approvalsTexts.folding.showAll}
        </AnswerButton>
        <span class="soft">
          {approvalsTexts.folding.beforeAnswer(props.then ?? approvalsTexts.folding.allow)}
        </span>
      </div>
    </Show>
  );
}
