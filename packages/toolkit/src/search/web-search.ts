import {
  type Annotation,
  defineTool,
  type Tool,
  type ToolContext,
  type WithAnnotations,
  withAnnotations,
} from "@capstan/core";
import { returnNetworkErrors } from "@capstan/sandbox";
import { z } from "zod";
import { countOf } from "../text/format-bytes.ts";
import { freshnesses, type SearchHit, type SearchReply } from "./providers/search-query.ts";
import type { OptionalParameter, SearchProvider } from "./providers/search-provider.ts";
import { requestedSearch } from "./requested-search.ts";
import { type SearchServer, sendSearch } from "./send-search.ts";

const domain = z
  .string()
  .max(253)
  .regex(/^[\p{L}\p{N}.-]+$/u, "must be a domain such as example.org");

const optional = {
  page: z.int().min(1).max(20).optional().describe("The page of results, from 1."),
  freshness: z.enum(freshnesses).optional().describe("Only pages of the last day, week and so on."),
  language: z
    .string()
    .regex(/^[a-z]{2}$/, "must be two small letters such as de")
    .optional()
    .describe("Language of the pages, such as de."),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/, "must be two capital letters such as DE")
    .optional()
    .describe("Country of the search, such as DE."),
} as const satisfies { readonly [name in OptionalParameter]: z.ZodType };

const parameters = z.object({
  query: z.string().trim().min(1).max(400).describe("The words to search for."),
  count: z.int().min(1).max(50).default(8).describe("The number of results."),
  ...optional,
  domains: z.array(domain).max(20).default([]).describe("Only pages of these domains."),
  excludedDomains: z.array(domain).max(20).default([]).describe("No pages of these domains."),
});

type Args = z.infer<typeof parameters>;

interface SearchResult {
  readonly service: string;
  readonly query: string;
  readonly answer?: string;
  readonly results: readonly SearchHit[];
  /** Conditions that the service does not support. */
  readonly note?: string;
}

/**
 * `WebSearch`: searches the public web through the configured service. The tool has only the
 * parameters that this service supports, so the gate rejects a call with another one.
 *
 * @param server the service; if it is absent, the tool shows all parameters and cannot be called
 */
export function webSearch(server: SearchServer | undefined): Tool {
  const provider = server?.provider;
  return defineTool({
    name: "WebSearch",
    description: `Searches the public web${provider === undefined ? "" : ` with ${provider.title}`}. Returns titles, addresses and excerpts; FetchWebPage reads a page.`,
    parameters: parametersOf(provider),
    effects: "read",
    examples: [
      { title: "Search the web.", args: { query: "spring tides in the North Sea" } },
      {
        title: "Search one site.",
        args: { query: "release notes", domains: ["nodejs.org"], count: 5 },
      },
    ],
    errors: {
      invalid_key: "The service rejects its key. The user must check it.",
      quota_exceeded: "The plan of the service is used up.",
      rate_limited: "Too many searches. The error says when to try again, if the service says so.",
      invalid_query: "The service rejects the query.",
      service_failed: "The service failed; a later search can succeed.",
      unreachable: "The service did not answer.",
      timed_out: "The service took too long.",
      unexpected_reply: "The service sent an unexpected reply.",
      denied_host: "A rule denies the service.",
      private_address: "The service's name leads to a private address.",
      too_large: "The reply is larger than 4 MiB.",
    },
    // The query leaves this machine for a third party.
    permission: { executionPolicy: "ask-once" },
    timeoutMs: 60_000,
    compressArgs: ({ query }) => query,
    formatForLLM: formatResult,
    execute: (args, context) => {
      if (server === undefined) throw new Error("No search service is configured.");
      return returnNetworkErrors(() => search(args, server, context));
    },
  });
}

function parametersOf(provider: SearchProvider | undefined): z.ZodType<Args> {
  if (provider === undefined) return parameters;
  const { takes, mostResults, lastPage } = provider;
  const missing = Object.keys(optional).filter(
    (name) => !takes.includes(name as OptionalParameter),
  );
  const shape = Object.fromEntries(
    Object.entries(parameters.shape).filter(([name]) => !missing.includes(name)),
  );
  const count = z.int().min(1).max(mostResults).default(Math.min(8, mostResults));
  return z.strictObject({
    ...shape,
    count: count.describe("The number of results."),
    ...(takes.includes("page") &&
      lastPage !== undefined && {
        page: z.int().min(1).max(lastPage).optional().describe("The page of results, from 1."),
      }),
  }) as unknown as z.ZodType<Args>;
}

async function search(
  args: Args,
  server: SearchServer,
  context: ToolContext,
): Promise<WithAnnotations> {
  const { provider } = server;
  const { query, ignored } = requestedSearch(args, provider, context.tool);
  context.output.event("web_search.searching", { query: query.query });
  context.output.progress({ message: `Searching with ${provider.title}` });
  const { hits, answer } = await sendSearch(query, server, context);
  const result: SearchResult = {
    service: provider.title,
    query: query.query,
    ...(answer !== undefined && { answer }),
    results: hits,
    ...(ignored.length > 0 && {
      note: `${provider.title} does not support these conditions of the request: ${ignored.join(", ")}.`,
    }),
  };
  context.output.event("web_search.completed", {
    sources: hits.map(({ url }) => ({ url })),
    results: hits.map(({ url, title, snippet }) => ({ url, title, text: snippet })),
  });
  return withAnnotations(result, citations({ hits }));
}

function citations({ hits }: Pick<SearchReply, "hits">): readonly Annotation[] {
  return hits.map(({ url, title }) => ({
    type: "url_citation",
    url,
    ...(title !== "" && { title }),
  }));
}

function formatResult({ service, query, answer, results, note }: SearchResult): string {
  const found =
    results.length === 0
      ? `${service} found nothing for "${query}". Try other words, or fewer conditions.`
      : `${countOf(results.length, "result")} of ${service} for "${query}":`;
  const listed = results.map(({ title, url, snippet, published }, index) =>
    [
      `${index + 1}. ${title === "" ? url : title}`,
      `   ${url}${published === undefined ? "" : ` (${published})`}`,
      ...(snippet === "" ? [] : [`   ${snippet}`]),
    ].join("\n"),
  );
  return [
    found,
    ...(answer === undefined ? [] : [`Answer of the service: ${answer}`]),
    ...listed,
    ...(note === undefined ? [] : [`[${note}]`]),
  ].join("\n\n");
}
