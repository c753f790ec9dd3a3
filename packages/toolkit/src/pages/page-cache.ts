import type { Clock } from "@capstan/core";
import type { FetchedBody } from "./fetch-address.ts";
import type { WebPage } from "./read-page.ts";

/** A page as it was fetched, with the texts into which it was converted. */
export interface CachedPage {
  readonly fetched: FetchedBody;
  readonly texts: Map<string, WebPage>;
}

/** The limits of a cache. */
export interface PageCacheLimits {
  /** @default 32 */
  readonly pages?: number;
  /** The maximum size of all bodies together, in bytes. @default 32 MiB */
  readonly bytes?: number;
  /** @default 10 minutes */
  readonly ageMs?: number;
}

/** Caches the most recently fetched pages, so that reading another part does not fetch them again. */
export class PageCache {
  /** The pages in order of use, the least recently used page first. */
  readonly #pages = new Map<string, { readonly page: CachedPage; readonly until: number }>();
  readonly #clock: Clock;
  readonly #limits: Required<PageCacheLimits>;
  #bytes = 0;

  constructor(clock: Clock, limits: PageCacheLimits = {}) {
    this.#clock = clock;
    this.#limits = { pages: 32, bytes: 32 * 1024 * 1024, ageMs: 10 * 60 * 1000, ...limits };
  }

  get(url: string): CachedPage | undefined {
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

  set(url: string, page: CachedPage): void {
    this.#delete(url);
    const { length } = page.fetched.body;
    if (length > this.#limits.bytes) return;
    this.#pages.set(url, { page, until: this.#clock.monotonic() + this.#limits.ageMs });
    this.#bytes += length;
    for (const oldest of this.#pages.keys()) {
      const fits = this.#pages.size <= this.#limits.pages && this.#bytes <= this.#limits.bytes;
      if (fits) return;
      this.#delete(oldest);
    }
  }

  #delete(url: string): void {
    this.#bytes -= this.#pages.get(url)?.page.fetched.body.length ?? 0;
    this.#pages.delete(url);
  }
}
