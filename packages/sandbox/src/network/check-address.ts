import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";

const globalUnicast = ipaddr.IPv6.parse("2000::");

/**
 * Returns why an IP address is not public, e.g. `loopback`, `private`, `linkLocal`; undefined if it
 * is public. Rejects addresses that embed another one (IPv4-mapped, NAT64, 6to4, Teredo), whatever
 * the embedded address. Rejects this machine's own addresses, because its services can be closed to
 * other machines.
 *
 * @param own the addresses of this machine. @default those of its network interfaces
 */
export function addressProblem(
  address: string,
  own: readonly string[] = ownAddresses(),
): string | undefined {
  const bare = address.replace(/^\[|\]$/g, "").replace(/%.*$/, "");
  if (!ipaddr.isValid(bare)) return "not an IP address";
  const parsed = ipaddr.parse(bare);
  const range = parsed.range();
  if (range !== "unicast") return range;
  // Only 2000::/3 is public in IPv6.
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(globalUnicast, 3)) return "reserved";
  const isOwn = own.some(
    (one) => ipaddr.isValid(one) && String(ipaddr.parse(one)) === String(parsed),
  );
  return isOwn ? "this machine" : undefined;
}

function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((each) =>
    (each ?? []).map(({ address }) => address),
  );
}

/** Whether a URL's host is an address and not a name. */
export function isAddress(hostname: string): boolean {
  return ipaddr.isValid(hostname.replace(/^\[|\]$/g, ""));
}
