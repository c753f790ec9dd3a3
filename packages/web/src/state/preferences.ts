import { createSignal, type Accessor } from "solid-js";

/** Creates a setting that this browser stores. */
export function createPreference(
  key: string,
): readonly [Accessor<string | null>, (value: string | null) => void] {
  const storageKey = `capstan.${key}`;
  const [value, setValue] = createSignal(localStorage.getItem(storageKey));
  return [
    value,
    (next) => {
      if (next === null) localStorage.removeItem(storageKey);
      else localStorage.setItem(storageKey, next);
      setValue(next);
    },
  ];
}
