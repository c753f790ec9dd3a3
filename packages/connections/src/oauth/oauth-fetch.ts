import type { HttpConnection } from "../definition/connection.ts";
import type { FetchLike } from "../transport/fetch-like.ts";
import { guardedFetch } from "../transport/guarded-fetch.ts";

/** Time limit of a request to an authorization server, in ms. */
const requestMs = 20_000;

/**
 * Calls a function with the `fetch` for the authorization server of a connection. It reaches public
 * addresses, the connection's own host, and the host of the issuer in its settings.
 */
export async function withOAuthFetch<T>(
  { name, url, oauth }: HttpConnection,
  use: (fetch: FetchLike) => Promise<T>,
): Promise<T> {
  const issuer = oauth?.issuer;
  const guarded = guardedFetch({
    name,
    url: new URL(url),
    mayBePrivate: true,
    ...(issuer !== undefined && { named: [new URL(issuer).host] }),
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
