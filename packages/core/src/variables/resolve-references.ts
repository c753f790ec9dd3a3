import { copyJson, isList, jsonTypes, typeOf } from "../json/json-value.ts";
import { type SchemaAt, schemaView } from "../arguments/schema-view.ts";
import type { JsonObject, JsonSchema, JsonValue } from "../base/json.ts";
import type { ToolErrorData } from "../base/errors.ts";
import { missingInValue, pointerPart, readPointer } from "../json/json-pointer.ts";
import { isReadable, readBack } from "./missing-variable.ts";
import { sliceText } from "../text/slice.ts";
import { dataSize, utf8Length } from "./variable-input.ts";
import type { VariableSystem } from "./variable-system.ts";
import { maxNameLength } from "./variable-name.ts";
import type { Variable } from "./variable.ts";

const none: readonly string[] = [];

/** The maximum UTF-8 bytes of all values that references insert into the arguments of one call. */
const maxBytes = 8 * 1024 * 1024;

/** The maximum depth of arguments in which references are resolved. */
const maxDepth = 500;

interface ResolveOptions {
  readonly variables: VariableSystem;
  /**
   * The schema of the arguments. If it allows text but not the data's type, a string that is only a
   * reference becomes text.
   */
  readonly schema?: JsonSchema | undefined;
}

/** Arguments with resolved references, or the first error. */
export type ResolveOutcome =
  /** `references` are the names of the used variables. */
  | {
      readonly status: "resolved";
      readonly args: JsonObject;
      readonly references: readonly string[];
    }
  /** `missing` is the name of the missing variable. */
  | { readonly status: "failed"; readonly error: ToolErrorData; readonly missing?: string };

/**
 * Replaces `$VAR_REF{{…}}` in the arguments with the values of variables. Searches the arguments
 * once, but not the inserted text. Does not change keys. Returns the same object if there is no
 * reference.
 *
 * A string that is only a reference becomes the value with its type; in other text the value is
 * inserted as text. If a variable is missing or a reference is malformed, the result is an error
 * and nothing is replaced.
 */
export function resolveReferences(args: JsonObject, options: ResolveOptions): ResolveOutcome {
  const mentioned = mentions(args, 0);
  if (mentioned === false) return { status: "resolved", args, references: none };
  if (mentioned === "too deep") {
    const message = `The arguments are nested deeper than ${maxDepth} levels. Send a flatter object.`;
    return { status: "failed", error: { code: "invalid_arguments", message } };
  }
  const resolution = new Resolution(options);
  const resolved = resolution.resolve(args, options.schema ?? true, "");
  const { error, missing } = resolution;
  return error
    ? { status: "failed", error, ...(missing !== undefined && { missing }) }
    : { status: "resolved", args: resolved as JsonObject, references: [...resolution.used] };
}

/**
 * Does the same as `resolveReferences`, and restores evicted variables from their source. Returns a
 * promise only in that case. Restores each variable only once, even if a restored variable evicts
 * another one of the same call.
 */
export function resolveOrReadBack(
  args: JsonObject,
  options: ResolveOptions,
): ResolveOutcome | Promise<ResolveOutcome> {
  const outcome = resolveReferences(args, options);
  return lacksVariable(outcome) && options.variables.source !== undefined
    ? resolveAgain(args, options, outcome)
    : outcome;
}

async function resolveAgain(
  args: JsonObject,
  options: ResolveOptions,
  first: ResolveOutcome,
): Promise<ResolveOutcome> {
  const tried = new Set<string>();
  let outcome = first;
  while (lacksVariable(outcome) && !tried.has(outcome.missing)) {
    tried.add(outcome.missing);
    if (!(await readBack(options.variables, outcome.missing))) break;
    outcome = resolveReferences(args, options);
  }
  return outcome;
}

function lacksVariable(outcome: ResolveOutcome): outcome is ResolveOutcome & { missing: string } {
  return outcome.status === "failed" && outcome.missing !== undefined && isReadable(outcome.error);
}

function mentions(value: unknown, depth: number): boolean | "too deep" {
  if (typeof value === "string") return mentionsReference(value);
  if (typeof value !== "object" || value === null) return false;
  if (depth > maxDepth) return "too deep";
  let found = false;
  const members = Array.isArray(value) ? value : Object.values(value);
  for (const member of members) {
    const mentioned = mentions(member, depth + 1);
    if (mentioned === "too deep") return mentioned;
    found ||= mentioned;
  }
  return found;
}

/** One pass over the arguments. Stops at the first error. */
class Resolution {
  readonly used = new Set<string>();
  error: ToolErrorData | undefined;
  missing: string | undefined;
  readonly #variables: VariableSystem;
  readonly #view: ReturnType<typeof schemaView>;
  #bytes = 0;

  constructor(options: ResolveOptions) {
    this.#variables = options.variables;
    this.#view = schemaView(options.schema ?? {});
  }

  resolve(value: JsonValue, at: SchemaAt, path: string): JsonValue {
    if (this.error) return value;
    if (typeof value === "string")
      return mentionsReference(value) ? this.#text(value, at, path) : value;
    if (typeof value !== "object" || value === null) return value;
    const child = (key: string | number, member: JsonValue): JsonValue =>
      this.resolve(member, this.#view.child(at, key, value), `${path}/${pointerPart(key)}`);
    if (isList(value)) return value.map((member, index) => child(index, member));
    // `fromEntries` defines own properties, also `__proto__`.
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, child(key, member)]),
    );
  }

  #text(text: string, at: SchemaAt, path: string): JsonValue {
    const parts = splitReferences(text);
    const [only] = parts;
    if (parts.length === 1 && only?.type === "reference")
      return this.#whole(only.body, this.#view.types(at), path);
    let resolved = "";
    for (const part of parts) {
      if (part.type === "text") resolved += part.text;
      else if (part.type === "reference")
        resolved += this.#whole(part.body, inText, path) as string;
      else
        this.#fail(
          "malformed_reference",
          path,
          `${part.text} is not a complete reference. ${howToWrite}`,
        );
      if (this.error) return text;
    }
    return resolved;
  }

  /** Returns a reference's value: as text if `types` allows text but not the data's type. */
  #whole(body: string, types: number, path: string): JsonValue {
    const target = referenceTarget(
      body,
      (name) => this.#variables.peekVariable(name) !== undefined,
    );
    const variable = this.#variables.getVariable(target.name);
    if (!variable) return this.#notFound(body, target, path);
    this.used.add(variable.name);
    if (target.pointer !== undefined) return this.#pointed(variable, target.pointer, types, path);
    const { text, data } = variable.value;
    if (target.start !== undefined)
      return this.#taken(sliceText(text, target.start, target.length), path);
    return data === undefined || wantsText(data, types)
      ? this.#taken(text, path)
      : this.#taken(data, path);
  }

  #pointed(variable: Variable, pointer: string, types: number, path: string): JsonValue {
    const { data } = variable.value;
    if (data === undefined) {
      const message = `${variable.name} is plain text, so ${pointer} does not exist in it. Use a part of it: $VAR_REF{{${variable.name}:start:length}}.`;
      return this.#fail("reference_not_found", path, message);
    }
    const outcome = readPointer(data, pointer);
    if (outcome.status === "found") {
      const { value } = outcome;
      return this.#taken(
        wantsText(value, types)
          ? typeof value === "string"
            ? value
            : JSON.stringify(value)
          : value,
        path,
      );
    }
    const message = missingInValue(variable.name, pointer, outcome);
    return this.#fail("reference_not_found", path, message);
  }

  #notFound(body: string, target: ReferenceTarget, path: string): JsonValue {
    const isUnread = this.#variables.peekVariable(target.name) !== undefined;
    if (!isUnread && this.#isWrongSlice(body)) {
      const message = `$VAR_REF{{${body.slice(0, 100)}}} is not a slice: start and length are whole numbers from 0. ${howToWrite}`;
      return this.#fail("malformed_reference", path, message);
    }
    if (target.name === "")
      return this.#fail(
        "malformed_reference",
        path,
        `A reference names no variable. ${howToWrite}`,
      );
    this.missing = target.name;
    const { code, message, details } = this.#variables.missingVariable(target.name);
    return this.#fail(code, path, message, details);
  }

  /** Whether the content begins with a variable's name and a colon. */
  #isWrongSlice(body: string): boolean {
    const colons = body.slice(0, maxNameLength + 1).matchAll(/:/g);
    return colons.some(
      ({ index }) => this.#variables.peekVariable(body.slice(0, index).trim()) !== undefined,
    );
  }

  /**
   * Counts the size of inserted values, so that a short text cannot grow without bound, and copies
   * data.
   */
  #taken(value: JsonValue, path: string): JsonValue {
    const limit = Math.min(maxBytes, this.#variables.maxValueBytes);
    const room = limit - this.#bytes;
    if (typeof value === "string")
      this.#bytes += value.length > room ? value.length : utf8Length(value);
    else {
      const size = dataSize(value, room);
      this.#bytes += size.status === "measured" ? size.bytes : 0;
    }
    if (this.#bytes <= limit) return copyJson(value);
    const message = `The arguments would have more than ${limit} bytes with the values of their references. Refer to smaller values or slices.`;
    return this.#fail("arguments_too_large", path, message);
  }

  #fail(code: string, path: string, problem: string, details?: JsonValue): null {
    const message = `In ${path}: ${problem}`;
    this.error ??= {
      code,
      message,
      details: { path, ...(details === undefined ? {} : { reason: details }) },
    };
    return null;
  }
}

const howToWrite =
  "Write $VAR_REF{{name}}, $VAR_REF{{name:start:length}} or $VAR_REF{{name#/json/pointer}}; \\$VAR_REF for the literal text.";

/** No types are passed: inside other text all values are text. */
const inText = 0;

function wantsText(data: JsonValue, types: number): boolean {
  return types === inText || ((types & jsonTypes.string) !== 0 && (types & typeOf(data)) === 0);
}

/** A part of a text: literal text, or a reference with the content of its braces. */
type TextSegment =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reference"; readonly body: string }
  | { readonly type: "malformed"; readonly text: string };

const mark = "$VAR_REF";

function mentionsReference(text: string): boolean {
  return text.includes(mark);
}

/**
 * Splits a text at its `$VAR_REF{{…}}`, in one pass. `\$VAR_REF` is literal and loses its
 * backslash; `$VAR_REF` without a brace after it is text.
 */
function splitReferences(text: string): readonly TextSegment[] {
  const parts: TextSegment[] = [];
  let from = 0;
  const addText = (piece: string): void => {
    if (piece !== "") parts.push({ type: "text", text: piece });
  };
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, from)) {
    const end = at + mark.length;
    if (at > from && text[at - 1] === "\\") {
      addText(text.slice(from, at - 1) + mark);
      from = end;
    } else if (text.startsWith("{{", end)) {
      addText(text.slice(from, at));
      const close = text.indexOf("}}", end + 2);
      if (close < 0) return [...parts, { type: "malformed", text: text.slice(at, at + 80) }];
      parts.push({ type: "reference", body: text.slice(end + 2, close) });
      from = close + 2;
    } else if (text[end] === "{" || bracesFollow(text, end)) {
      return [...parts, { type: "malformed", text: text.slice(at, at + 80) }];
    } else {
      addText(text.slice(from, end));
      from = end;
    }
  }
  addText(text.slice(from));
  return parts;
}

/**
 * Whether braces follow a space, as in `$VAR_REF {{name}}`: meant as a reference, but not
 * valid.
 */
function bracesFollow(text: string, from: number): boolean {
  let at = from;
  while (text[at] === " ") at++;
  return text.startsWith("{{", at);
}

/** The target of a reference: a variable, or a part of a variable. */
interface ReferenceTarget {
  readonly name: string;
  readonly pointer?: string;
  readonly start?: number;
  readonly length?: number;
}

const slice = /^(.+?):(\d{1,15})(?::(\d{1,15}))?$/;

/**
 * Reads `name`, `name:start`, `name:start:length` or `name#/json/pointer`.
 *
 * @param exists whether there is a variable with a name; an exact name takes precedence
 */
function referenceTarget(body: string, exists: (name: string) => boolean): ReferenceTarget {
  if (exists(body)) return { name: body };
  const trimmed = body.trim();
  const hash = trimmed.indexOf("#/");
  if (hash >= 0) return { name: trimmed.slice(0, hash), pointer: trimmed.slice(hash + 1) };
  const [, name, start, length] = slice.exec(trimmed) ?? [];
  if (name === undefined) return { name: trimmed };
  return {
    name,
    start: Number(start),
    ...(length === undefined ? {} : { length: Number(length) }),
  };
}
