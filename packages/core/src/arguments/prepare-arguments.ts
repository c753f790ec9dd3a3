import type { JsonObject, JsonValue, JsonSchema, ToolArgs } from "../base/json.ts";
import type { ToolErrorData } from "../base/errors.ts";
import { countKeys, describeType, isList, isObject } from "../json/json-value.ts";
import { scanJson } from "../json/json-scan.ts";
import { findRepeatedKey } from "../json/repeated-key.ts";
import type { ToolDefinition } from "../model/model.ts";
import { schemaView, type SchemaAt } from "./schema-view.ts";
import { nearestNames } from "../text/nearest-name.ts";
import { coerceArguments } from "./coerce-types.ts";
import { restoreArguments, unwrapArguments } from "./restore-arguments.ts";
import { isTooCostlyToRepair } from "./validation-issue.ts";
import { type CompileOptions, compileSchema, type ValidationIssue } from "./validator.ts";

const maxIssues = 8;

/** Valid arguments with descriptions of their repairs, or an error for the model. */
export type PreparedArguments =
  | { readonly status: "valid"; readonly args: JsonObject; readonly repairs: readonly string[] }
  | { readonly status: "invalid"; readonly error: ToolErrorData };

/** The options of `prepareArguments`. */
export interface PrepareOptions extends CompileOptions {
  /** Valid arguments, which an error shows. @default none */
  readonly example?: ToolArgs | undefined;
}

/** The longest example that an error shows, in characters. */
const longestExample = 300;

/**
 * Validates arguments. If they are invalid, repairs them without loss and validates them again.
 *
 * @param schema of the arguments; without one, all arguments are valid
 * @returns the arguments with their repairs, or an error (`invalid_arguments`) from which a model
 * can correct its call; `invalid_schema` if the tool's schema cannot be used
 */
export function prepareArguments(
  args: JsonObject,
  schema: JsonSchema | undefined,
  options: PrepareOptions = {},
): PreparedArguments {
  if (schema === undefined) return { status: "valid", args, repairs: [] };
  const compiled = compileSchema(schema, options);
  if (compiled.status === "refused") {
    const message = `The tool cannot be called, because its schema cannot be used: ${compiled.message}`;
    return { status: "invalid", error: { code: "invalid_schema", message } };
  }
  const { validator } = compiled;
  if (validator.isValid(args)) return { status: "valid", args, repairs: [] };
  const issues = validator.validate(args);
  // Repairs take at least as long as the check.
  if (isTooCostlyToRepair(issues))
    return { status: "invalid", error: argumentsError(issues, { args, schema }) };
  const repaired = coerceArguments(args, schema);
  if (repaired && validator.isValid(repaired.args)) return { status: "valid", ...repaired };
  const inner = unwrapArguments(args, schema);
  if (inner !== undefined) {
    const unwrapped = prepareArguments(inner.args, schema, options);
    if (unwrapped.status === "valid")
      return { ...unwrapped, repairs: [...inner.repairs, ...unwrapped.repairs] };
  }
  const left = repaired?.args ?? args;
  return {
    status: "invalid",
    error: argumentsError(left === args ? issues : validator.validate(left), {
      args: left,
      schema,
      example: options.example,
    }),
  };
}

function argumentsError(
  issues: readonly ValidationIssue[],
  {
    args,
    schema,
    example,
  }: { readonly args: JsonObject; readonly schema: JsonSchema } & Pick<PrepareOptions, "example">,
): ToolErrorData {
  const shown = issues.slice(0, maxIssues);
  const lines = shown.map((issue) => `- ${issue.message}${suggestion(issue, args, schema)}`);
  const more = issues.length > maxIssues ? `\n- and ${issues.length - maxIssues} more` : "";
  const details = shown.map(({ path, expected, received, keyword }) => ({
    path,
    expected,
    received,
    keyword,
  }));
  const text = example === undefined ? "" : JSON.stringify(example);
  const like = text === "" || text.length > longestExample ? "" : `\nValid arguments: ${text}`;
  const message = `The arguments are invalid:\n${lines.join("\n")}${more}${like}\nCorrect these and call again.`;
  return { code: "invalid_arguments", message, details };
}

/**
 * Suggests names. For an unknown property: the likely names, or all known ones. For a missing
 * property: a given name that may be its misspelling.
 */
function suggestion(issue: ValidationIssue, args: JsonObject, schema: JsonSchema): string {
  if (issue.keyword !== "additionalProperties" && issue.keyword !== "required") return "";
  const parts = issue.path
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  const name = parts.pop() ?? "";
  const view = schemaView(schema);
  let [at, value]: [SchemaAt, JsonValue | undefined] = [schema, args];
  for (const part of parts) {
    const key: string | number = isList(value) ? Number(part) : part;
    at = view.child(at, key, value);
    value = isObject(value) ? value[part] : isList(value) ? value[Number(part)] : undefined;
  }
  const known = view.keys(at);
  if (issue.keyword === "required") {
    const unknown = isObject(value) ? Object.keys(value).filter((key) => !known.includes(key)) : [];
    const meant = nearestNames(name, unknown, 1)[0];
    return meant === undefined ? "" : `; did you write it as ${meant}?`;
  }
  const nearest = nearestNames(name, known, 1)[0];
  if (nearest !== undefined) return `; did you mean ${nearest}?`;
  return known.length === 0 ? "" : `; known properties: ${known.slice(0, 20).join(", ")}`;
}

/** The maximum depth of lists and objects in a call's arguments. */
export const maxArgumentsDepth = 200;

/** Parsed arguments with descriptions of their repairs, or an error for the model. */
export type ParsedArguments =
  | { readonly status: "parsed"; readonly args: JsonObject; readonly repairs: readonly string[] }
  | { readonly status: "failed"; readonly error: ToolErrorData };

/**
 * Parses a call's arguments in a model's text. An empty text means `{}`. A text that is not JSON
 * is repaired if it has only one possible meaning.
 *
 * @returns the arguments with descriptions of the repairs, or an error that tells a model how to
 * correct them
 * @example parseArguments('```json\n{"path": ".",}\n```') // { status: "parsed", args: { path: "." }, repairs: ["removed the code fence", "removed a trailing comma"] }
 */
export function parseArguments(text: string): ParsedArguments {
  const json = text.trim();
  if (json === "") return { status: "parsed", args: {}, repairs: [] };
  const parsed = parseJson(json);
  if (parsed.status === "broken") {
    const restored = restoreArguments(json);
    return restored !== undefined && isObject(restored.value)
      ? { status: "parsed", args: restored.value, repairs: restored.repairs }
      : failed(`The arguments are not valid JSON: ${parsed.reason}.`);
  }
  const { value } = parsed;
  if (typeof value === "string" && value.trim().startsWith("{")) {
    const inner = parseArguments(value);
    return inner.status === "failed"
      ? failed(`The arguments are a JSON string that does not contain a valid object.`)
      : { ...inner, repairs: ["parsed the object in a JSON string", ...inner.repairs] };
  }
  if (!isObject(value)) return failed(`The arguments are ${describeType(value)}, not an object.`);
  const problem = lossProblem(json, value);
  return problem === undefined ? { status: "parsed", args: value, repairs: [] } : failed(problem);
}

type ParsedJson =
  | { readonly status: "parsed"; readonly value: JsonValue }
  | { readonly status: "broken"; readonly reason: string };

function parseJson(text: string): ParsedJson {
  try {
    return { status: "parsed", value: JSON.parse(text) as JsonValue };
  } catch (thrown) {
    return {
      status: "broken",
      reason: thrown instanceof Error ? thrown.message.slice(0, 200) : "it cannot be read",
    };
  }
}

/**
 * Returns a problem if parsing this valid JSON would lose information, or undefined if it would
 * not.
 */
function lossProblem(json: string, value: JsonValue): string | undefined {
  // Each level needs at least two characters, its brackets.
  if (json.length > 2 * maxArgumentsDepth && isDeeper(value, maxArgumentsDepth)) {
    return `The arguments are nested ${scanJson(json).depth} levels deep; at most ${maxArgumentsDepth} levels are supported.`;
  }
  // A text with as many colons as keys needs no search. Most calls have such a text.
  const repeated = hasMore(json, ":", countKeys(value)) ? findRepeatedKey(json) : undefined;
  if (repeated !== undefined) {
    const at = repeated.path.map((step) => `/${step}`).join("");
    return `The arguments have the key ${JSON.stringify(repeated.key.slice(0, 100))} twice${at && ` at ${at.slice(0, 200)}`}. Send each key once.`;
  }
  const inexact = /\d{16}|\d[eE]\+?\d{3}/.test(json) ? scanJson(json).inexact : undefined;
  if (inexact === undefined) return undefined;
  return `The number ${inexact.slice(0, 40)} in the arguments cannot be represented exactly; send it as a string if the tool takes one.`;
}

/** Whether a character occurs in a text more often than `count` times. */
function hasMore(text: string, character: string, count: number): boolean {
  let at = text.indexOf(character);
  for (let found = 0; at !== -1; at = text.indexOf(character, at + 1)) {
    found += 1;
    if (found > count) return true;
  }
  return false;
}

function isDeeper(value: JsonValue, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (isList(value)) return value.some((item) => isDeeper(item, levels - 1));
  return isObject(value) && Object.values(value).some((item) => isDeeper(item, levels - 1));
}

function failed(problem: string): ParsedArguments {
  const message = `${problem} Send one JSON object, for example {"name": "value"}.`;
  return { status: "failed", error: { code: "invalid_arguments", message } };
}

/** Arguments without the executor's `limit`. */
export interface ExtractedLimit {
  readonly args: JsonObject;
  readonly limit: number | undefined;
  /** Descriptions of the repairs to `limit`. */
  readonly repairs: readonly string[];
}

/**
 * Removes the executor's `limit` from the arguments, before they are validated and shown. No
 * definition contains `limit`; the prompt's rules explain it once. A `limit` that is not a number
 * is dropped with a note, because it only affects how much is shown.
 */
export function extractLimit(args: JsonObject, definition: ToolDefinition): ExtractedLimit {
  if (!Object.hasOwn(args, "limit") || !takesLimit(definition))
    return { args, limit: undefined, repairs: none };
  const { limit, ...rest } = args;
  const number = typeof limit === "string" && limit.trim() !== "" ? Number(limit) : limit;
  if (typeof number === "number" && Number.isFinite(number))
    return { args: rest, limit: Math.trunc(number), repairs: none };
  const repairs = [`/limit: ${describeType(limit)} removed, because it is not a number`];
  return { args: rest, limit: undefined, repairs };
}

const none: readonly string[] = [];

/**
 * Whether the argument `limit` belongs to the executor. If the tool's schema has a `limit`, it
 * belongs to the tool.
 */
function takesLimit({ function: { parameters } }: ToolDefinition): boolean {
  return parameters === undefined || !schemaView(parameters).keys(parameters).includes("limit");
}

/** Whether valid arguments of a schema may contain URLs; computed once for each schema. */
export function mayHoldUrls(schema: JsonSchema): boolean {
  let known = holdingUrls.get(schema);
  if (known === undefined) {
    known = false;
    // Checks keys at any position, because a false match only causes a scan of the arguments.
    JSON.stringify(schema, (key, value: unknown) => {
      known ||= isUrlName(key) || (key === "format" && isUrlFormat(value));
      return value;
    });
    holdingUrls.set(schema, known);
  }
  return known;
}

const holdingUrls = new WeakMap<JsonSchema, boolean>();

/** Returns whether a schema's `format` is a format of URLs. */
export function isUrlFormat(format: unknown): boolean {
  return format === "uri" || format === "url" || format === "iri";
}

/** Whether a name means a URL: `url`, `page_url`, `imageUrls`, `href`; not `curl`. */
export function isUrlName(name: string): boolean {
  return /^(?:.*[-_])?(?:ur[il]s?|href)$/i.test(name) || /[a-z](?:Ur[il]|UR[IL])s?$/.test(name);
}
