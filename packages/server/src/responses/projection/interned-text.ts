import { detached } from "@capstan/core/host";

/** A text that is interned as long as it is referenced. */
export interface InternedText {
  readonly text: string;
}

/** Below this length, in UTF-16 units, a copy costs less than the lookup. */
const minLength = 1_024;

const held = new Map<string, WeakRef<InternedText>>();
const released = new FinalizationRegistry<string>((text) => {
  if (held.get(text)?.deref() === undefined) held.delete(text);
});

/** Returns the one copy of the text that all its readers share. */
export function internText(text: string): InternedText {
  if (text.length < minLength) return { text };
  const known = held.get(text)?.deref();
  if (known !== undefined) return known;
  const shared = { text: detached(text) };
  held.set(shared.text, new WeakRef(shared));
  released.register(shared, shared.text);
  return shared;
}
