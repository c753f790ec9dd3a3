import type { PinnedServer, RequestServer } from "@capstan/contract";
import { RequestError } from "../http/errors.ts";
import type { Services } from "../http/services.ts";

/** The HTTP status and type of a server that cannot be used. 424: another server failed. */
const failures = {
  denied: { status: 403, type: "permission_error", code: "mcp_server_denied" },
  sign_in_needed: { status: 401, type: "authentication_error", code: "mcp_sign_in_needed" },
  failed: { status: 424, type: "external_connector_error", code: "mcp_list_failed" },
} as const;

/**
 * Connects to the MCP servers that a request names, and lists their tools.
 *
 * @throws RequestError if one of them cannot be used; then none stays connected
 */
export async function listRequestServers(
  { requestServers }: Pick<Services, "requestServers">,
  remote: readonly RequestServer[],
  caller: { readonly owner: string; readonly mayApprove: boolean; readonly signal: AbortSignal },
): Promise<readonly PinnedServer[]> {
  if (remote.length === 0) return [];
  if (requestServers === undefined)
    throw new RequestError({
      ...failures.denied,
      param: "tools",
      message: "This server connects to no MCP server for a request.",
    });
  const listed = await Promise.all(remote.map((server) => requestServers.list(server, caller)));
  const servers = listed.flatMap((one) => (one.status === "listed" ? [one.server] : []));
  for (const [index, one] of listed.entries()) {
    if (one.status === "listed") continue;
    requestServers.release(servers.map(({ id }) => id));
    const host = new URL(remote[index]?.url ?? "http://unknown").host;
    throw new RequestError({
      ...failures[one.status],
      param: "tools",
      retryable: false,
      message: `The MCP server at ${host} cannot be used: ${one.message}`,
    });
  }
  return servers;
}
