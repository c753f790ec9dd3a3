import { createMemo, For, Show } from "solid-js";
import { type DiffLine, lineDiff } from "./line-diff.ts";

import { VisibleText } from "../../shell/visible-text.tsx";
import { scriptsTexts } from "../../texts/scripts.ts";

const signs = { same: " ", removed: "−", added: "+" } as const;
const wordOf = (type: DiffLine["type"]) =>
  type === "removed" || type === "added" ? scriptsTexts.diff[type] : "";

/** The differences between two texts, line by line. */
export function DiffView(props: {
  readonly label: string;
  readonly before: string;
  readonly after: string;
}) {
  const lines = createMemo(() => lineDiff(props.before, props.after));
  return (
    <Show when={lines().length > 0} fallback={<p class="empty">{scriptsTexts.diff.equal}</p>}>
      <div class="diff" role="group" aria-label={props.label} tabindex="0" data-testid="diff">
        <For each={lines()}>{(line) => <DiffRow line={line} />}</For>
      </div>
    </Show>
  );
}

function DiffRow(props: { readonly line: DiffLine }) {
  const { line } = props;
  if (line.type === "skipped")
    return <div class="diff-line skipped">{scriptsTexts.diff.skipped(line.count)}</div>;
  return (
    <div class={`diff-line ${line.type}`}>
      <span class="diff-number">{line.type === "removed" ? line.before : line.after}</span>
      <span class="diff-sign" aria-hidden="true">
        {signs[line.type]}
      </span>
      <span class="visually-hidden">{wordOf(line.type)}</span>
      <code>
        <VisibleText text={line.text} />
      </code>
    </div>
  );
}
