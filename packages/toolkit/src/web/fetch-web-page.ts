import {
  type ContentParts,
  contentParts,
  defineTool,
  type Tool,
  type ToolContext,
  type ToolError,
  toolError,
} from "@capstan/core";
import type { GrantOffer } from "@capstan/core/host";
import { parseAddress, returnNetworkErrors } from "@capstan/sandbox";
import { z } from "zod";
import { fileKind, kindSampleBytes } from "../files/file-kind.ts";
import { countOf, formatBytes } from "../text/format-bytes.ts";
import type { FetchedBody } from "../pages/fetch-address.ts";
import { type Excerpt, findInPage, splitPages } from "../pages/page-parts.ts";
import type { PageSource } from "../pages/page-source.ts";
import type { WebPage } from "../pages/read-page.ts";
import { webErrors } from "./web-errors.ts";

/** The parameter `url` of the web tools. */
export const urlParameter = z.string().max(8000).describe("The whole address, http or https.");

const parameters = z.object({
  url: urlParameter,
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
  whole: z
    .boolean()
    .default(false)
    .describe("The whole page, with navigation, header and footer; a feed as its source."),
  links: z.boolean().default(true).describe("Whether links and images keep their addresses."),
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

const largestPicture = 5 * 1024 * 1024;

/** `FetchWebPage`: returns a public web page as readable Markdown, or a picture. */
export function fetchWebPage(
  source: PageSource,
  { timeoutMs }: { readonly timeoutMs: number },
): Tool {
  return defineTool({
    name: "FetchWebPage",
    description:
      "Fetches a public web page, feed (RSS, Atom, JSON) or document (PDF, DOCX, XLSX, PPTX, EPUB) and returns its content as Markdown; text, JSON and Markdown are unchanged, and pictures (PNG, JPEG, GIF, WebP) are shown. page and find do not fetch a page again that was just fetched.",
    parameters,
    effects: "read",
    examples: [
      { title: "Read a page.", args: { url: "https://example.org/" } },
      {
        title: "Read the navigation, too, and the addresses of links.",
        args: { url: "https://example.org/", whole: true },
      },
    ],
    errors: {
      ...webErrors,
      unsupported_type: "The address leads to neither a page, a document, a text nor a picture.",
      unreadable_document: "The document is corrupt, encrypted or too large to convert.",
      picture_too_large: "The picture has more than 5 MB.",
      no_text: "A picture has no pages and no text to find.",
      no_such_page: "The text has fewer pages.",
    },
    permission: pagePermission,
    timeoutMs: 2 * timeoutMs + 5_000,
    compressArgs: ({ url, page, find }) =>
      [
        url,
        ...(page === undefined ? [] : [`page ${page}`]),
        ...(find === undefined ? [] : [`find "${find}"`]),
      ].join(", "),
    formatForLLM: (data: PageView | PageSearch) =>
      "find" in data ? formatSearch(data) : formatPage(data),
    execute: (args, context) => returnNetworkErrors(() => run(args, context, source)),
  });
}

/** The permission of all tools that read pages: a grant for a site covers all of them. */
export const pagePermission = {
  executionPolicy: "ask-once",
  grantScope: siteOf,
  sharesGrants: "pages",
} as const;

/** An approval covers a site: scheme, host and port. */
function siteOf({ url }: { readonly url: string }): GrantOffer {
  const { origin = "null", host = "", protocol = "" } = URL.parse(url) ?? {};
  if (origin === "null")
    return { when: { url: { equals: url } }, title: `the address ${url.slice(0, 100)}` };
  const unencrypted = protocol === "http:" ? " (unencrypted)" : "";
  return { when: { url: { site: origin } }, title: `pages of ${host}${unencrypted}` };
}

async function run(
  { url: written, page: number, find, whole, links }: Args,
  context: ToolContext,
  source: PageSource,
): Promise<PageView | PageSearch | ContentParts | ToolError> {
  const url = parseAddress(written);
  const isFresh = number === undefined && find === undefined;
  const fetched = await source.fetch({ url, context, isFresh });
  const picture = pictureOf(fetched);
  if (picture !== undefined && isFresh) return picture;
  if (picture !== undefined)
    return toolError({
      code: "no_text",
      message: `${fetched.url.href} is a picture: call without page and find to see it.`,
    });
  const page = await source.read(
    { url, context },
    { part: whole ? "everything" : "article", addresses: links },
  );
  if (find !== undefined) {
    const { text, ...about } = page;
    return { ...about, find, ...findInPage(text, find) };
  }
  const pages = splitPages(page.text);
  if (number === undefined) return { ...page, pages: pages.length };
  const text = pages[number - 1];
  if (text === undefined) {
    return toolError({
      code: "no_such_page",
      message: `${page.url} has ${countOf(pages.length, "page")}; there is no page ${number}.`,
    });
  }
  return { ...page, text, page: number, pages: pages.length };
}

/** Returns a picture for models that see pictures; `undefined` for anything else. */
function pictureOf({ url, contentType, body }: FetchedBody): ContentParts | ToolError | undefined {
  const kind = fileKind(body.subarray(0, kindSampleBytes));
  if (kind.type !== "image") {
    if (!/^image\/(?:png|jpeg|gif|webp)\b/i.test(contentType)) return undefined;
    return toolError({
      code: "unsupported_type",
      message: `${url.href} is sent as ${contentType}, but is not a picture.`,
    });
  }
  if (body.length > largestPicture)
    return toolError({
      code: "picture_too_large",
      message: `${url.href} is a picture of ${formatBytes(body.length)}; at most ${formatBytes(largestPicture)} are shown.`,
    });
  const { mimeType } = kind;
  const data = Buffer.from(body).toString("base64");
  return contentParts([
    { type: "text", text: `Source: ${url.href}\n${mimeType}, ${formatBytes(body.length)}` },
    { type: "image", mimeType, source: { type: "base64", data } },
  ]);
}

function formatPage(view: PageView): string {
  const { text, page, pages } = view;
  const part =
    page === undefined
      ? ""
      : `\n[Page ${page} of ${pages}.${page < pages ? ` Read on with page ${page + 1}.` : ""}]`;
  return `${pageHead(view)}\n\n${text === "" ? "[The page has no text. It may need a browser to load its content.]" : text}${part}`;
}

function formatSearch(search: PageSearch): string {
  const { find, matches, excerpts } = search;
  if (matches === 0) return `${pageHead(search)}\n\n"${find}" is not on the page.`;
  const blocks = excerpts.map(
    ({ position, page, text }) => `[page ${page}, character ${position}]\n${text}`,
  );
  return `${pageHead(search)}\n\n${countOf(matches, "match", "matches")} of "${find}":\n\n${blocks.join("\n\n")}`;
}

/** Returns the title of a page, its address and its author, for the model. */
export function pageHead({
  url,
  title,
  byline,
  siteName,
  published,
  note,
}: Partial<Omit<WebPage, "text">>): string {
  const facts = [byline, siteName, published].filter((fact) => fact !== undefined);
  return [
    ...(title === undefined ? [] : [`# ${title}`]),
    `Source: ${url}`,
    ...(facts.length === 0 ? [] : [facts.join(" · ")]),
    ...(note === undefined ? [] : [`[${note}]`]),
  ].join("\n");
}
