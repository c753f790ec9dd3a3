import type { JsonObject, JsonValue } from "@capstan/core";

/** A kind of error that models make in a valid call. */
export interface Corruption {
  readonly name: string;
  /** Whether the corrupted call still has all information. */
  readonly isLossless: boolean;
  /** Returns every such corruption of a call, as the text of its arguments. */
  readonly apply: (call: JsonObject, optional: readonly string[]) => readonly string[];
}

type Path = readonly (string | number)[];

interface Place {
  readonly path: Path;
  readonly value: JsonValue;
}

/** All corruptions, which are applied to the corpus one at a time. */
export const corruptions: readonly Corruption[] = [
  changed("number as text", (value) => (typeof value === "number" ? String(value) : undefined)),
  changed("boolean as text", (value) => (typeof value === "boolean" ? String(value) : undefined)),
  changed("list as text", (value) => (isList(value) ? JSON.stringify(value) : undefined)),
  changed("object as text", (value) =>
    isObject(value) ? JSON.stringify(value, null, 1) : undefined,
  ),
  changed("lone value for a list", (value) =>
    isList(value) && value.length === 1 ? value[0] : undefined,
  ),
  {
    name: "null for an absent optional",
    isLossless: true,
    apply: (call, optional) =>
      optional
        .map((pointer) => pointer.slice(1).split("/"))
        .filter((path) => isObject(at(call, path.slice(0, -1))) && at(call, path) === undefined)
        .map((path) => JSON.stringify(replaced(call, path, null))),
  },
  {
    name: "arguments as text",
    isLossless: true,
    apply: (call) => [JSON.stringify(JSON.stringify(call))],
  },
  {
    name: "trailing comma",
    isLossless: true,
    apply: (call) =>
      places(call)
        .filter(({ value }) => (isList(value) || isObject(value)) && Object.keys(value).length > 0)
        .map(({ path }) => withTrailingComma(call, path)),
  },
  {
    name: "code fence",
    isLossless: true,
    apply: (call) =>
      ["```json\n", "```\n"].map((fence) => `${fence}${JSON.stringify(call, null, 2)}\n\`\`\``),
  },
  changed("whole number with a fraction of zeros, as text", (value) =>
    typeof value === "number" && Number.isSafeInteger(value) && !Object.is(value, -0)
      ? `${value}.0`
      : undefined,
  ),
  written("as Python writes it", python),
  written("curly quotes", (call) => {
    const text = JSON.stringify(call);
    const hasOwnQuotes = /\\"|[“”]/.test(text);
    return hasOwnQuotes ? [] : [text.replace(/"([^"]*)"/g, "“$1”")];
  }),
  written("comments", (call) => {
    const lines = JSON.stringify(call, null, 2).split("\n");
    return lines.length < 2
      ? []
      : [
          lines.join(" // as asked for: [1, 2}\n"),
          lines.join(' # "a": 1,\n'),
          lines.join("/* ' */\n"),
        ];
  }),
  written("raw line breaks in strings", (call) => JSON.stringify(call).replace(/\\n/g, "\n")),
  written("a closing brace too many", (call) => `${JSON.stringify(call)}}`),
  written("without the last brace", (call) => {
    const text = JSON.stringify(call).slice(0, -1);
    // Skips texts that end with a number, which could be truncated, or with the opening brace.
    return /[\d{]$/.test(text) ? [] : [text];
  }),
  written("prose around", (call) => [
    `Here are the arguments:\n\n${JSON.stringify(call)}\n\nThey do what you asked for.`,
    `I will use ${JSON.stringify(call, null, 2)}`,
    `Certainly! The call:\n\`\`\`json\n${JSON.stringify(call)}\n\`\`\``,
  ]),
  written("wrapped", (call) =>
    ["arguments", "input", "kwargs"].map((name) => JSON.stringify({ [name]: call })),
  ),
  {
    ...changed("list as text with commas", (value) =>
      isList(value) && value.length > 1 && value.every((item) => typeof item === "string")
        ? value.join(", ")
        : undefined,
    ),
    isLossless: false,
  },
  {
    name: "missing required",
    isLossless: false,
    apply: (call) =>
      places(call)
        .filter(({ path }) => typeof path.at(-1) === "string")
        .map(({ path }) => JSON.stringify(replaced(call, path, undefined))),
  },
  { ...changed("wrong type", ofAnotherType), isLossless: false },
];

/** Creates a corruption of the notation of a whole call. It applies only if the text changes. */
function written(
  name: string,
  write: (call: JsonObject) => string | readonly string[],
): Corruption {
  const texts = (call: JsonObject): readonly string[] => [write(call)].flat();
  return {
    name,
    isLossless: true,
    apply: (call) => texts(call).filter((text) => text !== JSON.stringify(call)),
  };
}

/**
 * Returns a value in Python notation. A string with an apostrophe and no double quote is in double
 * quotes, any other string in single quotes.
 */
export function python(value: JsonValue): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (isList(value)) return `[${value.map(python).join(", ")}]`;
  if (isObject(value)) {
    const members = Object.entries(value);
    return `{${members.map(([key, member]) => `${python(key)}: ${python(member)}`).join(", ")}}`;
  }
  const json = JSON.stringify(value);
  if (typeof value !== "string" || (value.includes("'") && !value.includes('"'))) return json;
  return `'${json.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/** Creates a corruption of each value, one at a time, for which `change` returns a replacement. */
function changed(name: string, change: (value: JsonValue) => JsonValue | undefined): Corruption {
  return {
    name,
    isLossless: true,
    apply: (call) =>
      places(call).flatMap(({ path, value }) => {
        const other = path.length === 0 ? undefined : change(value);
        return other === undefined ? [] : [JSON.stringify(replaced(call, path, other))];
      }),
  };
}

function ofAnotherType(value: JsonValue): JsonValue {
  if (typeof value === "string") return 7;
  if (typeof value === "number" || value === null) return "some";
  if (typeof value === "boolean") return "perhaps";
  return isList(value) ? { unexpected: true } : "unexpected";
}

function places(value: JsonValue, path: Path = []): readonly Place[] {
  const members: readonly (readonly [string | number, JsonValue])[] = isList(value)
    ? value.map((item, index) => [index, item] as const)
    : isObject(value)
      ? Object.entries(value)
      : [];
  return [{ path, value }, ...members.flatMap(([key, member]) => places(member, [...path, key]))];
}

function at(value: JsonValue, path: Path): JsonValue | undefined {
  let found: JsonValue | undefined = value;
  for (const key of path)
    found = isList(found) ? found[Number(key)] : isObject(found) ? found[key] : undefined;
  return found;
}

/** Returns the value with another value at a path; undefined removes the property. */
function replaced(value: JsonValue, [key, ...rest]: Path, other: JsonValue | undefined): JsonValue {
  if (key === undefined) return other ?? null;
  if (isList(value))
    return value.map((item, index) => (index === Number(key) ? replaced(item, rest, other) : item));
  if (!isObject(value)) return value;
  if (rest.length > 0) return { ...value, [key]: replaced(value[key] ?? null, rest, other) };
  const others = Object.entries(value).filter(([name]) => name !== key);
  return Object.fromEntries(other === undefined ? others : [...others, [key, other]]);
}

function withTrailingComma(value: JsonValue, path: Path | undefined): string {
  const comma = path?.length === 0 ? "," : "";
  const inner = (key: string | number): Path | undefined =>
    path?.[0] === key ? path.slice(1) : undefined;
  if (isList(value))
    return `[${value.map((item, index) => withTrailingComma(item, inner(index))).join(",")}${comma}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, member]) => `${JSON.stringify(key)}:${withTrailingComma(member, inner(key))}`,
  );
  return `{${members.join(",")}${comma}}`;
}

function isList(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
