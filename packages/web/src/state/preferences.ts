import { createEffect, createSignal, type Accessor } from "solid-js";
import { chooseLanguage } from "../texts/languages/choose-language.ts";
import { settingsTexts } from "../texts/settings.ts";
import { attempt } from "./toasts.ts";

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

const [language, storeLanguage] = createPreference("language");

/** The languages that the user prefers: the chosen one, then those of the browser. */
function wanted(chosen: string | null): readonly string[] {
  return chosen === null ? navigator.languages : [chosen, ...navigator.languages];
}

/** Shows the page in the user's language. If its texts cannot be loaded, the page is in English. */
export async function showStoredLanguage(): Promise<void> {
  await chooseLanguage(wanted(language())).catch(() => undefined);
}

/** Creates the state of the page's language, which this browser stores. */
export function createLanguageChoice() {
  return {
    /** The tag of the chosen language; null follows the browser. */
    chosen: language,
    choose: async (tag: string | null) => {
      if (await attempt(settingsTexts.general.languageNotLoaded, () => chooseLanguage(wanted(tag))))
        storeLanguage(tag);
    },
  };
}
