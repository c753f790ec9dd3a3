import { createMemo, For, Show } from "solid-js";
import { type DiffLine, lineDiff } from "./line-diff.ts";
import { plural } from "../../texts/count.ts";
import { VisibleText } from "../../shell/visible-text.tsx";

const signs = { same: " ", removed: "−", added: "+" } as const;
const words = { same: "", removed: "Removed: ", added: "Added: " } as const;

/** What changed between two texts, line by line. */
export function DiffView(props: {
  readonly label: string;
  readonly before: string;
  readonly after: string;
}) {
  const lines = createMemo(() => lineDiff(props.before, props.after));
  return (
    <Show when={lines().length > 0} fallback={<p class="empty">Both are the same.</p>}>
      <div class="diff" role="group" aria-label={props.label} tabindex="0" data-testid="diff">
        <For each={lines()}>{(line) => <DiffRow line={line} />}</For>
      </div>
    </Show>
  );
}

function DiffRow(props: { readonly line: DiffLine }) {
  const { line } = props;
  if (line.type === "skipped")
    return <div class="diff-line skipped">… {plural(line.count, "line")} that are the same</div>;
  return (
    <div class={`diff-line ${line.type}`}>
      <span class="diff-number">{line.type === "removed" ? line.before : line.after}</span>
      <span class="diff-sign" aria-hidden="true">
        {signs[line.type]}
      </span>
      <span class="visually-hidden">{words[line.type]}</span>
      <code>
        <VisibleText text={line.text} />
      </code>
    </div>
  );
}
