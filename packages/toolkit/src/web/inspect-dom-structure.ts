import { defineTool, type Tool, type ToolContext, type ToolError } from "@capstan/core";
import { parseAddress, returnNetworkErrors } from "@capstan/sandbox";
import { z } from "zod";
import type { Landmark, Outline, OutlinedElement } from "../html/outline-page.ts";
import { countOf } from "../text/format-bytes.ts";
import { invalidSelector, selectorParameter } from "./extract-html.ts";
import { pageHead, pagePermission, urlParameter } from "./fetch-web-page.ts";
import type { PageSource } from "../pages/page-source.ts";
import { htmlErrors } from "./web-errors.ts";

const parameters = z.object({
  url: urlParameter,
  selector: selectorParameter.default("body").describe("The elements to outline."),
  depth: z.int().min(0).max(10).default(4).describe("The levels below these elements."),
  limit: z.int().min(1).max(500).default(150).describe("The maximum number of lines."),
  text: z.boolean().default(true).describe("Whether to show the beginning of texts."),
});

type Args = z.infer<typeof parameters>;

interface Structure extends Omit<
  Extract<Outline, { readonly status: "outlined" }>,
  "status" | "cut"
> {
  readonly url: string;
  readonly selector: string;
  readonly note?: string;
}

/** `InspectDOMStructure`: returns the tags, ids, classes and landmarks of a page. */
export function inspectDomStructure(
  source: PageSource,
  { timeoutMs }: { readonly timeoutMs: number },
): Tool {
  return defineTool({
    name: "InspectDOMStructure",
    description:
      "Outlines a public web page: landmarks with their selectors, and tags with ids and classes, to find a selector for ExtractHTML. Pages that were just fetched are not fetched again.",
    parameters,
    effects: "read",
    examples: [
      { title: "Outline a page.", args: { url: "https://example.org/", depth: 3 } },
      {
        title: "Outline the rows of a table.",
        args: { url: "https://example.org/prices", selector: "table tbody", depth: 2 },
      },
    ],
    errors: htmlErrors,
    permission: pagePermission,
    timeoutMs: 2 * timeoutMs + 5_000,
    declaredReturnType: {
      type: "{ matches: number, landmarks: { role, selector, label? }[], elements: { name, level, times?, text? }[] }",
    },
    compressArgs: ({ url, selector }) => `${url}, ${selector}`,
    formatForLLM: formatStructure,
    execute: (args, context) => returnNetworkErrors(() => run(args, context, source)),
  });
}

async function run(
  { url: written, selector, ...options }: Args,
  context: ToolContext,
  source: PageSource,
): Promise<Structure | ToolError> {
  const { url, value } = await source.run<"outline">(
    { url: parseAddress(written), context },
    { type: "outline", options: { selector, ...options } },
  );
  if (value.status === "invalid_selector") return invalidSelector(selector, value.message);
  const { status: _, cut, ...outline } = value;
  return {
    url,
    selector,
    ...outline,
    ...(cut !== undefined && {
      note: `The page is too large: it has ${cut}. Only its beginning was read.`,
    }),
  };
}

function formatStructure(structure: Structure): string {
  const { selector, matches, landmarks, elements, isCut } = structure;
  const outline =
    matches === 0
      ? `No element matches ${selector}.`
      : [
          `${countOf(matches, "match", "matches")} of ${selector}:`,
          ...elements.map(formatElement),
          ...(isCut
            ? ["[More elements are not shown. Name one in selector, or use less depth.]"]
            : []),
        ].join("\n");
  return [
    pageHead(structure),
    ...(landmarks.length === 0 ? [] : [`Landmarks:\n${landmarks.map(formatLandmark).join("\n")}`]),
    outline,
  ].join("\n\n");
}

function formatLandmark({ role, selector, label }: Landmark): string {
  return `- ${role}: ${selector}${label === undefined ? "" : ` "${label}"`}`;
}

function formatElement(element: OutlinedElement): string {
  const { name, level, times, role, label, text, hidden } = element;
  return [
    `${"  ".repeat(level)}${name}`,
    ...(role === undefined ? [] : [`[role=${role}]`]),
    ...(label === undefined ? [] : [`[label=${label}]`]),
    ...(times === undefined ? [] : [`× ${times}`]),
    ...(text === undefined ? [] : [`"${text}"`]),
    ...(hidden === undefined ? [] : [`(${countOf(hidden, "child", "children")})`]),
  ].join(" ");
}
