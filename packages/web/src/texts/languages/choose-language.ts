import { showCatalogue } from "../catalogue/live-texts.ts";
import { setLanguage } from "../numbers/locale.ts";
import { type Language, matchLanguage } from "./languages.ts";

let newest = 0;

/**
 * Shows the page in the first language that the page has, without a reload.
 *
 * @param wanted BCP 47 tags, the preferred one first
 * @throws if the texts cannot be loaded; the page then keeps its language
 */
export async function chooseLanguage(wanted: readonly string[]): Promise<void> {
  const language = matchLanguage(wanted);
  const choice = ++newest;
  const catalogue = await language.load?.();
  // The user may have chosen another language while the texts were loaded.
  if (choice !== newest) return;
  showCatalogue(catalogue);
  setLanguage(language.tag);
  mark(language);
}

function mark({ tag, direction }: Language): void {
  document.documentElement.lang = tag;
  document.documentElement.dir = direction;
}
