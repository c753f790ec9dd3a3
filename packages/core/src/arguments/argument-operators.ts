import { canonicalJson } from "../json/canonical-json.ts";
import { isObject } from "../json/json-value.ts";
import type { JsonValue } from "../base/json.ts";
import { fitsGlob, fitsPath } from "./path-pattern.ts";

/** What one argument must be. Bare text is a `path`; a bare number, boolean or null is `equals`. */
export type ArgumentTest = string | number | boolean | null | ArgumentOperators;

/** All that are given must hold. */
export interface ArgumentOperators {
  /** Exactly this JSON value. */
  readonly equals?: JsonValue;
  /** A path in which `*` stays within a name and `**` is any number of names; `./a//b/../c` is `a/c`. */
  readonly path?: string;
  /** Text in which `*` is anything, slashes too. */
  readonly glob?: string;
  /** Text that begins so. */
  readonly prefix?: string;
  /** A URL on this host: `example.org`, `example.org:8080`, or `*.example.org` for what is below it. */
  readonly host?: string;
  /** A URL of this site: scheme, host and port, `https://example.org`. */
  readonly site?: string;
  /** A number, at least this. */
  readonly min?: number;
  /** A number, at most this. */
  readonly max?: number;
  /** Whether the argument is given at all; `false` stands alone. */
  readonly exists?: boolean;
  /** Given, and not so. */
  readonly not?: ArgumentTest;
}

export function operatorsOf(test: ArgumentTest): ArgumentOperators {
  if (typeof test === "string") return { path: test };
  return isObject(test) ? test : { equals: test as number | boolean | null };
}

/**
 * Whether one value passes. `exists` is about there being one, and is not looked at.
 *
 * @param anyCase whether paths that differ in upper and lower case alone are the same
 */
export function passes(operators: ArgumentOperators, value: unknown, anyCase: boolean): boolean {
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
  if (host !== undefined && !isOnHost(value, host)) return false;
  if (site !== undefined && siteOf(value) !== site) return false;
  return not === undefined || !passes(operatorsOf(not), value, !anyCase);
}

function fits(pattern: string, path: string, anyCase: boolean): boolean {
  return anyCase ? fitsPath(folded(pattern), folded(path)) : fitsPath(pattern, path);
}

/** As file systems compare names that ignore case. */
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

/** What a `host` names, in a URL's own spelling; undefined where it is none. */
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

/** The origin of a URL. A final dot in a host's name changes nothing of where it leads. */
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
