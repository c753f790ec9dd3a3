import type { Accessor, JSX } from "solid-js";

/** A button of a card. It shows its key if the keys apply to that card. */
export function AnswerButton(props: {
  /** Pressed with Alt. */
  readonly letter: string;
  readonly hasKeys: Accessor<boolean>;
  readonly class: string;
  readonly testId: string;
  readonly isDisabled: boolean;
  readonly isPressed?: boolean;
  /** @default "button" */
  readonly type?: "button" | "submit";
  readonly ref?: (element: HTMLButtonElement) => void;
  readonly onClick?: () => void;
  readonly children: JSX.Element;
}) {
  return (
    <button
      ref={(element) => props.ref?.(element)}
      type={props.type ?? "button"}
      class={`button ${props.class}`.trim()}
      aria-pressed={props.isPressed}
      disabled={props.isDisabled}
      aria-keyshortcuts={props.hasKeys() ? `Alt+${props.letter}` : undefined}
      data-testid={props.testId}
      data-key={`Key${props.letter}`}
      onClick={() => props.onClick?.()}
    >
      {props.children}{" "}
      <kbd class="key" classList={{ elsewhere: !props.hasKeys() }} aria-hidden="true">
        Alt {props.letter}
      </kbd>
    </button>
  );
}
