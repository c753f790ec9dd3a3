import { createSignal } from "solid-js";
import type { Catalogue } from "./catalogue.ts";

/** The texts of the chosen language; `undefined` for English, whose texts are in the bundle. */
const [catalogue, setCatalogue] = createSignal<Catalogue>();

/** Replaces the texts of the page. `undefined` shows the English ones. */
export const showCatalogue = (next: Catalogue | undefined): void => void setCatalogue(() => next);

/**
 * Returns the texts of one topic. Each read returns the text of the current language, and updates
 * the component or effect that read it when the language changes. Read texts when they are shown:
 * a text in a constant keeps its first language.
 */
export function liveTexts<Topic extends keyof Catalogue>(
  topic: Topic,
  english: Catalogue[Topic],
): Catalogue[Topic] {
  return live(english, () => catalogue()?.[topic]);
}

function live<Part extends object>(english: Part, current: () => Part | undefined): Part {
  const parts = new Map<string | symbol, object>();
  return new Proxy(english, {
    get(target, key) {
      const name = key as keyof Part;
      const own = target[name];
      if (typeof own !== "object" || own === null || Array.isArray(own))
        return (current() ?? target)[name];
      let part = parts.get(key);
      if (part === undefined) {
        part = live<object>(own, () => current()?.[name] as object | undefined);
        parts.set(key, part);
      }
      return part;
    },
  });
}
