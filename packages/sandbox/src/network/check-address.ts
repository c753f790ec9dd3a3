import ipaddr from "ipaddr.js";

const globalUnicast = ipaddr.IPv6.parse("2000::");

/**
 * Why an IP address is none of the public internet's, e.g. `loopback`, `private`, `linkLocal`;
 * undefined where it is public. Addresses that carry another (IPv4-mapped, NAT64, 6to4, Teredo)
 * are refused whatever they carry.
 */
export function addressProblem(address: string): string | undefined {
  const bare = address.replace(/^\[|\]$/g, "").replace(/%.*$/, "");
  if (!ipaddr.isValid(bare)) return "not an IP address";
  const parsed = ipaddr.parse(bare);
  const range = parsed.range();
  if (range !== "unicast") return range;
  // IPv6 is public only where it was given out to be: 2000::/3.
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(globalUnicast, 3)) return "reserved";
  return undefined;
}

/** Whether a URL's host is an address and not a name. */
export function isAddress(hostname: string): boolean {
  return ipaddr.isValid(hostname.replace(/^\[|\]$/g, ""));
}
