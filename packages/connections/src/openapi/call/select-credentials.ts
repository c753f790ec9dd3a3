import type { Operation, OperationList, SecurityScheme } from "../definition/operation.ts";
import type { OpenApiConnection } from "../definition/openapi-connection.ts";
import type { RequestCredentials } from "./build-request.ts";

/** The credentials that a request needs, or the schemes that have none. */
export type SelectedCredentials =
  | { readonly status: "ready"; readonly credentials: RequestCredentials }
  | { readonly status: "missing"; readonly schemes: readonly string[] };

/**
 * Selects the first alternative of an operation's security for which the settings have all
 * credentials. A header of the settings counts as the credential of the scheme that uses it.
 */
export function selectCredentials(
  { security }: Pick<Operation, "security">,
  schemes: OperationList["schemes"],
  settings: Pick<OpenApiConnection, "credentials" | "headers">,
): SelectedCredentials {
  const none = { headers: settings.headers, query: {}, cookies: {} };
  if (security.length === 0) return { status: "ready", credentials: none };
  // Credentials have precedence over an alternative without any.
  const ordered = security.toSorted((one, other) => Number(isEmpty(one)) - Number(isEmpty(other)));
  for (const alternative of ordered) {
    const isComplete = alternative.every((name) => isFilled(name, schemes, settings));
    if (isComplete) return { status: "ready", credentials: fill(alternative, schemes, settings) };
  }
  return {
    status: "missing",
    schemes: [...new Set(security.flat().filter((name) => !isFilled(name, schemes, settings)))],
  };
}

function isEmpty(alternative: readonly string[]): boolean {
  return alternative.length === 0;
}

function isFilled(
  name: string,
  schemes: OperationList["schemes"],
  { credentials, headers }: Pick<OpenApiConnection, "credentials" | "headers">,
): boolean {
  if (Object.hasOwn(credentials, name)) return true;
  const scheme = schemeOf(schemes, name);
  const header =
    scheme?.type === "apiKey"
      ? scheme.in === "header"
        ? scheme.name
        : undefined
      : "authorization";
  return (
    header !== undefined &&
    Object.keys(headers).some((one) => one.toLowerCase() === header.toLowerCase())
  );
}

function fill(
  alternative: readonly string[],
  schemes: OperationList["schemes"],
  settings: Pick<OpenApiConnection, "credentials" | "headers">,
): RequestCredentials {
  const headers: { [name: string]: string } = { ...settings.headers };
  const query: { [name: string]: string } = {};
  const cookies: { [name: string]: string } = {};
  for (const name of alternative) {
    const value = Object.hasOwn(settings.credentials, name)
      ? settings.credentials[name]
      : undefined;
    const scheme = schemeOf(schemes, name);
    if (value === undefined || scheme === undefined) continue;
    if (typeof value !== "string") {
      const pair = `${value.username}:${value.password}`;
      headers["authorization"] = `Basic ${Buffer.from(pair).toString("base64")}`;
      continue;
    }
    switch (scheme.type) {
      case "apiKey": {
        const target = { header: headers, query, cookie: cookies }[scheme.in];
        target[scheme.in === "header" ? scheme.name.toLowerCase() : scheme.name] = value;
        break;
      }
      case "basic":
        headers["authorization"] = `Basic ${Buffer.from(value).toString("base64")}`;
        break;
      case "bearer":
      case "unsupported":
        headers["authorization"] = scheme.type === "bearer" ? `Bearer ${value}` : value;
        break;
    }
  }
  return { headers, query, cookies };
}

function schemeOf(schemes: OperationList["schemes"], name: string): SecurityScheme | undefined {
  return Object.hasOwn(schemes, name) ? schemes[name] : undefined;
}
