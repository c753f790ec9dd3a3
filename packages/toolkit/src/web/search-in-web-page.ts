import { defineTool, type Tool, type ToolContext, type ToolError, toolError } from "@capstan/core";
import { parseAddress, returnNetworkErrors } from "@capstan/sandbox";
import { z } from "zod";
import { countOf } from "../text/format-bytes.ts";
import { regexTimeoutMs, runRegex } from "../text/run-regex.ts";
import { pageHead, pagePermission, urlParameter } from "./fetch-web-page.ts";
import type { PageSource } from "../pages/page-source.ts";
import type { WebPage } from "../pages/read-page.ts";
import { excerptLines, linesAt, type LineMatches, linesWithWords } from "./search-page-lines.ts";
import { webErrors } from "./web-errors.ts";

const parameters = z
  .object({
    url: urlParameter,
    keywords: z
      .array(z.string().trim().min(1).max(200))
      .min(1)
      .max(20)
      .optional()
      .describe("Literal texts to find, ignoring case."),
    join: z
      .enum(["any", "all"])
      .default("any")
      .describe("Whether a line must contain any of the keywords, or all."),
    pattern: z
      .string()
      .min(1)
      .max(2_000)
      .optional()
      .describe("A regular expression (RE2) in place of keywords; ^ and $ match at each line."),
    ignoreCase: z.boolean().default(true).describe("Whether the pattern ignores case."),
    context: z.int().min(0).max(10).default(1).describe("Lines around each match."),
    limit: z.int().min(1).max(50).default(10).describe("The maximum number of excerpts."),
    whole: z
      .boolean()
      .default(false)
      .describe("Search the whole page, with navigation, header and footer."),
  })
  .refine(({ keywords, pattern }) => (keywords === undefined) !== (pattern === undefined), {
    error: "give keywords or pattern, and not both",
  })
  .meta({ examples: [{ url: "https://example.org/", keywords: ["example"] }] });

type Args = z.infer<typeof parameters>;

interface Found extends Omit<WebPage, "text" | "feed">, LineMatches {
  /** The keywords or the pattern, as shown to the model. */
  readonly searched: string;
  /** Whether there are more matches than were counted. */
  readonly more?: boolean;
}

/** Matches of a pattern beyond this number are not counted. */
const mostMatches = 10_000;

/** `SearchInWebPage`: finds the lines of a page that contain texts or match a pattern. */
export function searchInWebPage(
  source: PageSource,
  { timeoutMs }: { readonly timeoutMs: number },
): Tool {
  return defineTool({
    name: "SearchInWebPage",
    description:
      "Finds texts or a pattern in a public web page, feed or document, and returns excerpts with the lines around them. Pages that were just fetched are not fetched again.",
    parameters,
    effects: "read",
    examples: [
      {
        title: "Find two words.",
        args: { url: "https://example.org/guide", keywords: ["timeout", "retry"] },
      },
      {
        title: "Find version numbers, without the lines around them.",
        args: { url: "https://example.org/news", pattern: "v\\d+\\.\\d+", context: 0 },
      },
    ],
    errors: {
      ...webErrors,
      invalid_pattern: "The pattern is not RE2; the message says what to change.",
      pattern_too_slow: "The search with the pattern takes too long.",
      unsupported_type: "The address leads to neither a page, a document nor a text.",
      unreadable_document: "The document is corrupt, encrypted or too large to convert.",
    },
    permission: pagePermission,
    timeoutMs: 2 * timeoutMs + regexTimeoutMs + 5_000,
    declaredReturnType: { type: "{ matches: number, excerpts: { page, line, text }[] }" },
    compressArgs: (args) => `${args.url}, ${searchedFor(args)}`,
    formatForLLM: formatFound,
    execute: (args, context) => returnNetworkErrors(() => run(args, context, source)),
  });
}

async function run(
  args: Args,
  context: ToolContext,
  source: PageSource,
): Promise<Found | ToolError> {
  const { url, keywords, join, pattern, ignoreCase, whole } = args;
  const request = { url: parseAddress(url), context };
  const page = await source.read(request, { part: whole ? "everything" : "article" });
  const { text, feed: _, ...about } = page;
  const searched = searchedFor(args);
  if (pattern === undefined) {
    const lines = linesWithWords(text, keywords ?? [], join);
    return { ...about, searched, ...excerptLines(text, lines, args) };
  }
  const job = {
    type: "find",
    text,
    pattern,
    ignoreCase,
    multiline: true,
    max: mostMatches,
  } as const;
  const result = await runRegex(job, { signal: context.signal, user: context.principal.id });
  if (result.status === "invalid")
    return toolError({ code: "invalid_pattern", message: result.message });
  if (result.status !== "found")
    return toolError({
      code: "pattern_too_slow",
      message: `The search takes more than ${regexTimeoutMs / 1000} seconds. Use a simpler pattern, or keywords.`,
    });
  const lines = linesAt(
    text,
    result.matches.map(({ start }) => start),
  );
  return {
    ...about,
    searched,
    ...excerptLines(text, lines, args),
    ...(result.more && { more: true }),
  };
}

function searchedFor({ keywords = [], join, pattern }: Args): string {
  if (pattern !== undefined) return `/${pattern}/`;
  return keywords.map((word) => `"${word}"`).join(join === "all" ? " and " : " or ");
}

function formatFound({ searched, matches, shown, excerpts, more, ...page }: Found): string {
  const head = pageHead(page);
  if (matches === 0) return `${head}\n\n${searched} is not on the page.`;
  const count = `${more === true ? "At least " : ""}${countOf(matches, "line")}`;
  const blocks = excerpts.map(({ page, line, text }) => `[page ${page}, line ${line}]\n${text}`);
  const part = shown < matches ? ` The first ${shown}:` : "";
  return `${head}\n\n${count} with ${searched}.${part}\n\n${blocks.join("\n\n")}`;
}
