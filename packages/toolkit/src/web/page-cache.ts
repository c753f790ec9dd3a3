import type { Clock } from "@capstan/core";
import type { WebPage } from "./read-page.ts";

export interface PageCacheLimits {
  /** @default 32 */
  readonly pages?: number;
  /** The maximum characters of all pages together. @default 16 Mi */
  readonly characters?: number;
  /** @default 10 minutes */
  readonly ageMs?: number;
}

/** Caches the most recently read pages, so that reading another part does not fetch them again. */
export class PageCache {
  /** In order of use, the least recently used page first. */
  readonly #pages = new Map<string, { readonly page: WebPage; readonly until: number }>();
  readonly #clock: Clock;
  readonly #limits: Required<PageCacheLimits>;
  #characters = 0;

  constructor(clock: Clock, limits: PageCacheLimits = {}) {
    this.#clock = clock;
    this.#limits = { pages: 32, characters: 16 * 1024 * 1024, ageMs: 10 * 60 * 1000, ...limits };
  }

  get(url: string): WebPage | undefined {
    const kept = this.#pages.get(url);
    if (kept === undefined) return undefined;
    if (kept.until <= this.#clock.monotonic()) {
      this.#delete(url);
      return undefined;
    }
    this.#pages.delete(url);
    this.#pages.set(url, kept);
    return kept.page;
  }

  set(url: string, page: WebPage): void {
    this.#delete(url);
    if (page.text.length > this.#limits.characters) return;
    this.#pages.set(url, { page, until: this.#clock.monotonic() + this.#limits.ageMs });
    this.#characters += page.text.length;
    for (const oldest of this.#pages.keys()) {
      const fits =
        this.#pages.size <= this.#limits.pages && this.#characters <= this.#limits.characters;
      if (fits) return;
      this.#delete(oldest);
    }
  }

  #delete(url: string): void {
    this.#characters -= this.#pages.get(url)?.page.text.length ?? 0;
    this.#pages.delete(url);
  }
}
