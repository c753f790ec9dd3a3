import { defineTool, type Tool, type ToolContext, type ToolError, toolError } from "@capstan/core";
import { parseAddress, returnNetworkErrors } from "@capstan/sandbox";
import { z } from "zod";
import type { ExtractedElement, Extraction } from "../html/extract-elements.ts";
import { countOf } from "../text/format-bytes.ts";
import { pageHead, pagePermission, urlParameter } from "./fetch-web-page.ts";
import type { PageSource } from "../pages/page-source.ts";
import { htmlErrors } from "./web-errors.ts";

/** The parameter for a CSS selector. */
export const selectorParameter = z.string().trim().min(1).max(1_000);

const parameters = z.object({
  url: urlParameter,
  selector: selectorParameter.describe('A CSS selector, for example "table.prices tr > td".'),
  attributes: z
    .array(z.string().min(1).max(100).toLowerCase())
    .max(20)
    .optional()
    .describe("The attributes to return, for example href. Default: all of them."),
  source: z.boolean().default(false).describe("Also return the HTML of each element."),
  skip: z.int().min(0).max(50_000).default(0).describe("Matches to leave out at the beginning."),
  limit: z.int().min(1).max(500).default(20).describe("The maximum number of elements."),
  length: z
    .int()
    .min(1)
    .max(100_000)
    .default(2_000)
    .describe("The maximum characters of an element's text and HTML; the rest is omitted."),
});

type Args = z.infer<typeof parameters>;

interface Extracted extends Omit<
  Extract<Extraction, { readonly status: "extracted" }>,
  "status" | "cut"
> {
  readonly url: string;
  readonly selector: string;
  readonly note?: string;
}

/** `ExtractHTML`: returns the elements of a page that match a CSS selector. */
export function extractHtml(
  source: PageSource,
  { timeoutMs }: { readonly timeoutMs: number },
): Tool {
  return defineTool({
    name: "ExtractHTML",
    description:
      "Returns the elements of a public web page that match a CSS selector: text, attributes and, with source, HTML. Links are absolute. Scripts of the page do not run. Pages that were just fetched are not fetched again.",
    parameters,
    effects: "read",
    examples: [
      {
        title: "List the links of a menu.",
        args: { url: "https://example.org/", selector: "nav a", attributes: ["href"] },
      },
      {
        title: "Return the HTML of the first table.",
        args: {
          url: "https://example.org/prices",
          selector: "table",
          source: true,
          limit: 1,
          length: 20_000,
        },
      },
    ],
    errors: htmlErrors,
    permission: pagePermission,
    timeoutMs: 2 * timeoutMs + 5_000,
    declaredReturnType: {
      type: "{ matches: number, elements: { number, tag, attributes, text, html? }[] }",
    },
    compressArgs: ({ url, selector }) => `${url}, ${selector}`,
    formatForLLM: formatExtracted,
    execute: (args, context) => returnNetworkErrors(() => run(args, context, source)),
  });
}

async function run(
  { url: written, selector, ...options }: Args,
  context: ToolContext,
  source: PageSource,
): Promise<Extracted | ToolError> {
  const { url, value } = await source.run<"extract">(
    { url: parseAddress(written), context },
    { type: "extract", options: { selector, ...options } },
  );
  if (value.status === "invalid_selector") return invalidSelector(selector, value.message);
  const { status: _, cut, ...extracted } = value;
  return {
    url,
    selector,
    ...extracted,
    ...(cut !== undefined && {
      note: `The page is too large: it has ${cut}. Only its beginning was read.`,
    }),
  };
}

/** The error for a selector that is not valid. */
export function invalidSelector(selector: string, reason: string): ToolError {
  return toolError({
    code: "invalid_selector",
    message: `"${selector}" is not a CSS selector: ${reason}. InspectDOMStructure shows the tags, ids and classes of the page.`,
  });
}

function formatExtracted(extracted: Extracted): string {
  const { selector, matches, elements } = extracted;
  const head = pageHead(extracted);
  if (matches === 0)
    return `${head}\n\nNo element matches ${selector}. InspectDOMStructure shows the tags, ids and classes of the page.`;
  const first = elements[0]?.number ?? 0;
  const last = elements.at(-1)?.number ?? 0;
  const shown =
    elements.length === matches
      ? ""
      : elements.length === 0
        ? `, none after ${matches}`
        : `, here ${first} to ${last}`;
  const more = last > 0 && last < matches ? `\n\n[Read on with skip ${last}.]` : "";
  return `${head}\n\n${countOf(matches, "match", "matches")} of ${selector}${shown}:\n\n${elements.map(formatElement).join("\n")}${more}`;
}

function formatElement({ number, tag, attributes, text, html, cutFrom }: ExtractedElement): string {
  const named = Object.entries(attributes).map(([name, value]) => ` ${name}="${value}"`);
  const cut = cutFrom === undefined ? "" : ` [truncated, of ${cutFrom} characters]`;
  return [
    `${number}. <${tag}${named.join("")}> ${text}${cut}`,
    ...(html === undefined ? [] : ["```html", html, "```"]),
  ].join("\n");
}
