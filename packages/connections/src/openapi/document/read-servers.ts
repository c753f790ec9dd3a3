import { DocumentProblem } from "./document-problem.ts";
import { isObject, listOf, type Node, objectOf, textOf } from "./json-object.ts";

/** The settings that choose the server. */
export interface ServerChoice {
  /** The URL of the document, to which relative servers refer. */
  readonly base?: string;
  /** The configured server, which replaces those of the document. */
  readonly server?: string;
  readonly variables: { readonly [name: string]: string };
}

/** Returns the URLs of a list of servers, as the document writes them. */
export function serverUrls(servers: unknown): readonly string[] {
  return listOf(servers).flatMap((server) => textOf(objectOf(server)["url"]) ?? []);
}

/**
 * Returns the base URL of requests, without a slash at its end.
 *
 * @param servers the document's list, which may be absent
 * @throws DocumentProblem
 */
export function chooseServer(servers: unknown, choice: ServerChoice): string {
  const listed = listOf(servers).filter(isObject);
  const chosen =
    choice.server === undefined
      ? listed[0]
      : (listed.find(({ url }) => url === choice.server) ?? { url: choice.server });
  const template = textOf(chosen?.["url"]) ?? (choice.base === undefined ? undefined : "/");
  if (template === undefined)
    throw new DocumentProblem('the document names no server. Set "server" to its URL.');
  const url = URL.parse(filled(template, chosen ?? {}, choice.variables), choice.base);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new DocumentProblem(
      `${template.slice(0, 200)} is not an http(s) URL. Set "server" to the URL of the service.`,
    );
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw new DocumentProblem(
      `the server's URL ${template.slice(0, 200)} contains a user name, a query or a fragment.`,
    );
  return url.href.replace(/\/+$/, "");
}

function filled(
  template: string,
  server: Node,
  values: { readonly [name: string]: string },
): string {
  const variables = objectOf(server["variables"]);
  return template.replaceAll(/\{([^{}]+)\}/g, (_whole, name: string) => {
    const variable = objectOf(Object.hasOwn(variables, name) ? variables[name] : undefined);
    const allowed = listOf(variable["enum"]).map(scalarText);
    const value = Object.hasOwn(values, name) ? values[name] : scalarText(variable["default"]);
    if (value === undefined || value === "")
      throw new DocumentProblem(
        `the server's variable ${name} has no value. Set "variables": {"${name}": "…"}.`,
      );
    if (allowed.length > 0 && !allowed.includes(value))
      throw new DocumentProblem(
        `the server's variable ${name} must be one of ${allowed.slice(0, 10).join(", ")}, not ${value}.`,
      );
    return value;
  });
}

function scalarText(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
