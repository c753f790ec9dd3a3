import { createEffect, createSignal, type Accessor } from "solid-js";

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

/** `system`: the page follows the system. */
export type Theme = "system" | "light" | "dark";

/** Creates the state of the page's colors, which this browser stores. */
export function createTheme() {
  const [stored, store] = createPreference("theme");
  const chosen = (): Theme => {
    const value = stored();
    return value === "light" || value === "dark" ? value : "system";
  };
  createEffect(() => {
    const wanted = chosen();
    if (wanted === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = wanted;
  });
  return { chosen, choose: (theme: Theme) => store(theme === "system" ? null : theme) };
}
