import { createSignal } from "solid-js";
import { copyText } from "./copy-text.ts";
import { Icon } from "./icon.tsx";
import { shellTexts } from "../texts/shell.ts";

interface CopyButtonProps {
  /** The text, or a function that loads it. */
  readonly text: string | (() => Promise<string>);
  /** The label for screen readers. */
  readonly label: string;
}

const words = {
  idle: () => "",
  copied: () => shellTexts.copied,
  failed: () => shellTexts.notCopied,
} as const;

/** A button that copies a text and shows the outcome for a moment. */
export function CopyButton(props: CopyButtonProps) {
  const [state, setState] = createSignal<keyof typeof words>("idle");
  const copy = async () => {
    const text = await textOf(props.text);
    setState(text !== undefined && (await copyText(text)) ? "copied" : "failed");
    setTimeout(() => setState("idle"), 1600);
  };
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
      <span>{words[state()]()}</span>
    </button>
  );
}

/** Returns the text to copy, or `undefined` if it cannot be loaded. */
async function textOf(text: CopyButtonProps["text"]): Promise<string | undefined> {
  return typeof text === "string" ? text : text().catch(() => undefined);
}
