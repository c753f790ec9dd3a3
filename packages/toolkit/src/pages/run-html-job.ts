import { workerModule } from "@capstan/sandbox";
import type { ExtractOptions, Extraction } from "../html/extract-elements.ts";
import type { MarkdownOptions, ReadablePage } from "../html/html-to-markdown.ts";
import type { Outline, OutlineOptions } from "../html/outline-page.ts";
import type { Feed } from "../html/read-feed.ts";
import { runInWarmProcess, type WarmOutcome } from "../text/warm-process.ts";

interface Source {
  readonly html: string;
  /** The address of the page, for relative links. */
  readonly url: string;
}

/** A job with the source of a page. It is plain data, so that a worker can run it. */
export type HtmlJob = Source &
  (
    | { readonly type: "markdown"; readonly options: MarkdownOptions }
    | { readonly type: "extract"; readonly options: ExtractOptions }
    | { readonly type: "outline"; readonly options: OutlineOptions }
    | { readonly type: "feed" }
  );

/** The results of the jobs, by type. */
export interface HtmlResults {
  readonly markdown: ReadablePage;
  readonly extract: Extraction;
  readonly outline: Outline;
  readonly feed: Feed | undefined;
}

/** Heap limit for the work on a page, in megabytes. */
export const heapMb = 384;

/** Runs a job in a process with limits on time and memory, because pages are not trusted. */
export function runHtmlJob<T extends HtmlJob["type"]>(
  job: HtmlJob & { readonly type: T },
  {
    timeoutMs,
    user,
    signal,
  }: {
    readonly timeoutMs: number;
    /** The owner of the job. The queue alternates between users. */
    readonly user: string;
    readonly signal: AbortSignal;
  },
): Promise<WarmOutcome<HtmlResults[T]>> {
  return runInWarmProcess({
    module: workerModule("html-worker", import.meta.url),
    input: job,
    timeoutMs,
    heapMb,
    user,
    signal,
  });
}

/** Returns the reason why a job failed, as a clause for messages. */
export function jobFailure(
  { status }: Exclude<WarmOutcome<unknown>, { readonly status: "done" }>,
  timeoutMs: number,
): string {
  if (status === "busy") return "too many pages are in the queue";
  return status === "timed_out"
    ? `conversion takes longer than ${timeoutMs / 1000} seconds`
    : `conversion needs more than ${heapMb} MB of memory, or fails`;
}
