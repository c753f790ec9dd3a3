import type { FetchLike } from "../../transport/fetch-like.ts";
import { guardedFetch } from "../../transport/guarded-fetch.ts";
import type { OpenApiConnection } from "../definition/openapi-connection.ts";
import { isUrl } from "../definition/openapi-connection.ts";

/** The `fetch` of a connection's requests. It connects to public addresses and the named host. */
export type ServiceFetch = FetchLike & { readonly close: () => Promise<void> };

/** The largest document, in bytes. */
export const largestDocument = 32 * 1024 * 1024;

/**
 * Returns the `fetch` of a connection. It reaches a private address only if the settings name the
 * host: in `server`, or if that is not set, in the URL of the document.
 *
 * @param options.maxBytes the largest body @default that of messages
 */
export function serviceFetch(
  { name, document, server, variables }: OpenApiConnection,
  options: { readonly maxBytes?: number; readonly ofDocument?: boolean } = {},
): ServiceFetch {
  const { maxBytes, ofDocument = false } = options;
  const filled = server?.replaceAll(/\{([^{}]+)\}/g, (whole, key: string) =>
    Object.hasOwn(variables, key) ? (variables[key] ?? whole) : whole,
  );
  const named = ofDocument || filled === undefined || !isUrl(filled) ? document : filled;
  const url = isUrl(named) ? URL.parse(named) : null;
  return guardedFetch({
    name,
    url: url ?? new URL("https://invalid.invalid/"),
    mayBePrivate: url !== null,
    ...(maxBytes !== undefined && { maxBytes }),
  });
}
