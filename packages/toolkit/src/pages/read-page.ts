import { NetworkError } from "@capstan/sandbox";
import { convertDocument, isConvertible } from "../documents/convert-document.ts";
import { fileKind, kindSampleBytes } from "../files/file-kind.ts";
import type { MarkdownOptions, ReadablePage } from "../html/html-to-markdown.ts";
import { mayBeFeed } from "../html/may-be-feed.ts";
import type { Feed } from "../html/read-feed.ts";
import { stripTags } from "../html/strip-tags.ts";
import { formatBytes } from "../text/format-bytes.ts";
import { decodeBody, pageType } from "./decode-body.ts";
import type { FetchedBody } from "./fetch-address.ts";
import { formatFeed } from "./format-feed.ts";
import { jobFailure, runHtmlJob } from "./run-html-job.ts";

/** A page as text, with its metadata. */
export interface WebPage extends Omit<ReadablePage, "markdown" | "cut"> {
  /** The address after redirects. */
  readonly url: string;
  readonly contentType: string;
  readonly text: string;
  /** The entries. Present if the page is a feed. */
  readonly feed?: Feed;
  /** A problem of the conversion. */
  readonly note?: string;
}

/** How to read a page. */
export interface ReadOptions extends MarkdownOptions {
  /** The time limit for converting a page. After it, the page's text without markup is returned. */
  readonly timeoutMs: number;
  /** The owner of the job. The queue alternates between users. */
  readonly user: string;
  readonly signal: AbortSignal;
}

/**
 * Converts a fetched body into text: pages, feeds and documents (PDF, DOCX, XLSX, PPTX, EPUB) into
 * Markdown, in a separate process. Text, JSON and Markdown stay unchanged.
 *
 * @throws NetworkError `unsupported_type` for everything else, and `unreadable_document`
 */
export async function readPage(fetched: FetchedBody, options: ReadOptions): Promise<WebPage> {
  const { url, contentType, body } = fetched;
  const base = { url: url.href, contentType: contentType.split(";")[0]?.trim() ?? "" };
  const type = pageType(contentType, body);
  const isPdf = type !== "refused" && isMarkedPdf(body);
  if (type === "refused" || isPdf) {
    const mimeType = isPdf ? "application/pdf" : base.contentType;
    return { ...base, text: await documentText(fetched, mimeType, options) };
  }
  const text = decodeBody(body, contentType);
  if (type === "html") return { ...base, ...(await readHtml(text, url.href, options)) };
  const feed =
    options.part !== "everything" && mayBeFeed(text, contentType)
      ? await runHtmlJob({ type: "feed", html: text, url: url.href }, options)
      : undefined;
  if (feed?.status !== "done" || feed.value === undefined) return { ...base, text };
  const { title } = feed.value;
  return {
    ...base,
    ...(title !== undefined && { title }),
    text: formatFeed(feed.value),
    feed: feed.value,
  };
}

/** Some servers send PDF documents as text. */
function isMarkedPdf(body: Uint8Array): boolean {
  const kind = fileKind(body.subarray(0, kindSampleBytes));
  return kind.type === "binary" && kind.name === "a PDF document";
}

async function readHtml(
  html: string,
  url: string,
  { timeoutMs, user, signal, ...options }: ReadOptions,
): Promise<Omit<WebPage, "url" | "contentType">> {
  const limits = { timeoutMs, user, signal };
  const outcome = await runHtmlJob({ type: "markdown", html, url, options }, limits);
  if (outcome.status === "done") {
    const { markdown, cut, ...about } = outcome.value;
    if (cut === undefined) return { ...about, text: markdown };
    // If the beginning has no text, return the text of the whole page without markup.
    const [part, read] =
      markdown === ""
        ? ["This is its text without markup.", stripTags(html)]
        : ["Only its beginning was read.", markdown];
    return { ...about, text: read, note: `The page is too large: it has ${cut}. ${part}` };
  }
  return {
    text: stripTags(html),
    note: `The page is too large or too complex: ${jobFailure(outcome, timeoutMs)}. This is its text without markup.`,
  };
}

/** Returns a document as Markdown. Takes its type from the header, or else from its name. */
async function documentText(
  { url, body }: FetchedBody,
  mimeType: string,
  { user, signal }: Pick<ReadOptions, "user" | "signal">,
): Promise<string> {
  const name = url.pathname.split("/").at(-1) ?? "";
  const document = { name, mimeType };
  if (!isConvertible(document))
    throw new NetworkError({
      code: "unsupported_type",
      message: `${url.href} is ${mimeType || "binary data"} (${formatBytes(body.length)}). Only web pages, feeds, documents (PDF, DOCX, XLSX, PPTX, EPUB), text and pictures (PNG, JPEG, GIF, WebP) are read.`,
    });
  const converted = await convertDocument({ ...document, bytes: body, user, signal });
  if (converted.status === "converted") return converted.markdown;
  throw new NetworkError({
    code: "unreadable_document",
    message: `${url.href} could not be read: ${converted.reason}.`,
  });
}
