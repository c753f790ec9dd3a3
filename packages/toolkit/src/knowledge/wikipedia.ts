import {
  defineTool,
  type Tool,
  type ToolContext,
  type ToolError,
  toolError,
  withAnnotations,
  type WithAnnotations,
} from "@capstan/core";
import { returnNetworkErrors } from "@capstan/sandbox";
import { z } from "zod";
import { decodeEntities } from "../html/strip-tags.ts";
import { serviceErrors } from "../service/reply-failure.ts";
import { countOf } from "../text/format-bytes.ts";
import { type Article, findSection, splitArticle } from "./article-sections.ts";
import { askWikipedia, type WikipediaAccess } from "./wikipedia-api.ts";

const parameters = z
  .object({
    query: z.string().min(1).max(300).optional().describe("Words to search for."),
    title: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe("The title of an article to read, instead of a search."),
    section: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe(
        'The heading or the number of a section, or "all". Without it: the introduction and the list of sections.',
      ),
    language: z
      .string()
      .refine((code) => /^[a-z]{2,12}(?:-[a-z]{2,12}){0,2}$/.test(code), {
        error: "expected a code such as en or zh",
      })
      .default("en")
      .describe("The language code of the encyclopedia."),
    limit: z.int().min(1).max(50).default(8).describe("The number of search results."),
  })
  .refine(({ query, title }) => (query === undefined) !== (title === undefined), {
    error: "give either query, to search, or title, to read an article",
  })
  .refine(({ section, title }) => section === undefined || title !== undefined, {
    error: "section needs the title of its article",
  })
  .meta({ examples: [{ query: "tides" }] });

type Args = z.infer<typeof parameters>;

interface Hit {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
  readonly words: number;
  readonly edited: string;
}

interface Search {
  readonly query: string;
  readonly language: string;
  readonly total: number;
  readonly results: readonly Hit[];
  readonly suggestion?: string;
}

interface Page {
  readonly title: string;
  readonly url: string;
  readonly language: string;
  /** The title that redirects to this article. */
  readonly redirectedFrom?: string;
  readonly isDisambiguation: boolean;
  readonly section?: string;
  readonly text: string;
  readonly sections: readonly string[];
}

/** `Wikipedia`: search articles, and read them section by section, in any language. */
export function wikipedia(access: WikipediaAccess): Tool {
  return defineTool({
    name: "Wikipedia",
    description:
      "Searches Wikipedia (query), or reads an article (title): its introduction and list of sections, or one section.",
    parameters,
    effects: "read",
    permission: { executionPolicy: "ask-once" },
    timeoutMs: 90_000,
    // Wikimedia asks clients for at most three requests at a time.
    maxConcurrent: 3,
    retry: { attempts: 3, baseMs: 1_000, maxMs: 10_000 },
    declaredReturnType: {
      type: "{results: {title, url, snippet, words, edited}[]} | {title, url, text, sections: string[]}",
    },
    examples: [
      { title: "Searches the German Wikipedia.", args: { query: "Gezeiten", language: "de" } },
      {
        title: "Reads one section of an article.",
        args: { title: "Tide", section: "Tidal constituents" },
      },
    ],
    errors: {
      ...serviceErrors,
      no_such_article: "there is no article of this title; the message names similar ones",
      no_such_section: "the article has no such section; the message lists its sections",
      no_such_language: "there is no Wikipedia in this language",
    },
    compressArgs: ({ query, title, section }) =>
      [query ?? title, ...(section === undefined ? [] : [section])].join(", "),
    formatForLLM: (data: Search | Page) =>
      "results" in data ? formatSearch(data) : formatPage(data),
    execute: (args, context) =>
      returnNetworkErrors<Search | WithAnnotations | ToolError>(() =>
        args.query === undefined
          ? read(args, context, access)
          : search(args, args.query, context, access),
      ),
  });
}

const searchReply = z.object({
  query: z.object({
    searchinfo: z
      .object({ totalhits: z.number().optional(), suggestion: z.string().optional() })
      .optional(),
    search: z.array(
      z.object({
        title: z.string(),
        snippet: z.string().default(""),
        wordcount: z.number().default(0),
        timestamp: z.string().default(""),
      }),
    ),
  }),
});

async function search(
  { language, limit }: Pick<Args, "language" | "limit">,
  query: string,
  context: ToolContext,
  access: WikipediaAccess,
): Promise<Search | WithAnnotations> {
  context.output.progress({ message: `Searching Wikipedia (${language})` });
  const { query: found } = await askWikipedia(
    access,
    { language, context, schema: searchReply },
    {
      list: "search",
      srsearch: query,
      srlimit: String(limit),
      srinfo: "totalhits|suggestion",
      srprop: "snippet|wordcount|timestamp",
    },
  );
  const results = found.search.map(({ title, snippet, wordcount, timestamp }) => ({
    title,
    url: articleUrl(access, language, title),
    snippet: plainText(snippet),
    words: wordcount,
    edited: timestamp.slice(0, 10),
  }));
  const { totalhits: total = results.length, suggestion } = found.searchinfo ?? {};
  return { query, language, total, results, ...(suggestion !== undefined && { suggestion }) };
}

const pageReply = z.object({
  query: z.object({
    redirects: z.array(z.object({ from: z.string(), to: z.string() })).optional(),
    pages: z.array(
      z.object({
        title: z.string(),
        missing: z.boolean().optional(),
        invalid: z.boolean().optional(),
        invalidreason: z.string().optional(),
        extract: z.string().optional(),
        canonicalurl: z.string().optional(),
        pageprops: z.record(z.string(), z.unknown()).optional(),
      }),
    ),
  }),
});

async function read(
  { title = "", section, language }: Args,
  context: ToolContext,
  access: WikipediaAccess,
): Promise<WithAnnotations | ToolError> {
  context.output.progress({ message: `Reading "${title}" on Wikipedia (${language})` });
  const { query } = await askWikipedia(
    access,
    { language, context, schema: pageReply },
    {
      prop: "extracts|info|pageprops",
      explaintext: "1",
      exsectionformat: "wiki",
      exlimit: "1",
      inprop: "url",
      ppprop: "disambiguation",
      redirects: "1",
      // `|` separates several titles.
      titles: title.replaceAll("|", " "),
    },
  );
  const [page] = query.pages;
  if (page === undefined || page.missing === true || page.invalid === true)
    return missing(title, page?.invalidreason, await similar(title, language, context, access));
  const url = page.canonicalurl ?? articleUrl(access, language, page.title);
  const article = splitArticle(page.extract ?? "");
  const found = section === undefined ? undefined : findSection(article, section);
  if (section !== undefined && found === undefined)
    return toolError({
      code: "no_such_section",
      message: `"${page.title}" has no section "${section}". ${sectionList(article)}`,
    });
  const redirectedFrom = query.redirects?.[0]?.from;
  const data: Page = {
    title: page.title,
    url,
    language,
    ...(redirectedFrom !== undefined && { redirectedFrom }),
    isDisambiguation: page.pageprops?.["disambiguation"] !== undefined,
    ...(found !== undefined && { section: found.heading }),
    text: found?.text ?? article.introduction,
    sections: article.sections.map(({ number, heading }) => `${number} ${heading}`),
  };
  return withAnnotations(data, [{ type: "url_citation", url, title: `${page.title} – Wikipedia` }]);
}

async function similar(
  title: string,
  language: string,
  context: ToolContext,
  access: WikipediaAccess,
): Promise<readonly string[]> {
  const { query } = await askWikipedia(
    access,
    { language, context, schema: searchReply },
    { list: "search", srsearch: title, srlimit: "5", srprop: "" },
  );
  return query.search.map((hit) => hit.title);
}

function missing(title: string, reason: string | undefined, near: readonly string[]): ToolError {
  const hint =
    near.length === 0
      ? "A search finds nothing similar."
      : `Similar articles: ${near.map((one) => `"${one}"`).join(", ")}.`;
  return toolError({
    code: "no_such_article",
    message:
      reason === undefined
        ? `There is no article "${title}". ${hint}`
        : `"${title}" cannot be a title (${plainText(reason)}). ${hint}`,
  });
}

function sectionList({ sections }: Article): string {
  return sections.length === 0
    ? "It has no sections."
    : `It has: ${sections.map(({ number, heading }) => `${number} ${heading}`).join("; ")}.`;
}

function articleUrl({ url }: WikipediaAccess, language: string, title: string): string {
  return `${url.replace("{language}", language)}/wiki/${encodeURIComponent(title.replaceAll(" ", "_"))}`;
}

/** Snippets mark matching words with HTML. */
function plainText(html: string): string {
  return decodeEntities(html.replaceAll(/<[^<>]*>/g, ""))
    .replaceAll(/\s+/g, " ")
    .trim();
}

function formatSearch({ query, total, results, suggestion }: Search): string {
  const hint = suggestion === undefined ? "" : ` Did you mean "${plainText(suggestion)}"?`;
  if (results.length === 0) return `Wikipedia has no article for "${query}".${hint}`;
  const lines = results.map(
    ({ title, url, snippet, words }, at) =>
      `${at + 1}. ${title} (${countOf(words, "word")})\n   ${url}\n   ${snippet}`,
  );
  return `${countOf(total, "article")} for "${query}", the first ${results.length}:${hint}\n\n${lines.join("\n")}`;
}

function formatPage(page: Page): string {
  const { title, url, section, text, sections, redirectedFrom, isDisambiguation } = page;
  const notes = [
    ...(redirectedFrom === undefined ? [] : [`Redirected from "${redirectedFrom}".`]),
    ...(isDisambiguation ? ["The title has several meanings; read one of those listed."] : []),
  ];
  return [
    `# ${title}${section === undefined ? "" : `: ${section}`}`,
    `Source: ${url} (CC BY-SA)`,
    ...notes,
    "",
    text === "" ? "[This part has no text.]" : text,
    ...(section === undefined && sections.length > 0
      ? ["", `Sections (read one with section): ${sections.join("; ")}`]
      : []),
  ].join("\n");
}
