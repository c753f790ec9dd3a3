import type { JsonObject, JsonSchema, JsonValue } from "../base/json.ts";
import { isList, isObject } from "../json/json-value.ts";
import { shortJson } from "../json/short-json.ts";
import { isUrlFormat, isUrlName } from "./prepare-arguments.ts";
import { readUrl } from "./read-url.ts";
import { type SchemaAt, schemaView } from "./schema-view.ts";

/** Arguments with URLs in canonical form, or a message that names an ambiguous URL. */
export type PlainUrls =
  | { readonly status: "plain"; readonly args: JsonObject }
  | { readonly status: "ambiguous"; readonly message: string };

/**
 * Returns arguments with their URLs in the form of the WHATWG standard, so that rules, grants and
 * the tool see the same host. A text is treated as a URL if its schema has a `format` for URLs, or
 * if its name says so.
 */
export function plainUrls(args: JsonObject, schema: JsonSchema): PlainUrls {
  const view = schemaView(schema);
  let problem: string | undefined;
  const plain = (value: JsonValue, at: SchemaAt, name: string): JsonValue => {
    if (isList(value))
      return value.map((item, index) => plain(item, view.child(at, index, value), name));
    if (isObject(value))
      return Object.fromEntries(
        Object.entries(value).map(([key, member]) => [
          key,
          plain(member, view.child(at, key, value), key),
        ]),
      );
    if (typeof value !== "string" || !(isUrlName(name) || hasUrlFormat(at))) return value;
    const read = readUrl(value);
    if (read.status === "other") return value;
    if (read.status === "plain") return read.url.href;
    problem ??= `${name}: ${shortJson(value, 200)} ${read.reason}, so programs may read different hosts from it. Write the URL plainly, for example https://example.org/page.`;
    return value;
  };
  const result = plain(args, schema, "") as JsonObject;
  return problem === undefined
    ? { status: "plain", args: result }
    : { status: "ambiguous", message: problem };
}

function hasUrlFormat(at: SchemaAt): boolean {
  if (typeof at === "boolean") return false;
  const parts = ["allOf", "anyOf", "oneOf"].flatMap((key) => (isList(at[key]) ? at[key] : []));
  return isUrlFormat(at["format"]) || parts.some((part) => isObject(part) && hasUrlFormat(part));
}
