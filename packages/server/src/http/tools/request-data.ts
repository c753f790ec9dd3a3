import type { RequestTools } from "@capstan/core";
import type { ServerGroup, ToolContextData } from "@capstan/store";
import { type HostedTool, hostedServer } from "./hosted-tools.ts";

/** Headers that tools never get, because they identify the client or the connection. */
export const secretHeaders: readonly string[] = [
  "authorization",
  "cookie",
  "proxy-authorization",
  "set-cookie",
  "x-api-key",
  "x-csrf-token",
];

/** The longest value of a header that tools get, in characters. */
const maxChars = 4_096;

/**
 * Returns the headers of a request that its tools get.
 *
 * @param names the allowed names, in lower case
 */
export function passedHeaders(
  headers: Pick<Headers, "get">,
  names: readonly string[] = [],
): { readonly [name: string]: string } {
  const passed: { [name: string]: string } = {};
  for (const name of names) {
    const value = secretHeaders.includes(name) ? null : headers.get(name);
    if (value !== null) passed[name] = value.slice(0, maxChars);
  }
  return passed;
}

/** The fields of a request that its tools get in `context.request`. */
export interface RequestData {
  readonly user?: string | null | undefined;
  readonly metadata?: { readonly [key: string]: string } | null | undefined;
  readonly headers?: { readonly [name: string]: string } | undefined;
  /** The tools as the request declares them. */
  readonly tools?: RequestTools;
  readonly files?: ToolContextData["files"];
}

/**
 * Returns the data of a request in the form that is stored with its run. Every entry point uses this
 * function, so a tool gets the same data on each.
 */
export function toolContextOf({
  user,
  metadata,
  headers = {},
  tools = {},
  files = {},
}: RequestData): ToolContextData {
  const isEmpty = (value: object) => Object.keys(value).length === 0;
  return {
    ...(user != null && user !== "" && { user }),
    ...(metadata != null && !isEmpty(metadata) && { metadata: { ...metadata } }),
    ...(!isEmpty(headers) && { headers: { ...headers } }),
    ...(!isEmpty(tools) && { tools: { ...tools } }),
    ...(!isEmpty(files) && { files: { ...files } }),
  };
}

/**
 * Returns the entries of the tools that a run offers, by `group.Tool` or group.
 *
 * @param declared the request's entries of its groups, by group
 */
export function offeredEntries(
  {
    servers,
    hosted,
  }: {
    readonly servers: readonly ServerGroup[];
    readonly hosted: readonly HostedTool[];
  },
  declared: RequestTools,
): RequestTools {
  const groups = servers.flatMap(({ group }) => {
    const entry = Object.hasOwn(declared, group) ? declared[group] : undefined;
    return entry === undefined ? [] : [[group, entry] as const];
  });
  return Object.fromEntries([
    ...groups,
    ...hosted.map(({ toolId, tool }) => [toolId, tool] as const),
  ]);
}

/** Returns the groups that a run offers to its model. */
export function offeredServers({
  servers,
  hosted,
}: {
  readonly servers: readonly ServerGroup[];
  readonly hosted: readonly HostedTool[];
}): readonly ServerGroup[] {
  return [...servers, ...hosted.map(hostedServer)];
}
