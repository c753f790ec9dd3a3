import {
  isToolError,
  type JsonSchema,
  type ToolArgs,
  type ToolContext,
  type ToolError,
  toolError,
  withText,
} from "@capstan/core";
import { compileSchema, digest, isUnchecked, loadSchemaChecks } from "@capstan/core/host";
import type { CredentialSource } from "../../credentials/credential-source.ts";
import { withoutSecrets } from "../../definition/connection.ts";
import type { Operation, OperationList } from "../definition/operation.ts";
import { mayRepeat } from "../definition/operation-effects.ts";
import { type OpenApiConnection, secretsOfDocument } from "../definition/openapi-connection.ts";
import {
  type BuiltRequest,
  buildRequest,
  type RequestCredentials,
  withCredentials,
} from "./build-request.ts";
import { CallProblem } from "./call-problem.ts";
import { joinPages, nextPage } from "./next-page.ts";
import { responseError, retryAfterOf } from "./operation-errors.ts";
import { type ReadResponse, readValue } from "./read-response.ts";
import { effectOfRequest } from "./preview-request.ts";
import { selectCredentials } from "./select-credentials.ts";
import { sendRequest } from "./send-request.ts";
import type { ServiceFetch } from "./service-client.ts";
import { writeBody } from "./write-body.ts";

/** The dependencies of a call. */
export interface OperationHost {
  readonly connection: OpenApiConnection;
  readonly list: Pick<OperationList, "schemes" | "server">;
  readonly fetch: ServiceFetch;
  readonly version: string;
  /** The stored credentials, which have precedence over those of the settings. @default none */
  readonly credentials?: CredentialSource | undefined;
  /** Returns the schema of a successful response with its definitions, if the document has one. */
  readonly outputSchema: () => JsonSchema | undefined;
}

/** The maximum length of a service's own error text, in characters. */
const longestError = 2_000;
/** The largest response that is compared with its schema, in bytes: the comparison takes time. */
const largestChecked = 1024 * 1024;
/** The largest joined result of several pages, in bytes of the responses. */
const largestPages = 16 * 1024 * 1024;

/**
 * Sends the request of an operation, and returns its value with its text for the model. With the
 * setting `pages`, reads further pages and joins their lists.
 *
 * @returns an error for the model if the service does not answer with success
 */
export async function callOperation(
  operation: Operation,
  args: ToolArgs,
  host: OperationHost,
  context: ToolContext,
): Promise<unknown> {
  const { connection } = host;
  const first = await request(operation, args, host, context);
  if (isToolError(first)) return first;
  const read = readValue(first);
  if (read.type === "parts") return read.parts;
  let value = read.data;
  let size = first.bytes.length;
  let next = nextPage(operation, args, { headers: first.headers, url: first.url, value });
  const notes: string[] = [];
  let { hasLeft } = first;
  for (let page = 2; next !== undefined && page <= (connection.pages ?? 1); page++) {
    // Another origin must not choose arguments of a request with credentials.
    if (size > largestPages || hasLeft) break;
    context.output.progress({ message: `Reading page ${page}` });
    const response = await request(operation, next, host, context, args);
    if (isToolError(response)) {
      notes.push(`Page ${page} cannot be read: ${response.message}`);
      break;
    }
    const further = readValue(response);
    const joined = further.type === "data" ? joinPages(value, further.data) : undefined;
    if (further.type !== "data" || joined === undefined) break;
    value = joined;
    size += response.bytes.length;
    const { headers, url } = response;
    hasLeft = response.hasLeft;
    next = nextPage(operation, next, { headers, url, value: further.data });
  }
  if (next !== undefined)
    notes.push(`There are more results: call again with ${changed(args, next)}.`);
  const problem =
    size > largestChecked ? undefined : await mismatch(value, host.outputSchema(), first.status);
  if (problem !== undefined)
    notes.push(`The response does not match the document of the service: ${problem}`);
  if (notes.length === 0) return value;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return withText(value, `${text}\n\n[${notes.join(" ")}]`);
}

function changed(before: ToolArgs, after: ToolArgs): string {
  return Object.entries(after)
    .filter(([name, value]) => before[name] !== value)
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
    .join(" and ");
}

/** @param approved the arguments of the first page, whose request the approval showed */
async function request(
  operation: Operation,
  args: ToolArgs,
  host: OperationHost,
  context: ToolContext,
  approved = args,
): Promise<ReadResponse | ToolError> {
  const { connection, list, fetch } = host;
  const { name, idleSeconds = 60 } = connection;
  const repeatable = mayRepeat(operation, connection);
  try {
    const plain = plainRequest(operation, args, host, context);
    const body = await writeBody(operation, args["body"], context);
    const { approvedEffect } = context;
    const files = body?.files ?? [];
    if (
      files.length > 0 &&
      approvedEffect !== undefined &&
      digest(effectOfRequest(operation, buildRequest(operation, approved).url, files)) !==
        approvedEffect
    )
      return toolError({
        code: "effect_changed",
        message: `Not sent: ${files.map((file) => file.name).join(", ")} changed after the approval was requested. Call ${operation.toolName} again to request approval of the current content.`,
      });
    const isOwn = URL.parse(list.server)?.origin === plain.url.origin;
    let found = await findCredentials(operation, host, context);
    for (let attempt = 1; ; attempt++) {
      if (isToolError(found)) return found;
      const { credentials, secrets, revision } = found;
      const full = isOwn ? withCredentials(plain, credentials) : plain;
      const { method } = operation;
      const sent = await sendRequest(
        fetch,
        { name, method, plain, full, body, mayRepeat: repeatable, idleSeconds, secrets },
        context,
      );
      if (sent.status === "failed") return sent.error;
      const { response } = sent;
      if (response.status < 400) return response;
      // The service has not carried out the request, and a new token may be accepted.
      const isRejected = response.status === 401 && isOwn && !response.hasLeft;
      if (isRejected && revision !== undefined && attempt === 1) {
        found = await findCredentials(operation, host, context, revision);
        continue;
      }
      const retryAfterMs = retryAfterOf(response.headers.get("retry-after"));
      const text = withoutSecrets(errorText(response), secrets);
      const failed = { status: response.status, text };
      return responseError(
        name,
        retryAfterMs === undefined ? failed : { ...failed, retryAfterMs },
        { mayRepeat: repeatable },
      );
    }
  } catch (thrown) {
    if (!(thrown instanceof CallProblem)) throw thrown;
    return toolError({ code: "invalid_arguments", message: thrown.message });
  }
}

function plainRequest(
  operation: Operation,
  args: ToolArgs,
  { version }: OperationHost,
  { idempotencyKey }: ToolContext,
): BuiltRequest {
  const { url, headers } = buildRequest(operation, args);
  return {
    url,
    headers: {
      accept: "application/json, */*;q=0.8",
      "user-agent": `Capstan/${version}`,
      ...headers,
      ...(operation.idempotencyHeader !== undefined && {
        [operation.idempotencyHeader.toLowerCase()]: idempotencyKey,
      }),
    },
  };
}

interface FoundCredentials {
  readonly credentials: RequestCredentials;
  readonly secrets: readonly string[];
  /** The revision of the stored credential; absent if the credential is from the settings. */
  readonly revision?: number;
}

/** Returns the stored credential of the caller, or else that of the settings. */
async function findCredentials(
  operation: Operation,
  { connection, list, credentials: source }: OperationHost,
  { principal, signal }: ToolContext,
  rejected?: number,
): Promise<FoundCredentials | ToolError> {
  const { name, headers } = connection;
  const secrets = secretsOfDocument(connection);
  const stored = await source?.forRequest({
    connection: name,
    owner: principal.id,
    signal,
    ...(rejected !== undefined && { rejected }),
  });
  if (stored?.status === "ready")
    return {
      credentials: { headers: { ...headers, ...stored.headers }, query: stored.query, cookies: {} },
      secrets: [...secrets, ...stored.secrets],
      revision: stored.revision,
    };
  if (stored !== undefined && stored.status !== "none")
    return toolError({
      code: stored.status === "needs_sign_in" ? "sign_in_needed" : "not_connected",
      message: stored.message,
      retryable: stored.status === "unavailable",
    });
  const selected = selectCredentials(operation, list.schemes, connection);
  if (selected.status === "ready") return { credentials: selected.credentials, secrets };
  return toolError({
    code: "sign_in_needed",
    message: `${name} needs a credential for ${selected.schemes.join(", ")}. An administrator must set connections.${name}.credentials, or a user must enter a key: capstan connections login ${name} --key`,
  });
}

/** Returns the text of a failed response: the problem's title and detail, or the body, cut. */
function errorText({ bytes, headers }: ReadResponse): string {
  const text = bytes.subarray(0, 20_000).toString("utf8").trim();
  const isHtml = /^text\/html/i.test(headers.get("content-type") ?? "");
  const plain = isHtml ? text.replaceAll(/<[^<>]{0,2000}>/g, " ") : text;
  const line = plain.replaceAll(/\s+/g, " ");
  return line.length > longestError ? `${line.slice(0, longestError - 1)}…` : line;
}

async function mismatch(
  value: unknown,
  schema: JsonSchema | undefined,
  status: number,
): Promise<string | undefined> {
  if (schema === undefined || status === 204 || typeof value !== "object") return undefined;
  await loadSchemaChecks();
  const compiled = compileSchema(schema);
  if (compiled.status === "refused") return undefined;
  const issues = compiled.validator.validate(value);
  const [issue] = issues;
  return issue === undefined || isUnchecked(issues)
    ? undefined
    : `${issue.path || "/"}: expected ${issue.expected}, got ${issue.received}.`;
}
