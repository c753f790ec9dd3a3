import { formatBytes } from "../text/format-bytes.ts";
import { runInWorker, NetworkError, workerModule } from "@capstan/sandbox";
import { decodeBody, pageType } from "./decode-body.ts";
import type { FetchedBody } from "./fetch-address.ts";
import type { ReadablePage } from "./html-to-markdown.ts";
import { stripTags } from "./strip-tags.ts";

/** Megabytes that laying out a page may take. */
const heapMb = 384;

/** A page as it is kept: the whole of its text, and what is known of it. */
export interface WebPage extends Omit<ReadablePage, "markdown" | "cut"> {
  /** After redirects. */
  readonly url: string;
  readonly contentType: string;
  readonly text: string;
  /** A problem of the conversion. */
  readonly note?: string;
}

/**
 * Turns what was fetched into text: pages into Markdown, in a thread of its own; text, JSON and
 * Markdown stay as they are.
 *
 * @param timeoutMs how long a page may take to be laid out; after that its bare text must do
 * @throws NetworkError `unsupported_type` for everything else.
 */
export async function readPage(
  fetched: FetchedBody,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<WebPage> {
  const { url, contentType, body } = fetched;
  const base = { url: url.href, contentType: contentType.split(";")[0]?.trim() ?? "" };
  const type = pageType(contentType, body);
  if (type === "refused") {
    throw new NetworkError({
      code: "unsupported_type",
      message: `${url.href} is ${base.contentType || "binary data"} (${formatBytes(body.length)}). Only web pages and text are read.`,
    });
  }
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
    // A beginning without text is useless.
    const [part, read] =
      markdown === ""
        ? ["This is its bare text.", stripTags(text)]
        : ["Only its beginning was read.", markdown];
    return { ...base, ...about, text: read, note: `The page is too large: it has ${cut}. ${part}` };
  }
  const why =
    outcome.status === "timed_out"
      ? `laying it out takes longer than ${timeoutMs / 1000} seconds`
      : `laying it out needs more than ${heapMb} MB of memory, or fails`;
  return {
    ...base,
    text: stripTags(text),
    note: `The page is too large or too odd: ${why}. This is its bare text.`,
  };
}
