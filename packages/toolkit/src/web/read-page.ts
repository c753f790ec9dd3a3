import { convertDocument, isConvertible } from "../documents/convert-document.ts";
import { formatBytes } from "../text/format-bytes.ts";
import { runInWorker, NetworkError, workerModule } from "@capstan/sandbox";
import { decodeBody, pageType } from "./decode-body.ts";
import type { FetchedBody } from "./fetch-address.ts";
import type { ReadablePage } from "../html/html-to-markdown.ts";
import { stripTags } from "../html/strip-tags.ts";

/** Heap limit for converting a page, in megabytes. */
const heapMb = 384;

/** A cached page: its whole text and its metadata. */
export interface WebPage extends Omit<ReadablePage, "markdown" | "cut"> {
  /** After redirects. */
  readonly url: string;
  readonly contentType: string;
  readonly text: string;
  /** A problem of the conversion. */
  readonly note?: string;
}

/**
 * Converts a fetched body into text: pages and documents (PDF, DOCX, XLSX, PPTX, EPUB) into
 * Markdown, in a separate thread. Text, JSON and Markdown stay unchanged.
 *
 * @param timeoutMs time limit for converting a page; after it the page's text without markup is
 * returned
 * @throws NetworkError `unsupported_type` for everything else, and `unreadable_document`
 */
export async function readPage(
  fetched: FetchedBody,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<WebPage> {
  const { url, contentType, body } = fetched;
  const base = { url: url.href, contentType: contentType.split(";")[0]?.trim() ?? "" };
  const type = pageType(contentType, body);
  if (type === "refused") return { ...base, text: await documentText(fetched, base, signal) };
  const text = decodeBody(body, contentType);
  if (type === "text") return { ...base, text };
  const outcome = await runInWorker<ReadablePage>({
    module: workerModule("html-worker", import.meta.url),
    input: { html: text, url: url.href },
    timeoutMs,
    heapMb,
    atOnce: 2,
    signal,
  });
  if (outcome.status === "done") {
    const { markdown, cut, ...about } = outcome.value;
    if (cut === undefined) return { ...base, ...about, text: markdown };
    // If the beginning has no text, the whole page without markup is returned.
    const [part, read] =
      markdown === ""
        ? ["This is its text without markup.", stripTags(text)]
        : ["Only its beginning was read.", markdown];
    return { ...base, ...about, text: read, note: `The page is too large: it has ${cut}. ${part}` };
  }
  const why =
    outcome.status === "timed_out"
      ? `conversion takes longer than ${timeoutMs / 1000} seconds`
      : `conversion needs more than ${heapMb} MB of memory, or fails`;
  return {
    ...base,
    text: stripTags(text),
    note: `The page is too large or too complex: ${why}. This is its text without markup.`,
  };
}

/** Returns a document as Markdown. Its type is that of the header, or else of its name. */
async function documentText(
  { url, body }: FetchedBody,
  { contentType }: Pick<WebPage, "contentType">,
  signal: AbortSignal,
): Promise<string> {
  const name = url.pathname.split("/").at(-1) ?? "";
  const document = { name, mimeType: contentType };
  if (!isConvertible(document))
    throw new NetworkError({
      code: "unsupported_type",
      message: `${url.href} is ${contentType || "binary data"} (${formatBytes(body.length)}). Only web pages, documents (PDF, DOCX, XLSX, PPTX, EPUB) and text are read.`,
    });
  const converted = await convertDocument({ ...document, bytes: body, signal });
  if (converted.status === "converted") return converted.markdown;
  throw new NetworkError({
    code: "unreadable_document",
    message: `${url.href} could not be read: ${converted.reason}.`,
  });
}
