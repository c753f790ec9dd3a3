import type { ToolContext, ToolErrorData } from "@capstan/core";
import { deniesUrl, errorMessage } from "@capstan/core/host";
import {
  addressProblem,
  type AllowedHosts,
  checkedAgent,
  isAddress,
  NetworkError,
  privateAddress,
  resolveBySystem,
  type ResolveHost,
  rootCause,
} from "@capstan/sandbox";
import type { Dispatcher, FormData, Response } from "undici";
import { formatBytes } from "../text/format-bytes.ts";
import { replyFailure } from "./reply-failure.ts";

/** The hosts, limits and resolver of requests to outside services. */
export interface ServiceClientOptions {
  /** Returns whether a host may be private, because the configuration names it. @default none */
  readonly allowed?: AllowedHosts;
  /** Resolves host names; the resulting addresses are checked. @default the system's resolver */
  readonly resolve?: ResolveHost;
  /** The time limit for a request with its whole reply, in milliseconds. @default 30000 */
  readonly timeoutMs?: number;
  /** The largest reply, after decompression. @default 10 MiB */
  readonly maxBytes?: number;
}

/** A request to a service, for one call of a tool. */
export interface ServiceRequest {
  readonly url: URL;
  /** The name of the service in messages to the model. @example "Wikipedia" */
  readonly service: string;
  /** @default "GET" */
  readonly method?: "GET" | "POST";
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string;
  /** Sent as `multipart/form-data` in place of a body. */
  readonly form?: readonly FormField[];
  readonly context: Pick<ToolContext, "signal" | "denied">;
}

/** A field of a form: a text, or a file. */
export type FormField =
  | { readonly name: string; readonly value: string }
  | {
      readonly name: string;
      readonly bytes: Uint8Array;
      readonly fileName: string;
      readonly type: string;
    };

/** A reply with its status and its unread body. */
export interface ServiceReply {
  readonly url: URL;
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  /** The body, up to the limit. The caller must read it to its end. */
  readonly pieces: AsyncIterable<Uint8Array>;
}

/**
 * Sends a request. Hosts that rules deny and addresses outside the public internet are rejected.
 * Redirects are not followed.
 *
 * @throws NetworkError for network failures, timeouts and replies that are too large; the signal's
 * reason on abort
 */
export type SendRequest = (request: ServiceRequest) => Promise<ServiceReply>;

/** Creates a client for outside services. It connects at its first request. */
export function serviceClient(options: ServiceClientOptions = {}): SendRequest {
  const { allowed = () => false, resolve = resolveBySystem, timeoutMs = 30_000 } = options;
  const { maxBytes = 10 * 1024 * 1024 } = options;
  const agent = { resolve, connectTimeoutMs: Math.min(timeoutMs, 10_000) };
  let checked: Promise<Dispatcher> | undefined;
  let unchecked: Promise<Dispatcher> | undefined;
  const agentFor = (isAllowed: boolean): Promise<Dispatcher> =>
    isAllowed
      ? (unchecked ??= checkedAgent({ ...agent, publicOnly: false }))
      : (checked ??= checkedAgent({ ...agent, publicOnly: true }));

  return async ({ url, service, method = "GET", headers = {}, body, form, context }) => {
    if (deniesUrl(context.denied(), url))
      throw failure("denied_host", `A rule denies the host ${url.host}, which ${service} needs.`);
    const isAllowed = allowed(url);
    if (!isAllowed && isAddress(url.hostname)) {
      const problem = addressProblem(url.hostname);
      if (problem !== undefined) throw privateAddress(url.hostname, problem);
    }
    const deadline = AbortSignal.timeout(timeoutMs);
    const failed = (thrown: unknown): Error => {
      context.signal.throwIfAborted();
      if (thrown instanceof NetworkError) return thrown;
      if (deadline.aborted)
        return failure(
          "timed_out",
          `${service} did not answer within ${timeoutMs / 1000} seconds.`,
          { retryable: true },
        );
      return networkFailure(service, url, thrown);
    };
    try {
      const dispatcher = await agentFor(isAllowed);
      // The agent has already loaded it.
      const { fetch, FormData: Form } = await import("undici");
      const sent = form === undefined ? body : filled(new Form(), form);
      const response = await fetch(url, {
        method,
        headers,
        dispatcher,
        redirect: "manual",
        signal: AbortSignal.any([context.signal, deadline]),
        ...(sent !== undefined && { body: sent }),
      });
      return {
        url,
        status: response.status,
        header: (name) => response.headers.get(name) ?? undefined,
        pieces: upTo(maxBytes, response, { service, failed }),
      };
    } catch (error) {
      throw failed(error);
    }
  };
}

/** Reads a whole body. @throws NetworkError if it is too large or the connection breaks */
export async function readBytes({ pieces }: Pick<ServiceReply, "pieces">): Promise<Uint8Array> {
  const read: Uint8Array[] = [];
  for await (const piece of pieces) read.push(piece);
  return Buffer.concat(read);
}

/** Parses JSON; returns `undefined` if the text is not JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * Fetches JSON. A failure includes the service's own error text.
 *
 * @param reasonOf finds the service's reason in the JSON of a failed reply
 * @throws NetworkError for a status other than 2xx, and for a reply that is not JSON
 */
export async function fetchJson(
  send: SendRequest,
  request: ServiceRequest,
  reasonOf: (body: unknown) => string | undefined,
): Promise<unknown> {
  const reply = await send(request);
  const text = Buffer.from(await readBytes(reply)).toString("utf8");
  const body = jsonOf(text);
  if (reply.status < 200 || reply.status > 299)
    throw replyFailure(reply, request.service, reasonOf(body) ?? (body === undefined ? text : ""));
  if (body === undefined)
    throw failure(
      "unexpected_reply",
      `${request.service} did not answer with JSON but with ${reply.header("content-type") ?? "no type"}.`,
    );
  return body;
}

function filled(form: FormData, fields: readonly FormField[]): FormData {
  for (const field of fields) {
    if ("value" in field) form.append(field.name, field.value);
    else {
      const blob = new Blob([new Uint8Array(field.bytes)], { type: field.type });
      form.append(field.name, blob, field.fileName);
    }
  }
  return form;
}

async function* upTo(
  limit: number,
  response: Response,
  { service, failed }: { readonly service: string; readonly failed: (thrown: unknown) => Error },
): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    // Counts decompressed bytes, so that a decompression bomb ends at the limit.
    for await (const piece of response.body ?? []) {
      size += (piece as Uint8Array).length;
      if (size > limit)
        throw failure(
          "too_large",
          `The reply of ${service} is larger than ${formatBytes(limit)}, the maximum size.`,
        );
      yield piece as Uint8Array;
    }
  } catch (thrown) {
    throw failed(thrown);
  }
}

function networkFailure(service: string, url: URL, thrown: unknown): NetworkError {
  const cause = rootCause(thrown);
  if (cause instanceof NetworkError) return cause;
  const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
  return failure(
    "unreachable",
    `${service} cannot be reached at ${url.host}: ${errorMessage(cause)}${code}.`,
    { retryable: !/CERT|SSL|TLS|ALTNAME/.test(code) },
  );
}

function failure(code: string, message: string, more: Partial<ToolErrorData> = {}): NetworkError {
  return new NetworkError({ ...more, code, message });
}
