import type { SearchFailureKind } from "./search-failure.ts";
import type { SearchQuery, SearchReply } from "./search-query.ts";

/** The search parameters that only some services support. */
export type OptionalParameter = "page" | "freshness" | "language" | "country";

/** The services that `WebSearch` can use. */
export const searchServices = ["tavily", "brave", "exa", "bocha", "google", "searxng"] as const;
/** The id of a service, as the setting `web.search.service` names it. */
export type SearchService = (typeof searchServices)[number];

/** The access to a service. */
export interface SearchAccess {
  /** The key. Empty if the service needs none. */
  readonly key: string;
  /** The id of a Google search engine (`cx`). Empty for other services. */
  readonly engine: string;
  /** The current time, in milliseconds since the epoch. */
  readonly now: number;
}

/** A request to a service, relative to its address. */
export interface SearchRequest {
  readonly path: string;
  readonly search?: { readonly [name: string]: string };
  readonly headers?: { readonly [name: string]: string };
  /** Sent as JSON with POST. @default a GET request */
  readonly body?: object;
}

/** The requests and replies of one service. */
export interface SearchProvider {
  readonly service: SearchService;
  readonly title: string;
  /** The address of the service. @default one must be configured */
  readonly url?: string;
  /** The environment variable of its key. @default the service needs no key */
  readonly keyVariable?: string;
  readonly mostResults: number;
  /** The last page of results. @default no limit is known */
  readonly lastPage?: number;
  readonly takes: readonly OptionalParameter[];
  request(query: SearchQuery, access: SearchAccess): SearchRequest;
  /** @throws ZodError if the reply does not have the expected form */
  read(reply: unknown): SearchReply;
  /** Returns the kind of a failure if the status alone does not determine it. */
  kindOf?(status: number, reply: unknown): SearchFailureKind | undefined;
  /** Advice for a failure, by its kind. */
  readonly fixes?: { readonly [status: number]: string };
}
