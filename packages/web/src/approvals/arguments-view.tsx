import { createSignal, For, Show } from "solid-js";
import { formatCount } from "../format/count.ts";
import type { Arguments } from "../run/run-event.ts";

/** Characters and lines of a value that are shown before it is folded. */
const foldAt = { characters: 400, lines: 8 };

/** A call's arguments by name, as they will run; long ones fold. */
export function ArgumentsView(props: { readonly args: Arguments }) {
  const entries = () => Object.entries(props.args);
  return (
    <Show when={entries().length > 0} fallback={<p class="dim">It takes no arguments here.</p>}>
      <dl class="arguments" data-testid="approval-args">
        <For each={entries()}>
          {([name, value]) => (
            <>
              <dt>{name}</dt>
              <dd>
                <FoldableText
                  text={typeof value === "string" ? value : JSON.stringify(value, null, 2)}
                />
              </dd>
            </>
          )}
        </For>
      </dl>
    </Show>
  );
}

function FoldableText(props: { readonly text: string }) {
  const [isWhole, setWhole] = createSignal(false);
  const head = () => props.text.split("\n", foldAt.lines).join("\n").slice(0, foldAt.characters);
  const isLong = () => head().length < props.text.length;
  return (
    <>
      <span class="argument-text breaks">{isWhole() || !isLong() ? props.text : `${head()}…`}</span>
      <Show when={isLong()}>
        <button
          type="button"
          class="link-button"
          aria-expanded={isWhole()}
          onClick={() => setWhole(!isWhole())}
        >
          {isWhole() ? "Fold" : `Show all ${formatCount(props.text.length)} characters`}
        </button>
      </Show>
    </>
  );
}
