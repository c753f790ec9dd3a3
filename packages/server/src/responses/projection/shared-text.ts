import { detached } from "@capstan/core/host";

/** A text as long as somebody holds it. */
export interface SharedText {
  readonly text: string;
}

/** What is shorter costs less than to look for it, in UTF-16 units. */
const leastLength = 1_024;

const held = new Map<string, WeakRef<SharedText>>();
const released = new FinalizationRegistry<string>((text) => {
  if (held.get(text)?.deref() === undefined) held.delete(text);
});

/** The text as whoever holds the same holds it: of readers of one run each would have its own. */
export function sharedText(text: string): SharedText {
  if (text.length < leastLength) return { text };
  const known = held.get(text)?.deref();
  if (known !== undefined) return known;
  const shared = { text: detached(text) };
  held.set(shared.text, new WeakRef(shared));
  released.register(shared, shared.text);
  return shared;
}
