import { allowedHosts } from "@capstan/sandbox";

/** Which requests can name MCP servers, and which servers. */
export interface RequestServerSettings {
  /**
   * The hosts, with optional ports. Named hosts may have private addresses and may lack TLS. True
   * allows all public hosts. Empty: requests cannot name servers.
   */
  readonly hosts: readonly string[] | true;
  /** Whether callers without the right `approve` can name servers too. */
  readonly askers: boolean;
}

/** Returns why a caller cannot use a server, or undefined if the settings allow it. */
export function deniedServer(
  url: URL,
  settings: RequestServerSettings,
  { mayApprove }: { readonly mayApprove: boolean },
): string | undefined {
  const { hosts, askers } = settings;
  if (hosts !== true && hosts.length === 0)
    return 'This server does not connect to MCP servers that a request names. An administrator can allow hosts with "requestServers": {"hosts": ["mcp.example.org"]} in the settings file.';
  if (!mayApprove && !askers)
    return 'Only callers with the right "approve" can name an MCP server. An administrator can allow all callers with "requestServers": {"askers": true} in the settings file.';
  if (isNamedHost(url, settings)) return undefined;
  if (hosts !== true)
    return `The host ${url.host} is not allowed. An administrator can add it to "requestServers.hosts" in the settings file.`;
  return url.protocol === "https:"
    ? undefined
    : `The address of ${url.host} must start with https:, because "requestServers.hosts" does not name it.`;
}

/** Returns whether the settings name the host of a URL, so that it may have a private address. */
export function isNamedHost(url: URL, { hosts }: RequestServerSettings): boolean {
  return hosts !== true && allowedHosts(hosts)(url);
}
