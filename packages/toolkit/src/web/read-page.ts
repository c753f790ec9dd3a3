import { formatBytes } from "../text/format-bytes.ts";
import { runInWorker, NetworkError, workerModule } from "@capstan/sandbox";
import { decodeBody, pageType } from "./decode-body.ts";
import type { FetchedBody } from "./fetch-address.ts";
import type { ReadablePage } from "./html-to-markdown.ts";
import { stripTags } from "./strip-tags.ts";

/** A page as it is kept: the whole of its text, and what is known of it. */
export interface WebPage extends Omit<ReadablePage, "markdown"> {
  /** After redirects. */
  readonly url: string;
  readonly contentType: string;
  readonly text: string;
  /** What went wrong on the way to the text. */
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
    signal,
  });
  if (outcome.status === "done") {
    const { markdown, ...about } = outcome.value;
    return { ...base, ...about, text: markdown };
  }
  return {
    ...base,
    text: stripTags(text),
    note: "The page is too large or too odd to be laid out; this is its bare text.",
  };
}
