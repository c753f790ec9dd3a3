import { type VisibleArgument, visibleArguments } from "@capstan/core/text";
import { createMemo, For, Show } from "solid-js";
import type { Arguments } from "../run/run-event.ts";
import { VisibleParts } from "../shell/visible-text.tsx";
import { FoldableText } from "./folding.tsx";
import { approvalsTexts } from "../texts/approvals.ts";

/** The arguments of a call by name, exactly as the tool will receive them. */
export function ArgumentsView(props: {
  readonly args: readonly VisibleArgument[];
  /** Whether long arguments are shown in full. */
  readonly isWhole: boolean;
}) {
  return (
    <Show
      when={props.args.length > 0}
      fallback={<p class="dim">{approvalsTexts.card.noArguments}</p>}
    >
      <dl class="arguments" data-testid="approval-args">
        <For each={props.args}>
          {({ name, value, isEffect }) => (
            <>
              <dt>
                <VisibleParts parts={name} />
              </dt>
              <dd
                class="argument-text breaks"
                data-argument={name.map(({ text }) => text).join("")}
              >
                <FoldableText parts={value} isWhole={props.isWhole} isEffect={isEffect} />
              </dd>
            </>
          )}
        </For>
      </dl>
    </Show>
  );
}

/** The arguments in full, for use outside an approval card. */
export function WholeArguments(props: { readonly args: Arguments }) {
  const args = createMemo(() => visibleArguments(props.args));
  return <ArgumentsView args={args()} isWhole />;
}
