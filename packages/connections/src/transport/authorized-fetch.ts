import { needsScope } from "../credentials/credential-texts.ts";
import type { CredentialAnswer, CredentialSource } from "../credentials/credential-source.ts";
import type { FetchLike } from "./fetch-like.ts";
import { ConnectionError } from "./connection-error.ts";

/**
 * Returns a `fetch` that adds the stored credential of an owner to the requests to a connection's
 * server, and to no other server. After a 401, refreshes the token and repeats the request once:
 * the server did not carry it out.
 *
 * @param options.onSecrets receives the secrets of each request
 * @param options.onScope receives the scopes that the server demands with a 403
 */
export function authorizedFetch(
  send: FetchLike,
  options: {
    readonly name: string;
    readonly url: URL;
    readonly owner: string;
    readonly source: CredentialSource;
    readonly onSecrets: (secrets: readonly string[]) => void;
    readonly onScope?: (scope: string) => Promise<void>;
  },
): FetchLike {
  const { name, url: own, owner, source, onSecrets, onScope } = options;
  const sendWith: (
    given: CredentialAnswer,
    ...request: Parameters<FetchLike>
  ) => Promise<Response> = async (given, target, init) => {
    if (given.status === "needs_sign_in")
      throw new ConnectionError({ code: "sign_in_needed", message: given.message });
    if (given.status === "unavailable")
      throw new ConnectionError({
        code: "not_connected",
        message: given.message,
        retryable: true,
      });
    if (given.status === "none") return send(target, init);
    onSecrets(given.secrets);
    const url = new URL(target);
    for (const [key, value] of Object.entries(given.query)) url.searchParams.set(key, value);
    const headers = new Headers(init?.headers);
    for (const [key, value] of Object.entries(given.headers)) headers.set(key, value);
    return send(url, { ...init, headers });
  };
  return async (target, init) => {
    if (new URL(target).origin !== own.origin) return send(target, init);
    const signal = init?.signal ?? new AbortController().signal;
    const request = { connection: name, owner, signal };
    const first = await source.forRequest(request);
    const response = await sendWith(first, target, init);
    if (response.status === 403) {
      const scope = demandedScope(response.headers.get("www-authenticate") ?? "");
      if (scope !== undefined) {
        await response.body?.cancel();
        await onScope?.(scope);
        throw new ConnectionError({ code: "sign_in_needed", message: needsScope(name, scope) });
      }
    }
    if (response.status !== 401 || first.status !== "ready") return response;
    await response.body?.cancel();
    const second = await source.forRequest({ ...request, rejected: first.revision });
    return sendWith(second, target, init);
  };
}

/** Returns the scopes of an `insufficient_scope` challenge. */
function demandedScope(challenge: string): string | undefined {
  if (!/error="?insufficient_scope/i.test(challenge)) return undefined;
  return /\bscope="([^"]{1,1000})"/i.exec(challenge)?.[1];
}
