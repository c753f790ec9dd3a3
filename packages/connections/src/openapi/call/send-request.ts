import { type ToolContext, type ToolError, toolError } from "@capstan/core";
import { deniesUrl, errorMessage } from "@capstan/core/host";
import { NetworkError, rootCause } from "@capstan/sandbox";
import { withoutSecrets } from "../../definition/connection.ts";
import { ConnectionError, unsentCodes } from "../../transport/connection-error.ts";
import type { BuiltRequest } from "./build-request.ts";
import { readBytes, type ReadResponse } from "./read-response.ts";
import type { ServiceFetch } from "./service-client.ts";
import type { WrittenBody } from "./write-body.ts";

/** A request to a service, and the rules for it. */
export interface SentRequest {
  readonly name: string;
  readonly method: string;
  /** The request without credentials, for another host. */
  readonly plain: BuiltRequest;
  /** The request with credentials, for the service's own host. */
  readonly full: BuiltRequest;
  readonly body: WrittenBody | undefined;
  /** Whether the same request can be repeated without harm. */
  readonly mayRepeat: boolean;
  readonly idleSeconds: number;
  readonly secrets: readonly string[];
}

/** The outcome of a request: a response of any status, or an error for the model. */
export type SentOutcome =
  | { readonly status: "answered"; readonly response: ReadResponse }
  | { readonly status: "failed"; readonly error: ToolError };

const mostRedirects = 5;

/**
 * Sends a request, and follows its redirects: reads to any public host, writes only to the same
 * origin. Credentials and the arguments in headers never leave the origin. After a redirect that leaves
 * it, none are sent, also if the next one leads back: the other origin chose that address.
 */
export async function sendRequest(
  fetch: ServiceFetch,
  request: SentRequest,
  context: ToolContext,
): Promise<SentOutcome> {
  const { name, idleSeconds } = request;
  const silence = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const onActivity = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), idleSeconds * 1_000);
  };
  const state = { isSent: false };
  try {
    return await follow();
  } catch (thrown) {
    context.signal.throwIfAborted();
    if (silence.signal.aborted) return failed(silent(request));
    return failed(failureOf(request, thrown, state));
  } finally {
    clearTimeout(timer);
  }

  async function follow(): Promise<SentOutcome> {
    const start = request.full.url;
    let { method, body } = request;
    let url = start;
    let hasLeft = false;
    for (let redirects = 0; redirects <= mostRedirects; redirects++) {
      if (deniesUrl(context.denied(), url))
        return failed(
          toolError({
            code: "denied_host",
            message: `A rule denies the host ${url.host}, which ${name} needs.`,
          }),
        );
      hasLeft ||= url.origin !== start.origin;
      const { headers } = hasLeft ? { headers: plainHeaders(request.plain) } : request.full;
      onActivity();
      state.isSent = true;
      const response = await fetch(url, {
        method,
        headers: {
          ...headers,
          ...(body?.contentType !== undefined && { "content-type": body.contentType }),
        },
        // The types of the two libraries differ only in details that are not used here.
        ...(body !== undefined && { body: body.body as unknown as BodyInit }),
        redirect: "manual",
        signal: AbortSignal.any([context.signal, silence.signal]),
      });
      onActivity();
      const next = locationOf(response, url);
      if (next === undefined) {
        const bytes = await readBytes(response, { output: context.output, onActivity });
        const { status, headers: received } = response;
        return { status: "answered", response: { status, headers: received, bytes, url, hasLeft } };
      }
      await response.body?.cancel().catch(() => {});
      const isRead = method === "GET" || method === "HEAD";
      if (!/^https?:$/.test(next.protocol) || (!isRead && next.origin !== start.origin))
        return failed(elsewhere(name, response.status, next));
      if (response.status === 303 || (!isRead && response.status <= 302)) {
        method = "GET";
        body = undefined;
      }
      url = next;
    }
    return failed(
      toolError({
        code: "rejected",
        message: `${name} redirects more than ${mostRedirects} times.`,
      }),
    );
  }
}

/** The headers for another origin: only those that every client sends. */
function plainHeaders({ headers }: BuiltRequest): { readonly [name: string]: string } {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => name === "accept" || name === "user-agent"),
  );
}

function locationOf(response: Response, url: URL): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(response.status)) return undefined;
  const location = response.headers.get("location");
  return location === null ? undefined : (URL.parse(location, url) ?? undefined);
}

function elsewhere(name: string, status: number, { origin }: URL): ToolError {
  return toolError({
    code: "rejected",
    message: `${name} redirects the request to ${origin} (${status}), and it was not sent there. Do not call it again: it may have been carried out.`,
  });
}

function silent({ name, idleSeconds, mayRepeat, method }: SentRequest): ToolError {
  const what = `${name} sent nothing for ${idleSeconds} seconds`;
  if (mayRepeat && (method === "GET" || method === "HEAD"))
    return toolError({
      code: "timed_out",
      message: `${what}. Ask for less at a time, or try again later.`,
      retryable: true,
    });
  return toolError({
    code: "outcome_unknown",
    message: `${what}. The request may have been carried out: check before you call it again.`,
    retryable: mayRepeat,
  });
}

function failureOf(
  { name, mayRepeat, secrets, method }: SentRequest,
  thrown: unknown,
  { isSent }: { readonly isSent: boolean },
): ToolError {
  const cause = rootCause(thrown);
  const own = [thrown, cause].find((one) => one instanceof ConnectionError);
  const isRead = method === "GET" || method === "HEAD";
  if (own !== undefined)
    return toolError({
      ...own.data,
      message: isRead
        ? own.data.message
        : `${own.data.message} The request was sent, and may have been carried out.`,
    });
  if (cause instanceof NetworkError) return toolError(cause.data);
  const text = withoutSecrets(errorMessage(cause), secrets).slice(0, 500);
  const code = (cause as { readonly code?: unknown } | undefined)?.code;
  if (!isSent || (typeof code === "string" && (unsentCodes.has(code) || isOfTls(code))))
    return toolError({
      code: "not_connected",
      message: `${name} cannot be reached: ${text}. The request was not sent.`,
      retryable: !(typeof code === "string" && isOfTls(code)),
    });
  if (isRead)
    return toolError({
      code: "not_connected",
      message: `The connection to ${name} ended before its response: ${text}.`,
      retryable: true,
    });
  return toolError({
    code: "outcome_unknown",
    message: `The connection to ${name} ended before its response: ${text}. The request may have been carried out: check before you call it again.`,
    retryable: mayRepeat,
  });
}

function isOfTls(code: string): boolean {
  return /CERT|SSL|TLS|ALTNAME/.test(code);
}

function failed(error: ToolError): SentOutcome {
  return { status: "failed", error };
}
