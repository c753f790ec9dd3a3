/** The age of the pages to find. */
export const freshnesses = ["day", "week", "month", "year"] as const;
export type Freshness = (typeof freshnesses)[number];

/** A search, in the terms that all services share. */
export interface SearchQuery {
  readonly query: string;
  /** The number of results, at most the service's maximum. */
  readonly count: number;
  /** The page of results, from 1. */
  readonly page: number;
  readonly freshness?: Freshness | undefined;
  /** Two letters of ISO 639, such as `de`. */
  readonly language?: string | undefined;
  /** Two letters of ISO 3166, such as `DE`. */
  readonly country?: string | undefined;
  /** Only pages of these domains. All domains if empty. */
  readonly domains: readonly string[];
  readonly excludedDomains: readonly string[];
}

/** A page that a service found. */
export interface SearchHit {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
  /** The time of publication, as the service writes it. */
  readonly published?: string;
}

/** The reply of a service. */
export interface SearchReply {
  readonly hits: readonly SearchHit[];
  /** A direct answer from the service. */
  readonly answer?: string;
}

/**
 * Returns the query with its domains as operators, for services without a parameter for domains.
 *
 * @example
 * const all = { count: 8, page: 1, excludedDomains: [] };
 * queryWithDomains({ ...all, query: "tides", domains: ["a.example"] }); // "tides site:a.example"
 */
export function queryWithDomains({ query, domains, excludedDomains }: SearchQuery): string {
  const sites = domains.map((domain) => `site:${domain}`);
  const within = sites.length > 1 ? [`(${sites.join(" OR ")})`] : sites;
  return [query, ...within, ...excludedDomains.map((domain) => `-site:${domain}`)].join(" ");
}

/** Returns the first day of the period of this length that ends now, as `YYYY-MM-DD`. */
export function firstDay(freshness: Freshness, now: number): string {
  const days = { day: 1, week: 7, month: 31, year: 366 }[freshness];
  return new Date(now - days * 86_400_000).toISOString().slice(0, 10);
}
