import { createSignal } from "solid-js";

const [current, setCurrent] = createSignal("en");

/** The BCP 47 tag of the page's language, for example `de`. */
export const language = current;

/** Sets the language that formats numbers, dates and plurals. */
export const setLanguage = (tag: string): void => void setCurrent(tag);

/**
 * Returns the locale that formats numbers and dates: the browser's variant of the page's language,
 * for example `en-GB`, or else the language itself.
 */
export function locale(): string {
  const tag = current();
  const own = new Intl.Locale(tag);
  const variant = globalThis.navigator?.languages?.find((candidate) => {
    const { language: base, script } = new Intl.Locale(candidate).maximize();
    return base === own.language && script === own.maximize().script;
  });
  return variant ?? tag;
}
