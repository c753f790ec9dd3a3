import { createSignal } from "solid-js";
import { copyText } from "./copy-text.ts";
import { Icon } from "./icon.tsx";

export interface CopyButtonProps {
  readonly text: string;
  /** For those who do not see the sign. */
  readonly label: string;
  /** Words beside the sign. */
  readonly children?: string;
}

/** Copies a text, and says so for a moment. */
export function CopyButton(props: CopyButtonProps) {
  const [state, setState] = createSignal<"idle" | "copied" | "failed">("idle");
  const copy = async () => {
    setState((await copyText(props.text)) ? "copied" : "failed");
    setTimeout(() => setState("idle"), 1600);
  };
  const word = () =>
    ({ idle: props.children ?? "", copied: "Copied", failed: "Not copied" })[state()];
  return (
    <button
      type="button"
      class="icon-button small with-word"
      aria-label={props.label}
      title={props.label}
      data-testid="copy"
      onClick={() => void copy()}
    >
      <Icon name={state() === "copied" ? "check" : "copy"} size={15} />
      <span>{word()}</span>
    </button>
  );
}
