import type { FetchLike } from "../../transport/fetch-like.ts";
import { guardedFetch } from "../../transport/guarded-fetch.ts";
import { isPrivateName } from "../../definition/private-hosts.ts";
import type { OpenApiConnection } from "../definition/openapi-connection.ts";
import { isUrl } from "../definition/openapi-connection.ts";

/** The `fetch` of a connection's requests. It connects to public addresses and the named host. */
export type ServiceFetch = FetchLike & { readonly close: () => Promise<void> };

/** The largest document, in bytes. */
export const largestDocument = 32 * 1024 * 1024;

/**
 * Returns the `fetch` of a connection. It reaches a private address only at the host that the
 * settings name: in `server`, or else in the URL of the document. This host must be private by its
 * name, or the settings must say so.
 *
 * @param options.maxBytes the largest body @default that of messages
 */
export function serviceFetch(
  connection: OpenApiConnection,
  options: { readonly maxBytes?: number; readonly ofDocument?: boolean } = {},
): ServiceFetch {
  const { maxBytes, ofDocument = false } = options;
  const url = namedUrl(connection, { ofDocument });
  const host = url === undefined ? [] : [url.host];
  return guardedFetch({
    name: connection.name,
    privateHosts: isPrivate(connection, url) ? host : [],
    ownHosts: host,
    ...(maxBytes !== undefined && { maxBytes }),
  });
}

/** Returns whether the service may have a private address. */
export function isPrivateService(connection: OpenApiConnection): boolean {
  return isPrivate(connection, namedUrl(connection, { ofDocument: false }));
}

function isPrivate({ private: isAccepted }: OpenApiConnection, url: URL | undefined): boolean {
  return url !== undefined && (isAccepted ?? isPrivateName(url.hostname));
}

/** Returns the URL that the settings name: of the document or of the service. */
function namedUrl(
  { document, server, variables }: OpenApiConnection,
  { ofDocument }: { readonly ofDocument: boolean },
): URL | undefined {
  const filled = server?.replaceAll(/\{([^{}]+)\}/g, (whole, key: string) =>
    Object.hasOwn(variables, key) ? (variables[key] ?? whole) : whole,
  );
  const named = ofDocument || filled === undefined || !isUrl(filled) ? document : filled;
  return isUrl(named) ? (URL.parse(named) ?? undefined) : undefined;
}
