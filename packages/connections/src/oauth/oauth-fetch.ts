import type { HttpConnection } from "../definition/connection.ts";
import { ownUrls, privateHostsOf } from "../definition/private-hosts.ts";
import type { FetchLike } from "../transport/fetch-like.ts";
import { guardedFetch } from "../transport/guarded-fetch.ts";

/** Time limit of a request to an authorization server, in ms. */
const requestMs = 20_000;
/** The largest answer of an authorization server, in bytes. */
const maxBytes = 1024 * 1024;

/**
 * Calls a function with the `fetch` for the authorization server of a connection. It reaches public
 * addresses, and the private hosts of the connection and of the issuer in its settings.
 */
export async function withOAuthFetch<T>(
  connection: HttpConnection,
  use: (fetch: FetchLike) => Promise<T>,
): Promise<T> {
  const guarded = guardedFetch({
    name: connection.name,
    privateHosts: privateHostsOf(connection),
    ownHosts: ownUrls(connection).map(({ host }) => host),
    maxBytes,
  });
  const fetch: FetchLike = (target, init) =>
    guarded(target, {
      redirect: "error",
      ...init,
      signal: AbortSignal.any([
        AbortSignal.timeout(requestMs),
        ...(init?.signal ? [init.signal] : []),
      ]),
    });
  try {
    return await use(fetch);
  } finally {
    await guarded.close();
  }
}
