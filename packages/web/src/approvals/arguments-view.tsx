import { type VisibleArgument, visibleArguments } from "@capstan/core/text";
import { createMemo, For, Show } from "solid-js";
import type { Arguments } from "../run/run-event.ts";
import { VisibleParts } from "../shell/visible-text.tsx";
import { FoldableText } from "./folding.tsx";

/** A call's arguments by name, as they will run. */
export function ArgumentsView(props: {
  readonly args: readonly VisibleArgument[];
  /** Whether long ones are shown to their end. */
  readonly isWhole: boolean;
}) {
  return (
    <Show when={props.args.length > 0} fallback={<p class="dim">It takes no arguments here.</p>}>
      <dl class="arguments" data-testid="approval-args">
        <For each={props.args}>
          {({ name, value }) => (
            <>
              <dt>
                <VisibleParts parts={name} />
              </dt>
              <dd
                class="argument-text breaks"
                data-argument={name.map(({ text }) => text).join("")}
              >
                <FoldableText parts={value} isWhole={props.isWhole} />
              </dd>
            </>
          )}
        </For>
      </dl>
    </Show>
  );
}

/** The same where nothing is asked. */
export function WholeArguments(props: { readonly args: Arguments }) {
  const args = createMemo(() => visibleArguments(props.args));
  return <ArgumentsView args={args()} isWhole />;
}
