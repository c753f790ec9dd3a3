import type { Operation } from "./operation.ts";
import type { OpenApiConnection } from "./openapi-connection.ts";

/** Paths of reads that probably change something. */
const changing = /(?:^|\/|_|-)(?:logout|signout|delete|remove|destroy|revoke|reset)(?:$|\/|_|-)/i;

/**
 * Returns whether an operation only reads: its method is a read, and its path does not name a
 * change.
 */
export function isRead({ method, path }: Pick<Operation, "method" | "path">): boolean {
  return (method === "GET" || method === "HEAD") && !changing.test(path);
}

/**
 * Returns whether the same request can be repeated without harm: a read, a request with an
 * idempotency key, or a method that the administrator trusts.
 */
export function mayRepeat(
  operation: Pick<Operation, "method" | "path" | "idempotencyHeader">,
  { trustMethods = false }: Pick<OpenApiConnection, "trustMethods">,
): boolean {
  if (isRead(operation) || operation.idempotencyHeader !== undefined) return true;
  return trustMethods && (operation.method === "PUT" || operation.method === "DELETE");
}
