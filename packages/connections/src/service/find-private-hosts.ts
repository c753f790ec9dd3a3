import { addressProblem, isAddress, type ResolveHost } from "@capstan/sandbox";
import type { HttpConnection } from "../definition/connection.ts";
import { isPrivateName, ownUrls } from "../definition/private-hosts.ts";

/** The hosts of a new connection that may have a private address, or why a user must decide. */
export type FoundPrivateHosts =
  | { readonly status: "found"; readonly hosts: readonly string[] }
  | { readonly status: "private"; readonly message: string };

/**
 * Finds the hosts of a new connection that may have a private address. All other hosts are rejected
 * later at a private address.
 *
 * @param options.isAccepted true also accepts names that resolve to a private address or cannot be
 * resolved; false accepts no private host. @default only hosts with private names
 * @param options.mayAccept whether the caller has the right to accept a private host
 */
export async function findPrivateHosts(
  connection: Pick<HttpConnection, "url" | "oauth">,
  options: {
    readonly isAccepted: boolean | undefined;
    readonly mayAccept: boolean;
    readonly resolve: ResolveHost;
  },
): Promise<FoundPrivateHosts> {
  const { isAccepted, mayAccept, resolve } = options;
  const hosts: string[] = [];
  for (const { hostname, host } of ownUrls(connection)) {
    const isObvious = isPrivateName(hostname);
    const problem = isObvious ? "private" : await problemOf(hostname, resolve);
    if (problem === undefined || (problem === "unknown" && isAccepted !== true)) continue;
    if (!mayAccept) return { status: "private", message: needsRight(hostname, problem) };
    if (isAccepted === false || (isAccepted === undefined && !isObvious))
      return { status: "private", message: mustAccept(hostname, problem) };
    hosts.push(host);
  }
  return { status: "found", hosts };
}

async function problemOf(hostname: string, resolve: ResolveHost): Promise<string | undefined> {
  if (isAddress(hostname)) return undefined;
  const addresses = await resolve(hostname).catch(() => []);
  if (addresses.length === 0) return "unknown";
  return addresses.map(({ address }) => addressProblem(address)).find((one) => one !== undefined);
}

function needsRight(hostname: string, range: string): string {
  return `${hostname} is not on the public internet (${range}). To add a server in a private network, a key needs the right "approve".`;
}

function mustAccept(hostname: string, range: string): string {
  return `${hostname} is not on the public internet (${range}). If you trust this server in your network, add it as private: "private": true.`;
}
