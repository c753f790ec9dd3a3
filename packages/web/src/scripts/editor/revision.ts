import { createSignal, type Accessor } from "solid-js";

/** A number that grows whenever something may have changed. */
export function createRevision(): { readonly value: Accessor<number>; readonly next: () => void } {
  const [value, setValue] = createSignal(0);
  return { value, next: () => void setValue((count) => count + 1) };
}
