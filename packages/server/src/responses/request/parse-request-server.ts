import { digest } from "@capstan/core/host";
import type { RequestServer } from "@capstan/contract";
import type { ServerGroup } from "@capstan/store";
import { z } from "zod";
import { badRequest, checked, RequestError } from "../../http/errors.ts";
import {
  filterSchema,
  requireApproval,
  tightensApproval,
  toolFilter,
} from "../../runs/request/server-group.ts";

/** The members of a tool of type `mcp` that this server knows. */
const known: readonly string[] = [
  "type",
  "server_label",
  "server_url",
  "server_description",
  "headers",
  "authorization",
  "allowed_tools",
  "require_approval",
  "defer_loading",
  "connector_id",
];

/** Headers that the transport sets. */
const ownHeaders =
  /^(?:accept|connection|content-.*|host|keep-alive|last-event-id|mcp-.*|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i;

const schema = z.object({
  headers: z.record(z.string(), z.string().max(8_192)).nullish(),
  authorization: z.string().min(1).max(16_384).nullish(),
  allowed_tools: z.union([z.array(z.string()), filterSchema]).nullish(),
  require_approval: z
    .union([
      z.enum(["always", "never"]),
      z.object({ always: filterSchema.nullish(), never: filterSchema.nullish() }),
    ])
    .nullish(),
});

/** An MCP server outside this server, and the group that its tools become. */
export interface ParsedRequestServer {
  readonly remote: RequestServer;
  readonly server: ServerGroup;
}

/**
 * Parses the MCP server outside this server that a tool of type `mcp` names, with its headers.
 *
 * @returns undefined if its `server_url` is not an address
 * @throws RequestError for members that this server does not know, and for invalid headers
 */
export function parseRequestServer(
  tool: { readonly [key: string]: unknown },
  { label, at }: { readonly label: string; readonly at: string },
): ParsedRequestServer | undefined {
  if (tool["connector_id"] != null) {
    const param = `${at}.connector_id`;
    const message = `Unsupported parameter: '${param}'. This server has no connectors. Use 'server_url' with the address of an MCP server.`;
    throw new RequestError({ param, code: "unsupported_parameter", message });
  }
  const given = tool["server_url"];
  const url = typeof given === "string" ? URL.parse(given) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  const unknown = Object.keys(tool).find((key) => !known.includes(key));
  if (unknown !== undefined) {
    const param = `${at}.${unknown.slice(0, 100)}`;
    const message = `Unknown parameter: '${param}'. A tool of type mcp has ${known.join(", ")}.`;
    throw new RequestError({ param, code: "unknown_parameter", message });
  }
  if (url.username !== "" || url.password !== "")
    throw badRequest(
      `${at}.server_url`,
      `Invalid '${at}.server_url': it contains a user name or a password. Use '${at}.authorization' or '${at}.headers'.`,
    );
  url.hash = "";
  const body = checked(schema, tool, at);
  const headers: { [name: string]: string } = {};
  for (const [name, value] of Object.entries(body.headers ?? {})) {
    checkHeader(name, value, `${at}.headers`);
    headers[name.toLowerCase()] = value;
  }
  if (Object.keys(headers).length > 50)
    throw badRequest(`${at}.headers`, `Invalid '${at}.headers': at most 50 headers are allowed.`);
  if (body.authorization != null) {
    const value = `Bearer ${body.authorization}`;
    checkHeader("x-authorization", value, `${at}.authorization`);
    headers["authorization"] = value;
  }
  const allowedTools = body.allowed_tools == null ? undefined : toolFilter(body.allowed_tools);
  const wish = body.require_approval == null ? undefined : requireApproval(body.require_approval);
  const tightened = tightensApproval(wish);
  const group = groupNameOf(url);
  return {
    remote: {
      group,
      url: url.href,
      headers,
      ...(allowedTools?.toolNames && { toolNames: allowedTools.toolNames }),
    },
    server: {
      label,
      group,
      ...(allowedTools !== undefined && { allowedTools }),
      ...(tightened !== undefined && { requireApproval: tightened }),
    },
  };
}

/**
 * Returns the group of a server. It depends on the URL and not on the label, so that rules and
 * grants for one server never apply to another. No configured group contains an underscore.
 *
 * @example groupNameOf(new URL("https://mcp.example.org/mcp")) // "mcp_mcp-example-org_1f0c…"
 */
function groupNameOf(url: URL): string {
  const host = url.hostname.replaceAll(/[^a-zA-Z0-9]+/g, "-").slice(0, 40);
  return `mcp_${host}_${digest(url.href).slice(0, 16)}`;
}

function checkHeader(name: string, value: string, param: string): void {
  // The message must not repeat a value, which can be secret.
  if (name.toLowerCase() === "authorization")
    throw badRequest(param, `Invalid '${param}': use the 'authorization' parameter instead.`);
  if (!/^[!#$%&'*+.^_`|~0-9a-zA-Z-]{1,100}$/.test(name) || ownHeaders.test(name))
    throw badRequest(param, `Invalid '${param}': a request cannot set this header.`);
  if (!/^[\t\x20-\x7E\x80-\xFF]*$/.test(value))
    throw badRequest(param, `Invalid '${param}': a value contains characters that no header has.`);
}
