import type { ToolArgs } from "@capstan/core";
import type { Operation } from "../definition/operation.ts";
import { CallProblem } from "./call-problem.ts";
import {
  type EncodedPair,
  encodeValue,
  writeHeaderValue,
  writePathValue,
  writeQueryValue,
} from "./write-parameter.ts";

/** The credentials of a request, and the fixed headers. */
export interface RequestCredentials {
  readonly headers: { readonly [name: string]: string };
  readonly query: { readonly [name: string]: string };
  readonly cookies: { readonly [name: string]: string };
}

/** The address and the headers of a request. */
export interface BuiltRequest {
  readonly url: URL;
  readonly headers: { readonly [name: string]: string };
}

/**
 * Writes the arguments of a call into the address and the headers of its request. No argument can
 * change the host or the path's other parts.
 *
 * @throws CallProblem if a value cannot be sent
 */
export function buildRequest(operation: Operation, args: ToolArgs): BuiltRequest {
  const path = buildPath(operation, args);
  const pairs: EncodedPair[] = [];
  const headers: { [name: string]: string } = {};
  const cookies: string[] = [];
  for (const parameter of operation.parameters) {
    const value = args[parameter.argument];
    if (value === undefined) continue;
    if (parameter.in === "query") pairs.push(...writeQueryValue(parameter, value));
    if (parameter.in === "header")
      headers[parameter.name.toLowerCase()] = headerValue(
        parameter.argument,
        writeHeaderValue(parameter, value),
      );
    if (parameter.in === "cookie")
      cookies.push(...writeQueryValue(parameter, value).map((pair) => pair.join("=")));
  }
  if (cookies.length > 0) headers["cookie"] = cookies.join("; ");
  const url = new URL(operation.server + path);
  url.search = pairs.map((pair) => pair.join("=")).join("&");
  return { url, headers };
}

/** Adds the credentials and the fixed headers, which have precedence over arguments. */
export function withCredentials(
  { url, headers }: BuiltRequest,
  credentials: RequestCredentials,
): BuiltRequest {
  const added = Object.entries(credentials.query).map(
    (pair) => `${encodeValue(pair[0])}=${encodeValue(pair[1])}`,
  );
  const target = new URL(url);
  if (added.length > 0)
    target.search = [target.search.replace(/^\?/, ""), ...added].filter(Boolean).join("&");
  const cookies = Object.entries(credentials.cookies).map(
    (pair) => `${pair[0]}=${encodeValue(pair[1])}`,
  );
  const own = Object.fromEntries(
    Object.entries(credentials.headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const all = { ...headers, ...own };
  const cookie = [all["cookie"], ...cookies].filter(Boolean).join("; ");
  return { url: target, headers: { ...all, ...(cookie !== "" && { cookie }) } };
}

function buildPath(operation: Operation, args: ToolArgs): string {
  const inPath = operation.parameters.filter((parameter) => parameter.in === "path");
  const path = operation.path
    .split(/(\{[^{}]+\})/)
    .map((part) => {
      const parameter = inPath.find(({ name }) => part === `{${name}}`);
      if (parameter === undefined) return encodeURI(part).replaceAll(/[?#]/g, encodeURIComponent);
      const written = writePathValue(parameter, args[parameter.argument]);
      if (written === "" || args[parameter.argument] === "")
        throw new CallProblem(
          `${parameter.argument} is empty, and a path segment cannot be empty.`,
        );
      return written;
    })
    .join("");
  // Encoding does not help: URL parsers treat the encoded forms like the dots.
  const climbs = path.split("/").some((part) => /^(?:\.|%2e){1,2}$/i.test(part));
  if (climbs)
    throw new CallProblem(
      'A path segment cannot be "." or "..", because servers read them as folders.',
    );
  return path;
}

function headerValue(argument: string, value: string): string {
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
    throw new CallProblem(
      `${argument} contains a character that a header cannot have, for example a line break.`,
    );
  return value.trim();
}
