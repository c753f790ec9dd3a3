import { defineTool, type Tool, type ToolContext, type ToolError, toolError } from "@capstan/core";
import { deniesUrl, type GrantOffer } from "@capstan/core/host";
import { z } from "zod";
import { countOf, formatBytes } from "../text/format-bytes.ts";
import { fetchAddress, type FetchAddressOptions } from "./fetch-address.ts";
import type { PageCache } from "./page-cache.ts";
import { type Excerpt, findInPage, splitPages } from "./page-parts.ts";
import { parseAddress, returnNetworkErrors } from "@capstan/sandbox";
import { readPage, type WebPage } from "./read-page.ts";

const parameters = z.object({
  url: z.string().max(8000).describe("The whole address, http or https."),
  page: z
    .int()
    .min(1)
    .optional()
    .describe(
      "The part of a long page to read, from 1. A page that was just fetched is not fetched again.",
    ),
  find: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe("Return only excerpts around this literal text, ignoring case."),
});

type Args = z.infer<typeof parameters>;

interface PageView extends WebPage {
  /** The number of pages of the whole text. */
  readonly pages: number;
  /** The number of the page in `text`; absent if `text` is the whole text. */
  readonly page?: number;
}

interface PageSearch extends Omit<WebPage, "text"> {
  readonly find: string;
  readonly matches: number;
  readonly excerpts: readonly Excerpt[];
}

/** Characters between two reports of progress. */
const reportEvery = 1024 * 1024;

export interface FetchWebPageOptions extends Omit<
  FetchAddressOptions,
  "denied" | "signal" | "onProgress"
> {
  readonly cache: PageCache;
}

/** `FetchWebPage`: a public web page as readable Markdown. */
export function fetchWebPage(options: FetchWebPageOptions): Tool {
  return defineTool({
    name: "FetchWebPage",
    description:
      "Fetches a public web page or document (PDF, DOCX, XLSX, PPTX, EPUB) and returns its content as Markdown; text, JSON and Markdown are unchanged. page and find do not fetch a page again that was just fetched.",
    parameters,
    effects: "read",
    examples: [{ title: "Read a page.", args: { url: "https://example.org/" } }],
    permission: { executionPolicy: "ask-once", grantScope: siteOf },
    timeoutMs: 2 * options.timeoutMs + 5_000,
    compressArgs: ({ url, page, find }) =>
      [
        url,
        ...(page === undefined ? [] : [`page ${page}`]),
        ...(find === undefined ? [] : [`find "${find}"`]),
      ].join(", "),
    formatForLLM: (data: PageView | PageSearch) =>
      "find" in data ? formatSearch(data) : formatPage(data),
    execute: (args, context) => returnNetworkErrors(() => run(args, context, options)),
  });
}

/** An approval covers a site: scheme, host and port. */
function siteOf({ url }: Args): GrantOffer {
  const { origin = "null", host = "", protocol = "" } = URL.parse(url) ?? {};
  if (origin === "null")
    return { when: { url: { equals: url } }, title: `the address ${url.slice(0, 100)}` };
  const unencrypted = protocol === "http:" ? " (unencrypted)" : "";
  return { when: { url: { site: origin } }, title: `pages of ${host}${unencrypted}` };
}

async function run(
  args: Args,
  context: ToolContext,
  options: FetchWebPageOptions,
): Promise<PageView | PageSearch | ToolError> {
  const url = parseAddress(args.url);
  const isReadingOn = args.page !== undefined || args.find !== undefined;
  const cached = isReadingOn ? options.cache.get(url.href) : undefined;
  // The cached page may come from another caller, whose rules allowed it.
  const isDenied = cached !== undefined && deniesUrl(context.denied(), new URL(cached.url));
  const page = cached !== undefined && !isDenied ? cached : await fetchPage(url, context, options);
  if (args.find !== undefined) {
    const { text, ...about } = page;
    return { ...about, find: args.find, ...findInPage(text, args.find) };
  }
  const pages = splitPages(page.text);
  if (args.page === undefined) return { ...page, pages: pages.length };
  const text = pages[args.page - 1];
  if (text === undefined) {
    return toolError({
      code: "no_such_page",
      message: `${page.url} has ${countOf(pages.length, "page")}; there is no page ${args.page}.`,
    });
  }
  return { ...page, text, page: args.page, pages: pages.length };
}

async function fetchPage(
  url: URL,
  { signal, output, denied }: ToolContext,
  options: FetchWebPageOptions,
): Promise<WebPage> {
  output.progress({ message: `Fetching ${url.host}` });
  let reported = 0;
  const fetched = await fetchAddress(url, {
    ...options,
    denied: denied(),
    signal,
    onProgress: (bytes) => {
      if (bytes - reported < reportEvery) return;
      reported = bytes;
      output.progress({ message: `${formatBytes(bytes)} of ${url.host}`, done: bytes });
    },
  });
  const page = await readPage(fetched, { timeoutMs: options.timeoutMs, signal });
  options.cache.set(url.href, page);
  return page;
}

function formatPage(view: PageView): string {
  const { text, page, pages } = view;
  const part =
    page === undefined
      ? ""
      : `\n[Page ${page} of ${pages}.${page < pages ? ` Read on with page ${page + 1}.` : ""}]`;
  return `${head(view)}\n\n${text === "" ? "[The page has no text. It may need a browser to load its content.]" : text}${part}`;
}

function formatSearch(search: PageSearch): string {
  const { find, matches, excerpts } = search;
  if (matches === 0) return `${head(search)}\n\n"${find}" is not on the page.`;
  const blocks = excerpts.map(
    ({ position, page, text }) => `[page ${page}, character ${position}]\n${text}`,
  );
  return `${head(search)}\n\n${countOf(matches, "match", "matches")} of "${find}":\n\n${blocks.join("\n\n")}`;
}

function head({ url, title, byline, siteName, published, note }: Omit<WebPage, "text">): string {
  const facts = [byline, siteName, published].filter((fact) => fact !== undefined);
  return [
    ...(title === undefined ? [] : [`# ${title}`]),
    `Source: ${url}`,
    ...(facts.length === 0 ? [] : [facts.join(" · ")]),
    ...(note === undefined ? [] : [`[${note}]`]),
  ].join("\n");
}
