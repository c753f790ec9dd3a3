import type { RouteRight } from "../../http/rights.ts";
import type { Operation, Schema } from "./operation.ts";

/** The meaning of each status of an error. */
const meanings = {
  400: "The request is invalid; `error.param` names the part",
  401: "The key is missing or unknown",
  403: "The key lacks the right, or another site's page has sent the request",
  404: "An object or a model that the request names does not exist",
  405: "The protocol version has no such method",
  406: "The client accepts no response of this type",
  409: "The request conflicts with another one, or with the state of its object",
  413: "The body is too large",
  415: "The body has another media type or encoding",
  416: "The file has no such range",
  422: "The `Idempotency-Key` belongs to another request",
  429: "Too many requests or bytes at once; `Retry-After` says when to try again",
  500: "The server failed",
  502: "The model's provider failed",
  503: "The server is full or stopping, or its database does not respond",
  504: "The model's provider did not answer in time",
  507: "The server's disk is full",
} as const;

/** A status that an error can have. */
export type ErrorStatus = keyof typeof meanings;

/**
 * Returns the statuses that the errors of an operation can have. They follow from the route and from
 * the parts of the request, because the same checks serve all routes.
 */
export function errorStatuses(
  { method, path, needs }: Pick<RouteRight, "method" | "path" | "needs">,
  { query = [], body, form, answer, asksModel, isOptional = false }: Operation,
): readonly ErrorStatus[] {
  const isMcp = path.startsWith("/mcp");
  const isApi = path.startsWith("/v1/") || isMcp;
  const names = path.includes(":");
  const changes = isApi && method !== "GET";
  const reads = method === "POST" || method === "PUT";
  const asks = asksModel ?? (reads && answer.type === "either");
  const given: { readonly [status in ErrorStatus]: boolean } = {
    400: query.length > 0 || names || changes || isMcp,
    401: isApi && needs !== "none",
    403: true,
    // Bodies can name models, files and other objects.
    404:
      names ||
      isMcp ||
      isOptional ||
      body !== undefined ||
      query.some(({ name }) => name === "conversation"),
    405: isMcp,
    406: isMcp,
    409: changes,
    413: reads,
    415: reads,
    416: answer.type === "bytes",
    422: changes && form === undefined,
    429: isApi,
    500: true,
    502: asks,
    503: isApi,
    504: asks,
    507: changes,
  };
  return statuses.filter((status) => given[status]);
}

const statuses = Object.keys(meanings).map(Number) as readonly ErrorStatus[];

/** Returns the name of a status in the components of the document. */
export function errorName(status: ErrorStatus): string {
  return `Error${status}`;
}

/** Returns the responses of all statuses, by name. */
export function errorResponses(): { readonly [name: string]: Schema } {
  const schema = { $ref: "#/components/schemas/ErrorBody" };
  return Object.fromEntries(
    statuses.map((status) => [
      errorName(status),
      { description: meanings[status], content: { "application/json": { schema } } },
    ]),
  );
}
