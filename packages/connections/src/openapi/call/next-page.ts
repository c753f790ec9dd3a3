import type { ToolArgs } from "@capstan/core";
import type { Operation } from "../definition/operation.ts";

/** The names of fields that hold the position of the next page. */
const cursorFields = [
  "next_cursor",
  "nextCursor",
  "next_page_token",
  "nextPageToken",
  "next_token",
  "nextToken",
  "continuation_token",
  "continue",
];
/** Objects in the value that can also hold these fields. */
const cursorObjects = ["response_metadata", "metadata", "meta", "pagination", "paging"];
/** The names of parameters that take the position, in the order of preference. */
const cursorParameters = [
  "cursor",
  "page_token",
  "pageToken",
  "next_token",
  "nextToken",
  "continuation_token",
  "continue",
  "after",
];

/**
 * Returns the arguments of the call that reads the next page, if the response names it: in a `Link`
 * header, or in a field that fits one of the operation's parameters.
 */
export function nextPage(
  operation: Pick<Operation, "parameters" | "path">,
  args: ToolArgs,
  response: { readonly headers: Headers; readonly url: URL; readonly value: unknown },
): ToolArgs | undefined {
  const { headers, url, value } = response;
  const linked = nextLink(headers.get("link") ?? "", url);
  const found = linked === undefined ? undefined : argumentsOf(operation, linked, url);
  if (found !== undefined) return { ...args, ...found };
  const cursor = cursorOf(value);
  const parameter = operation.parameters.find(
    (one) => one.in === "query" && cursorParameters.includes(one.name),
  );
  return cursor === undefined || parameter === undefined
    ? undefined
    : { ...args, [parameter.argument]: cursor };
}

function nextLink(header: string, base: URL): URL | undefined {
  for (const [, target = "", parameters = ""] of header
    .slice(0, 8_000)
    .matchAll(/<([^<>]*)>([^<]*)/g)) {
    if (!/;\s*rel="?(?:[\w ]*\s)?next\b/i.test(parameters)) continue;
    return URL.parse(target, base) ?? undefined;
  }
  return undefined;
}

/** Returns the arguments with which the operation requests a URL, or undefined if it cannot. */
function argumentsOf(
  operation: Pick<Operation, "parameters">,
  next: URL,
  current: URL,
): ToolArgs | undefined {
  if (next.host !== current.host || next.pathname !== current.pathname) return undefined;
  const changed: { [argument: string]: string | number } = {};
  for (const [name, value] of next.searchParams) {
    if (current.searchParams.get(name) === value) continue;
    const parameter = operation.parameters.find((one) => one.in === "query" && one.name === name);
    if (parameter === undefined) return undefined;
    changed[parameter.argument] = /^\d{1,15}$/.test(value) ? Number(value) : value;
  }
  return Object.keys(changed).length === 0 ? undefined : changed;
}

function cursorOf(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  for (const holder of [value, ...cursorObjects.map((name) => value[name])]) {
    if (!isObject(holder)) continue;
    for (const field of cursorFields) {
      const cursor = holder[field];
      if (typeof cursor === "string" && cursor !== "" && cursor.length <= 2_000) return cursor;
    }
  }
  return undefined;
}

/**
 * Appends a page to the pages before it: to their list, or to the only list in their object.
 *
 * @returns undefined if the pages have no such list
 */
export function joinPages(before: unknown, page: unknown): unknown {
  if (Array.isArray(before) && Array.isArray(page))
    return [...(before as readonly unknown[]), ...(page as readonly unknown[])];
  if (!isObject(before) || !isObject(page)) return undefined;
  const lists = Object.keys(page).filter((key) => Array.isArray(page[key]));
  const [key] = lists;
  const earlier = key === undefined ? undefined : before[key];
  if (lists.length !== 1 || key === undefined || !Array.isArray(earlier)) return undefined;
  return { ...page, [key]: [...(earlier as unknown[]), ...(page[key] as unknown[])] };
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
