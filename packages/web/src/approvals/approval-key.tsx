import type { Accessor } from "solid-js";

/** The key of a button, shown on the card that the keys answer. */
export function ApprovalKey(props: { readonly letter: string; readonly works: Accessor<boolean> }) {
  return (
    <kbd class="key" classList={{ elsewhere: !props.works() }} aria-hidden="true">
      Alt {props.letter}
    </kbd>
  );
}
