import { CapstanError, type DeniedResources } from "@capstan/core";
import { deniesUrl } from "@capstan/core/host";
import { allowedHosts } from "./allowed-hosts.ts";
import type { ResolvedAddress, ResolveHost } from "./checked-agent.ts";
import { addressProblem, isAddress } from "./check-address.ts";

/**
 * The network access of a program: none, every public address, or the named hosts, as `host` or
 * `host:port`, which may be private; `*` among them means every public address.
 */
export type NetworkAccess = boolean | readonly string[];

export type Reach =
  | { readonly status: "open"; readonly addresses: readonly ResolvedAddress[] }
  | { readonly status: "refused"; readonly message: string }
  | { readonly status: "unknown"; readonly message: string };

/**
 * Returns a check of the addresses to which a program may connect. Resolves a name once, and allows
 * only the resolved addresses, so that a later DNS answer (DNS rebinding) has no effect.
 *
 * @throws CapstanError `invalid_allowed_host` for an invalid name
 */
export function reachable(
  access: NetworkAccess,
  resolve: ResolveHost,
  denied: Pick<DeniedResources, "hosts"> = { hosts: [] },
): (target: URL) => Promise<Reach> {
  const named = allowedHosts(typeof access === "boolean" ? [] : access);
  const isPublicOpen = typeof access === "boolean" ? access : access.includes("*");
  return async (target) => {
    const host = target.hostname.replace(/^\[|\]$/g, "");
    if (deniesUrl(denied, target))
      return { status: "refused", message: `A rule denies the host ${host}.` };
    const isNamed = named(target);
    if (!isNamed && !isPublicOpen) return { status: "refused", message: notNamed(host, access) };
    const addresses = await addressesOf(host, resolve);
    if (addresses.length === 0)
      return { status: "unknown", message: `There is no host ${host}. Check the address.` };
    for (const { address } of addresses) {
      const problem = addressProblem(address);
      if (problem !== undefined && !(isNamed && mayBePrivate(host, problem)))
        return { status: "refused", message: notPublic(target, problem) };
    }
    return { status: "open", addresses };
  };
}

/**
 * The owner of a name can point it at this machine or its cloud, so those hosts must be named
 * explicitly.
 */
function mayBePrivate(host: string, range: string): boolean {
  return isAddress(host) || host === "localhost" || range === "private" || range === "uniqueLocal";
}

async function addressesOf(
  host: string,
  resolve: ResolveHost,
): Promise<readonly ResolvedAddress[]> {
  if (isAddress(host)) return [{ address: host, family: host.includes(":") ? 6 : 4 }];
  return resolve(host).catch(() => []);
}

function notNamed(host: string, access: NetworkAccess): string {
  const names = typeof access === "boolean" ? "none" : access.join(", ");
  return `${host} is not one of the allowed hosts: ${names}.`;
}

function notPublic({ host, hostname }: URL, range: string): string {
  return `${hostname} is not on the public internet (${range}). Programs in the sandbox reach public addresses; others only if a script declares them, "network": ["${host}"].`;
}

/** Returns whether the text is a host, or a host with a port. */
export function isHost(text: string): boolean {
  try {
    allowedHosts([text]);
    return true;
  } catch (error) {
    if (CapstanError.isInstance(error)) return false;
    throw error;
  }
}
