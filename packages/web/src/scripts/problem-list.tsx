import type { ScriptProblemView } from "@capstan/contract";
import { For, Show } from "solid-js";
import { Icon } from "../shell/icon.tsx";

/** What is wrong with a file; one with a line leads there. */
export function ProblemList(props: {
  readonly problems: readonly ScriptProblemView[];
  readonly onGoTo: (place: { readonly line: number; readonly column: number }) => void;
}) {
  return (
    <ul class="problems" aria-label="What is wrong" data-testid="problems">
      <For each={props.problems}>
        {(problem) => (
          <li class={`problem ${problem.severity}`} data-testid="problem">
            <Icon name={problem.severity === "error" ? "cross" : "alert"} size={16} />
            <span class="visually-hidden">
              {problem.severity === "error" ? "Error: " : "Warning: "}
            </span>
            <Show when={problem.line} fallback={<span>{problem.message}</span>}>
              {(line) => (
                <button
                  type="button"
                  class="problem-place bare"
                  onClick={() => props.onGoTo({ line: line(), column: problem.column ?? 1 })}
                >
                  <span class="problem-line">Line {line()}</span> {problem.message}
                </button>
              )}
            </Show>
          </li>
        )}
      </For>
    </ul>
  );
}
