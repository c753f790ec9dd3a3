import type { Catalogue } from "../catalogue/catalogue.ts";

/** A language of the page. */
export interface Language {
  /** The BCP 47 tag; the page's `lang`. */
  readonly tag: string;
  /** The name of the language in that language. */
  readonly name: string;
  /** The page's `dir`. */
  readonly direction: "ltr" | "rtl";
  /** Loads the texts; absent for English, whose texts are in the bundle. */
  readonly load?: () => Promise<Catalogue>;
}

const english: Language = { tag: "en", name: "English", direction: "ltr" };

/** The languages of the page, by name. */
export const languages: readonly Language[] = [
  {
    tag: "de",
    name: "Deutsch",
    direction: "ltr",
    load: async () => (await import("../de/catalogue.ts")).german,
  },
  english,
  {
    tag: "es",
    name: "Español",
    direction: "ltr",
    load: async () => (await import("../es/catalogue.ts")).spanish,
  },
  {
    tag: "ja",
    name: "日本語",
    direction: "ltr",
    load: async () => (await import("../ja/catalogue.ts")).japanese,
  },
  {
    tag: "zh-Hans",
    name: "简体中文",
    direction: "ltr",
    load: async () => (await import("../zh-hans/catalogue.ts")).chinese,
  },
];

/**
 * Returns the first language of the page that matches one of the wanted ones, or English.
 *
 * @param wanted BCP 47 tags, the preferred one first
 * @example matchLanguage(["fr-CA", "zh-CN"]).tag // "zh-Hans"
 */
export function matchLanguage(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const found = languages.find((language) => areSame(language.tag, tag));
    if (found !== undefined) return found;
  }
  return english;
}

/** Whether two tags have the same language and script: `zh-CN` is written like `zh-Hans`. */
function areSame(own: string, tag: string): boolean {
  try {
    const [a, b] = [new Intl.Locale(own).maximize(), new Intl.Locale(tag).maximize()];
    return a.language === b.language && a.script === b.script;
  } catch {
    // The stored tag is not a language tag.
    return false;
  }
}
