import type { Clock, ToolContext } from "@capstan/core";
import { deniesUrl } from "@capstan/core/host";
import { NetworkError } from "@capstan/sandbox";
import type { MarkdownOptions } from "../html/html-to-markdown.ts";
import { formatBytes } from "../text/format-bytes.ts";
import { decodeBody, pageType } from "./decode-body.ts";
import { fetchAddress, type FetchAddressOptions, type FetchedBody } from "./fetch-address.ts";
import { PageCache, type CachedPage } from "./page-cache.ts";
import { jobFailure, type HtmlJob, type HtmlResults, runHtmlJob } from "./run-html-job.ts";
import { readPage, type WebPage } from "./read-page.ts";

/** The network limits and the clock for reading pages. */
export interface PageSourceOptions extends Omit<
  FetchAddressOptions,
  "denied" | "signal" | "onProgress" | "checkAddress"
> {
  readonly clock: Clock;
}

type CallContext = Pick<ToolContext, "principal" | "signal" | "output" | "denied">;

/** A request for a page. */
export interface PageRequest {
  readonly url: URL;
  readonly context: CallContext;
  /** Whether a page that was fetched in the last ten minutes is fetched again. @default false */
  readonly isFresh?: boolean;
  /**
   * Throws to reject an address to which the page redirects. @default all redirects are followed
   */
  readonly checkAddress?: (url: URL) => Promise<void>;
}

/** Fetches pages, converts them, and caches the most recent ones. */
export interface PageSource {
  /** @throws NetworkError */
  readonly fetch: (request: PageRequest) => Promise<FetchedBody>;
  /** Returns a page as text. @throws NetworkError */
  readonly read: (request: PageRequest, options: MarkdownOptions) => Promise<WebPage>;
  /**
   * Runs a job with the source of an HTML page. Returns the page's address after redirects.
   *
   * @throws NetworkError `not_html`, `too_complex`
   */
  readonly run: <T extends HtmlJob["type"]>(
    request: PageRequest,
    job: Omit<HtmlJob & { readonly type: T }, "html" | "url">,
  ) => Promise<{ readonly url: string; readonly value: HtmlResults[T] }>;
}

/** Characters between two reports of progress. */
const reportEvery = 1024 * 1024;

const smallestCache = 32 * 1024 * 1024;

/** Larger texts are not cached, but converted again for each call. */
const longestKeptText = 4 * 1024 * 1024;

/** Creates the page source that the web tools share. It caches pages for a short time. */
export function pageSource(options: PageSourceOptions): PageSource {
  const { timeoutMs } = options;
  const cache = new PageCache(options.clock, {
    bytes: Math.max(smallestCache, options.maxBytes),
  });

  async function load(request: PageRequest): Promise<CachedPage> {
    const { url, context, isFresh = false } = request;
    const cached = isFresh ? undefined : cache.get(url.href);
    if (cached !== undefined && mayRead(cached, request)) return cached;
    const page = { fetched: await fetchPage(request, options), texts: new Map() };
    context.signal.throwIfAborted();
    cache.set(url.href, page);
    return page;
  }

  return {
    fetch: async (request) => (await load(request)).fetched,
    async read(request, part) {
      const { fetched, texts } = await load(request);
      const form = JSON.stringify([part.part, part.addresses, part.listLinks]);
      const kept = texts.get(form);
      if (kept !== undefined) return kept;
      const { principal, signal } = request.context;
      const page = await readPage(fetched, { ...part, timeoutMs, user: principal.id, signal });
      if (page.text.length <= longestKeptText) texts.set(form, page);
      return page;
    },
    async run(request, job) {
      const { fetched } = await load(request);
      const { contentType, body } = fetched;
      const url = fetched.url.href;
      if (pageType(contentType, body) !== "html" && !isXml(contentType))
        throw new NetworkError({
          code: "not_html",
          message: `${url} is not an HTML page but ${contentType || "data without a type"}. Read it with FetchWebPage.`,
        });
      const { principal, signal } = request.context;
      const html = decodeBody(body, contentType);
      const limits = { timeoutMs, user: principal.id, signal };
      const outcome = await runHtmlJob({ ...job, html, url } as never, limits);
      if (outcome.status === "done") return { url, value: outcome.value as never };
      throw new NetworkError({
        code: "too_complex",
        message: `${url} is too large or too complex: ${jobFailure(outcome, timeoutMs)}. Read its text with FetchWebPage.`,
      });
    },
  };
}

function isXml(contentType: string): boolean {
  return /[/+]xml\b/i.test(contentType);
}

/** Checks the caller's rules again, because another caller may have fetched the cached page. */
function mayRead({ fetched }: CachedPage, { url, context }: PageRequest): boolean {
  const denied = context.denied();
  return !deniesUrl(denied, url) && !deniesUrl(denied, fetched.url);
}

async function fetchPage(
  { url, context: { signal, output, denied }, checkAddress }: PageRequest,
  options: PageSourceOptions,
): Promise<FetchedBody> {
  output.progress({ message: `Fetching ${url.host}` });
  let reported = 0;
  return fetchAddress(url, {
    ...options,
    denied: denied(),
    signal,
    ...(checkAddress !== undefined && { checkAddress }),
    onProgress: (bytes) => {
      if (bytes - reported < reportEvery) return;
      reported = bytes;
      output.progress({ message: `${formatBytes(bytes)} of ${url.host}`, done: bytes });
    },
  });
}
