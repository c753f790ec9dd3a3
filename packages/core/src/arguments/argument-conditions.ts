import { shortJson } from "../json/short-json.ts";
import type { ToolArgs, JsonValue } from "../base/json.ts";
import { canonicalJson, isObject } from "../json/json-value.ts";
import { readUrl } from "./read-url.ts";

/**
 * Selects calls of a tool by their arguments: all conditions must match. A key is an argument's
 * name, or a JSON pointer into the arguments in which `*` is every element of a list.
 *
 * @example const secrets: ArgumentConditions = { path: "secrets/**" };
 * @example const shallow: ArgumentConditions = { url: { host: "*.example.org" }, "/options/depth": { max: 3 } };
 */
export interface ArgumentConditions {
  readonly [argument: string]: ArgumentTest;
}

/**
 * Returns whether conditions match. If an argument is a list, they apply to its elements at any
 * depth. To allow a call, the conditions must match `every` element. To deny a call or require an
 * approval, it is enough if they match `some` element. Only a list in `equals` is compared with the
 * whole argument.
 *
 * Many file systems treat `Secrets/x` as `secrets/x`. For `some`, a path matches in any case; for
 * `every`, the case must match. So another spelling cannot evade a condition.
 */
export function conditionsHold(
  conditions: ArgumentConditions,
  args: ToolArgs,
  of: "every" | "some",
): boolean {
  for (const [key, test] of Object.entries(conditions)) {
    const operators = operatorsOf(test);
    const found = valuesAt(args, key);
    const given = found.filter((value) => value !== undefined);
    if (operators.exists === false) {
      if (given.length > 0) return false;
      continue;
    }
    // If one element lacks the required value, the call is not allowed.
    if (given.length === 0 || (of === "every" && given.length < found.length)) return false;
    const values = isOfLists(operators) ? given : (given.flat(Infinity) as readonly unknown[]);
    if (values.length === 0) return false;
    const holds = (value: unknown) => passes(operators, value, of === "some");
    if (!(of === "every" ? values.every(holds) : values.some(holds))) return false;
  }
  return true;
}

function isOfLists({ equals, not }: ArgumentOperators): boolean {
  return Array.isArray(equals) || (not !== undefined && Array.isArray(operatorsOf(not).equals));
}

/**
 * Returns a measure of how narrow conditions are: their number first, then the length of their
 * patterns.
 */
export function narrowness(conditions: ArgumentConditions | undefined): readonly [number, number] {
  const tests = Object.values(conditions ?? {});
  return [tests.length, tests.reduce<number>((sum, test) => sum + weight(operatorsOf(test)), 0)];
}

/** Returns conditions as a text for users: `path matches secrets/** and depth is at most 3`. */
export function conditionsText(conditions: ArgumentConditions): string {
  return Object.entries(conditions)
    .map(([key, test]) => `${key} ${operatorsText(operatorsOf(test))}`)
    .join(" and ");
}

function operatorsText(operators: ArgumentOperators): string {
  const { equals, path, glob, prefix, host, site, min, max, exists, not } = operators;
  const parts = [
    ...(exists === undefined ? [] : [exists ? "is given" : "is not given"]),
    ...(equals === undefined ? [] : [`is exactly ${shortJson(equals, 200)}`]),
    ...(path === undefined ? [] : [`${path.includes("*") ? "matches" : "is"} ${path}`]),
    ...(glob === undefined ? [] : [`matches ${JSON.stringify(glob)}`]),
    ...(prefix === undefined ? [] : [`begins with ${JSON.stringify(prefix)}`]),
    ...(host === undefined ? [] : [`is on the host ${host}`]),
    ...(site === undefined ? [] : [`is on the site ${site}`]),
    ...(min === undefined ? [] : [`is at least ${min}`]),
    ...(max === undefined ? [] : [`is at most ${max}`]),
    ...(not === undefined ? [] : [`not (${operatorsText(operatorsOf(not))})`]),
  ];
  return parts.join(" and ");
}

function weight({ equals, path, glob, prefix, host, site }: ArgumentOperators): number {
  const patterns = [path, glob, prefix, host, site].filter((text) => text !== undefined);
  const literal = patterns.reduce((sum, text) => sum + text.replaceAll("*", "").length, 0);
  return literal + (equals === undefined ? 1 : exactWeight);
}

/** The weight of an exact value, which is narrower than any pattern. */
const exactWeight = 10_000;

/** Returns the values at a key, one for each element, or undefined if there are none. */
function valuesAt(args: ToolArgs, key: string): readonly unknown[] {
  let values: readonly unknown[] = [args];
  for (const name of key.startsWith("/") ? pointerNames(key) : [key])
    values = values.flatMap((value) => {
      if (name === "*" && Array.isArray(value)) return value as readonly unknown[];
      return [ownValue(value, name)];
    });
  return values;
}

function pointerNames(pointer: string): readonly string[] {
  return pointer
    .slice(1)
    .split("/")
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function ownValue(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as { readonly [name: string]: unknown })[name];
}

/**
 * A condition on one argument. A text without operators is a `path`; a number, boolean or null is
 * `equals`.
 */
type ArgumentTest = string | number | boolean | null | ArgumentOperators;

/** All given operators must match. */
interface ArgumentOperators {
  /** The value is exactly this JSON value. */
  readonly equals?: JsonValue;
  /**
   * A path in which `*` matches within a name and `**` matches any number of names; `./a//b/../c`
   * is `a/c`.
   */
  readonly path?: string;
  /** A text in which `*` matches anything, including slashes. */
  readonly glob?: string;
  /** A text that begins with this prefix. */
  readonly prefix?: string;
  /**
   * A URL on this host: `example.org`, `example.org:8080`, or `*.example.org` for its subdomains.
   */
  readonly host?: string;
  /** A URL of this site: scheme, host and port, `https://example.org`. */
  readonly site?: string;
  readonly min?: number;
  readonly max?: number;
  /** Whether the argument is given; `false` must be the only operator. */
  readonly exists?: boolean;
  /** The argument is given, and this test does not match it. */
  readonly not?: ArgumentTest;
}

/**
 * Returns a test's operators: a text without operators is a `path`, and any other bare value is
 * `equals`.
 */
export function operatorsOf(test: ArgumentTest): ArgumentOperators {
  if (typeof test === "string") return { path: test };
  return isObject(test) ? test : { equals: test as number | boolean | null };
}

/**
 * Returns whether a value matches all operators. Ignores `exists`.
 *
 * @param anyCase whether paths match regardless of case, and ambiguous URLs match every host
 */
function passes(operators: ArgumentOperators, value: unknown, anyCase: boolean): boolean {
  if (value === undefined) return false;
  const { equals, path, glob, prefix, host, site, min, max, not } = operators;
  if (equals !== undefined && !isSame(equals, value)) return false;
  if (min !== undefined && !(typeof value === "number" && value >= min)) return false;
  if (max !== undefined && !(typeof value === "number" && value <= max)) return false;
  if (path !== undefined && !(typeof value === "string" && fits(path, value, anyCase)))
    return false;
  if (glob !== undefined && !(typeof value === "string" && fitsGlob(glob, value))) return false;
  if (prefix !== undefined && !(typeof value === "string" && value.startsWith(prefix)))
    return false;
  if (host !== undefined || site !== undefined) {
    const read = typeof value === "string" ? readUrl(value) : undefined;
    // Programs can read different hosts from an ambiguous URL, so it is never allowed and always
    // denied.
    if (read?.status === "ambiguous" && !anyCase) return false;
    if (read?.status !== "ambiguous" && host !== undefined && !isOnHost(value, host)) return false;
    if (read?.status !== "ambiguous" && site !== undefined && siteOf(value) !== site) return false;
  }
  return not === undefined || !passes(operatorsOf(not), value, !anyCase);
}

function fits(pattern: string, path: string, anyCase: boolean): boolean {
  return anyCase ? fitsPath(folded(pattern), folded(path)) : fitsPath(pattern, path);
}

/** Folds the case of a path, as file systems that ignore case do. */
function folded(path: string): string {
  return path.normalize("NFC").toLowerCase();
}

function isSame(wanted: JsonValue, value: unknown): boolean {
  if (typeof wanted !== "object" || wanted === null) return wanted === value;
  return typeof value === "object" && canonicalJson(wanted) === canonicalJson(value);
}

function isOnHost(value: unknown, wanted: string): boolean {
  const url = urlOf(value);
  const host = readHost(wanted);
  if (url === undefined || host === undefined) return false;
  if (host.port !== undefined && host.port !== (url.port || defaultPorts[url.protocol]))
    return false;
  const name = url.hostname.replace(/\.$/, "");
  return host.below ? name.endsWith(`.${host.name}`) : name === host.name;
}

/**
 * Returns the host that a `host` condition names, in a URL's spelling, or undefined if it is
 * invalid.
 */
export function readHost(
  wanted: string,
):
  | { readonly name: string; readonly port: string | undefined; readonly below: boolean }
  | undefined {
  const [, below, host = "", port] = /^(\*\.)?([^/?#@\s]+?)(?::(\d+))?$/.exec(wanted) ?? [];
  const url = URL.parse(`http://${host}/`);
  if (url === null || url.hostname === "" || url.port !== "" || host.includes("*"))
    return undefined;
  return { name: url.hostname.replace(/\.$/, ""), port, below: below !== undefined };
}

/** Returns the origin of a URL. A final dot in a host's name does not change the destination. */
function siteOf(value: unknown): string | undefined {
  return urlOf(value)?.origin.replace(/\.(?=:\d+$|$)/, "");
}

const defaultPorts: { readonly [protocol: string]: string | undefined } = {
  "http:": "80",
  "https:": "443",
};

function urlOf(value: unknown): URL | undefined {
  return typeof value === "string" ? (URL.parse(value) ?? undefined) : undefined;
}

/**
 * Returns whether a text matches a pattern in which `*` is any text, including none. Each piece
 * between stars is searched once, from left to right, so that the time stays linear for any text
 * and pattern.
 */
export function fitsGlob(pattern: string, text: string): boolean {
  const [head = "", ...rest] = pattern.split("*");
  const tail = rest.pop();
  if (tail === undefined) return text === pattern;
  if (text.length < head.length + tail.length) return false;
  if (!text.startsWith(head) || !text.endsWith(tail)) return false;
  const end = text.length - tail.length;
  let at = head.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found === -1 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}

/**
 * Returns whether a path matches a pattern: `*` matches within a name, `**` matches any number of
 * whole names, including none. Both are normalised first, so that `./a//b/../c` is `a/c`.
 *
 * @example fitsPath("secrets/**", "./secrets/keys/id_rsa") // true
 */
export function fitsPath(pattern: string, path: string): boolean {
  const wanted = plainNames(pattern);
  const names = plainNames(path);
  if (names.length > mostNames) return false;
  // The last `**`, and the number of names that it has matched so far.
  let star = -1;
  let matchedNames = 0;
  let at = 0;
  for (let name = 0; name < names.length;) {
    const next = wanted[at];
    if (next === "**") {
      star = at++;
      matchedNames = name;
    } else if (next !== undefined && fitsGlob(next, names[name] ?? "")) {
      at++;
      name++;
    } else if (star >= 0) {
      at = star + 1;
      name = ++matchedNames;
    } else return false;
  }
  return wanted.slice(at).every((rest) => rest === "**");
}

/**
 * Returns whether a path below this folder can match a pattern. Compares only the names of the
 * folder.
 */
export function mayFitBelow(pattern: string, folder: string): boolean {
  const wanted = plainNames(folded(pattern));
  for (const [at, name] of plainNames(folded(folder)).entries()) {
    const next = wanted[at];
    if (next === "**") return true;
    if (next === undefined || !fitsGlob(next, name)) return false;
  }
  return true;
}

/** The maximum number of names in a path. No file system allows as many. */
const mostNames = 4_096;

/**
 * Returns the names of a path; an absolute path begins with an empty name. `..` removes the name
 * before it, and is kept at the beginning.
 */
function plainNames(path: string): readonly string[] {
  const slashed = path.replaceAll("\\", "/");
  const isAbsolute = slashed.startsWith("/");
  const names: string[] = [];
  for (const name of slashed.split("/")) {
    if (name === "" || name === ".") continue;
    if (name !== "..") names.push(name);
    else if (names.length > 0 && names.at(-1) !== "..") names.pop();
    else if (!isAbsolute) names.push(name);
  }
  return isAbsolute ? ["", ...names] : names;
}
