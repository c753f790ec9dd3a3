import type { VisiblePart } from "@capstan/core/text";
import { createMemo, For } from "solid-js";
import { VisibleParts } from "./visible-text.tsx";
import "./visible-diff.css";

/** Shows a unified diff with its added and removed lines in colour. */
export function VisibleDiff(props: { readonly parts: readonly VisiblePart[] }) {
  const lines = createMemo(() => linesOf(props.parts));
  return (
    <For each={lines()}>
      {(line, index) => (
        <>
          {index() === 0 ? "" : "\n"}
          <span class={`diff-text ${kindOf(line)}`}>
            <VisibleParts parts={line} />
          </span>
        </>
      )}
    </For>
  );
}

function linesOf(parts: readonly VisiblePart[]): readonly (readonly VisiblePart[])[] {
  const lines: VisiblePart[][] = [[]];
  for (const part of parts) {
    if (part.type === "mark") {
      lines.at(-1)?.push(part);
      continue;
    }
    for (const [index, text] of part.text.split("\n").entries()) {
      if (index > 0) lines.push([]);
      if (text !== "") lines.at(-1)?.push({ type: "text", text });
    }
  }
  return lines;
}

function kindOf([first]: readonly VisiblePart[]): "added" | "removed" | "place" | "same" {
  if (first?.type !== "text") return "same";
  if (first.text.startsWith("@@")) return "place";
  return first.text.startsWith("+") ? "added" : first.text.startsWith("-") ? "removed" : "same";
}
