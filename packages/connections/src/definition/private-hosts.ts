import { addressProblem, isAddress } from "@capstan/sandbox";
import type { HttpConnection } from "./connection.ts";

/** Top-level names that are reserved for private networks, so that no outsider controls them. */
const privateZones = /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/;

/**
 * Returns whether a host of a URL is private whatever its DNS records say: a private address, a
 * name without dots, or a name that is reserved for private networks.
 *
 * @example isPrivateName("10.0.0.5") // true
 * @example isPrivateName("intranet.example.org") // false: its DNS records decide, and can change
 */
export function isPrivateName(hostname: string): boolean {
  if (isAddress(hostname)) return addressProblem(hostname) !== undefined;
  const name = hostname.toLowerCase().replace(/\.$/, "");
  return !name.includes(".") || privateZones.test(name);
}

/** Returns the URLs in the settings of a connection: its server's, and its issuer's if set. */
export function ownUrls({ url, oauth }: Pick<HttpConnection, "url" | "oauth">): readonly URL[] {
  return [url, oauth?.issuer].flatMap((one) => (one === undefined ? [] : [new URL(one)]));
}

/**
 * Returns the hosts of a connection that may have a private address. If an older stored
 * connection has no such list, returns its hosts that are private by name.
 */
export function privateHostsOf(
  connection: Pick<HttpConnection, "url" | "oauth" | "privateHosts">,
): readonly string[] {
  const { privateHosts } = connection;
  if (privateHosts !== undefined) return privateHosts;
  return ownUrls(connection)
    .filter(({ hostname }) => isPrivateName(hostname))
    .map(({ host }) => host);
}
