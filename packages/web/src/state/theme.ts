import { createEffect } from "solid-js";
import { createPreference } from "./preferences.ts";

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
