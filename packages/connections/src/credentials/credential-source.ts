/** The parts of a request that authenticate it. All of their values are secret. */
export interface RequestCredential {
  readonly headers: { readonly [name: string]: string };
  /** Parameters to add to the URL. */
  readonly query: { readonly [name: string]: string };
  /** The texts to replace in all messages, results and logs: see `withoutSecrets`. */
  readonly secrets: readonly string[];
  /** Identifies this version of the credential. */
  readonly revision: number;
}

/** The credential of a request, or the reason why there is none. */
export type CredentialAnswer =
  | ({ readonly status: "ready" } & RequestCredential)
  /** Nothing is stored: send the request without a credential. */
  | { readonly status: "none" }
  /** A user must sign in, or enter the credential again. Do not send the request. */
  | { readonly status: "needs_sign_in"; readonly message: string }
  /** The credential cannot be refreshed at the moment. Do not send the request. */
  | { readonly status: "unavailable"; readonly message: string };

/**
 * The stored credentials of connections. Ask for each request: the answer depends on the owner, and
 * access tokens expire.
 */
export interface CredentialSource {
  /**
   * Returns the credential of an owner for a connection. An expired token is refreshed first; all
   * concurrent callers, also of other nodes, share one refresh.
   *
   * @param request.owner the principal for whom the request is sent
   * @param request.rejected the revision that the server rejected with 401. The token is then
   * refreshed, unless another caller did so meanwhile. Repeat the request at most once.
   * @example
   * const first = await source.forRequest({ connection, owner, signal });
   * const response = await send(first);
   * if (response.status === 401 && first.status === "ready")
   *   await send(await source.forRequest({ connection, owner, signal, rejected: first.revision }));
   */
  forRequest(request: {
    readonly connection: string;
    readonly owner: string;
    readonly signal: AbortSignal;
    readonly rejected?: number;
  }): Promise<CredentialAnswer>;
}
