import { createMemo, For, Show, type Accessor, type JSX } from "solid-js";

/**
 * Renders one child per key, and keeps it while its value changes. Entered text, unfolded parts and
 * the focus survive a reload of the list.
 */
export function KeyedFor<Value extends object>(props: {
  readonly each: readonly Value[];
  readonly by: (value: Value) => string;
  /** Shown if there are none. */
  readonly fallback?: JSX.Element;
  readonly children: (value: Accessor<Value>) => JSX.Element;
}) {
  const values = createMemo(() => new Map(props.each.map((value) => [props.by(value), value])));
  return (
    <For each={[...values().keys()]} fallback={props.fallback}>
      {(key) => <Show when={values().get(key)}>{(value) => props.children(value)}</Show>}
    </For>
  );
}
