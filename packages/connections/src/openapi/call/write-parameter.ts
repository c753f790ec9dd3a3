import type { OperationParameter } from "../definition/operation.ts";

/** A pair of a query or a form, already encoded. */
export type EncodedPair = readonly [name: string, value: string];

/** Encodes all characters that have a meaning in URLs. */
export function encodeValue(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Keeps reserved characters, except those that end a parameter or the query. */
function encodeReserved(text: string): string {
  return encodeValue(text).replaceAll(
    /%(?:3A|2F|3F|5B|5D|40|21|24|27|28|29|2A|2C|3B|3D)/g,
    (code) => decodeURIComponent(code),
  );
}

/** Returns a scalar as text, and other values as JSON. */
export function textOfValue(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** Writes a value into a path: the styles simple, label and matrix. */
export function writePathValue(parameter: OperationParameter, value: unknown): string {
  const { name, style, explode } = parameter;
  const encode = parameter.allowReserved === true ? encodeReserved : encodeValue;
  if (style === "json") return encode(JSON.stringify(value));
  const separator = { label: ".", matrix: ";" }[style as "label" | "matrix"] ?? ",";
  const prefix = style === "label" || style === "matrix" ? separator : "";
  const assigned = style === "matrix" ? `${encode(name)}=` : "";
  if (Array.isArray(value)) {
    const items = value.map((item) => encode(textOfValue(item)));
    return explode
      ? prefix + items.map((item) => assigned + item).join(separator)
      : prefix + assigned + items.join(",");
  }
  if (isObject(value)) {
    const pairs = Object.entries(value).map(([key, member]) => [
      encode(key),
      encode(textOfValue(member)),
    ]);
    return explode
      ? prefix + pairs.map((pair) => pair.join("=")).join(separator)
      : prefix + assigned + pairs.map((pair) => pair.join(",")).join(",");
  }
  return prefix + assigned + encode(textOfValue(value));
}

/**
 * Writes a value into a query or a form: the styles form, spaceDelimited, pipeDelimited and
 * deepObject. Empty lists have no pairs.
 */
export function writeQueryValue(
  parameter: Pick<OperationParameter, "name" | "style" | "explode" | "allowReserved">,
  value: unknown,
): readonly EncodedPair[] {
  const { style, explode } = parameter;
  const encode = parameter.allowReserved === true ? encodeReserved : encodeValue;
  const name = encodeValue(parameter.name);
  if (style === "json") return [[name, encode(JSON.stringify(value))]];
  if (style === "deepObject" && typeof value === "object" && value !== null)
    return deepPairs(parameter.name, value, encode);
  const separator = { spaceDelimited: "%20", pipeDelimited: "%7C" }[style as string] ?? ",";
  if (Array.isArray(value)) {
    const items = value.map((item) => encode(textOfValue(item)));
    if (items.length === 0) return [];
    return explode ? items.map((item) => [name, item] as const) : [[name, items.join(separator)]];
  }
  if (isObject(value)) {
    const pairs = Object.entries(value).map(
      ([key, member]) => [encodeValue(key), encode(textOfValue(member))] as const,
    );
    if (explode) return pairs;
    return [[name, pairs.map((pair) => pair.join(separator)).join(separator)]];
  }
  return [[name, encode(textOfValue(value))]];
}

/** Members in brackets: `filter[color]=red`, `filter[size][min]=3`, `filter[tags][]=a`. */
function deepPairs(
  name: string,
  value: object,
  encode: (text: string) => string,
): readonly EncodedPair[] {
  const pairs: EncodedPair[] = [];
  const write = (at: string, member: unknown): void => {
    if (Array.isArray(member)) for (const item of member) write(`${at}[]`, item);
    else if (isObject(member))
      for (const [key, inner] of Object.entries(member)) write(`${at}[${key}]`, inner);
    else pairs.push([encodeValue(at), encode(textOfValue(member))]);
  };
  write(name, value);
  return pairs;
}

/** Writes the value of a header in the style simple, without encoding. */
export function writeHeaderValue(
  { style, explode }: Pick<OperationParameter, "style" | "explode">,
  value: unknown,
): string {
  if (style === "json") return JSON.stringify(value);
  if (Array.isArray(value)) return value.map(textOfValue).join(",");
  if (!isObject(value)) return textOfValue(value);
  return Object.entries(value)
    .map(([key, member]) => `${key}${explode ? "=" : ","}${textOfValue(member)}`)
    .join(",");
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
