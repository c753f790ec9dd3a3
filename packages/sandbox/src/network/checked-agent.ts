import { lookup } from "node:dns/promises";
import type { LookupFunction } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import type * as undici from "undici";
import { addressProblem } from "./check-address.ts";
import { NetworkError } from "./network-error.ts";

/** An IP address of a host name, with its IP version. */
export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** A name's addresses. */
export type ResolveHost = (hostname: string) => Promise<readonly ResolvedAddress[]>;

/** Resolves a host name with the operating system's resolver, and returns all its addresses. */
export const resolveBySystem: ResolveHost = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address, family }) => ({
    address,
    family: family === 6 ? 6 : 4,
  }));

export interface AgentOptions {
  readonly resolve: ResolveHost;
  /** Whether addresses that are not public are rejected. */
  readonly publicOnly: boolean;
  readonly connectTimeoutMs: number;
  /** Returns the advice for users if a host is private. @default that of `privateAddress` */
  readonly fixFor?: (hostname: string) => string | undefined;
}

/**
 * Creates an agent that connects only to checked addresses. It resolves a name once per connection,
 * so a later DNS answer (DNS rebinding) has no effect. Literal addresses are not resolved; the
 * caller must check them.
 */
export async function checkedAgent(options: AgentOptions): Promise<undici.Agent> {
  const { resolve, publicOnly, connectTimeoutMs, fixFor } = options;
  const { Agent } = await loadUndici();
  const resolveChecked = async (hostname: string): Promise<readonly ResolvedAddress[]> => {
    const addresses = await resolve(hostname);
    if (publicOnly) refusePrivate(hostname, addresses, fixFor?.(hostname));
    if (addresses.length === 0) throw unknownHost(hostname);
    return addresses;
  };
  const checkedLookup: LookupFunction = (hostname, options, callback) => {
    void answerLookup(resolveChecked(hostname), options.all === true, callback);
  };
  return new Agent({
    connect: { lookup: checkedLookup, timeout: connectTimeoutMs },
    keepAliveTimeout: 10_000,
    connections: 8,
  });
}

/**
 * undici takes 80 ms to load: it is loaded at first use, in parts, so that the event loop is free
 * in between.
 */
async function loadUndici(): Promise<typeof undici> {
  for (const part of ["undici/lib/dispatcher/agent.js", "undici/lib/web/fetch/index.js"]) {
    await import(part);
    await nextTurn();
  }
  return import("undici");
}

/** Node's lookup function uses a callback. */
async function answerLookup(
  answer: Promise<readonly ResolvedAddress[]>,
  all: boolean,
  callback: Parameters<LookupFunction>[2],
): Promise<void> {
  try {
    const addresses = await answer;
    if (all) callback(null, [...addresses]);
    else callback(null, addresses[0]?.address ?? "", addresses[0]?.family);
  } catch (error) {
    callback(error as Error, "");
  }
}

/**
 * Rejects a name if any of its addresses is private, because the agent cannot choose the address of
 * the connection.
 */
function refusePrivate(
  hostname: string,
  addresses: readonly ResolvedAddress[],
  fix: string | undefined,
): void {
  for (const { address } of addresses) {
    const problem = addressProblem(address);
    if (problem !== undefined) throw privateAddress(hostname, problem, fix);
  }
}

/**
 * The message omits the address, so that the model does not learn internal addresses.
 *
 * @param fix the advice for users. @default that the configuration can allow a host
 */
export function privateAddress(
  hostname: string,
  range: string,
  fix = "The administrator can allow a host in the configuration.",
): NetworkError {
  return new NetworkError({
    code: "private_address",
    message: `${hostname} is not on the public internet (${range}), and private addresses are not fetched. ${fix}`,
  });
}

function unknownHost(hostname: string): NetworkError {
  return new NetworkError({
    code: "unknown_host",
    message: `There is no host ${hostname}. Check the address.`,
  });
}
