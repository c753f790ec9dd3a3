import type { DeniedResources, ToolErrorData } from "@capstan/core";
import { deniesUrl, errorMessage } from "@capstan/core/host";
import type { Dispatcher, Response } from "undici";
import { formatBytes } from "../text/format-bytes.ts";
import {
  addressProblem,
  type AllowedHosts,
  isAddress,
  isSameSite,
  parseAddress,
  privateAddress,
  NetworkError,
  rootCause,
} from "@capstan/sandbox";

const mostRedirects = 5;

export interface FetchAddressOptions {
  /**
   * Returns the agent for a host. `isAllowed` means that the configuration allows a private host.
   */
  readonly agentFor: (isAllowed: boolean) => Promise<Dispatcher>;
  readonly allowed: AllowedHosts;
  readonly denied: Pick<DeniedResources, "hosts">;
  /** Time limit in milliseconds for redirects, headers and body together. */
  readonly timeoutMs: number;
  /** Largest body, after decompression. */
  readonly maxBytes: number;
  readonly userAgent: string;
  readonly signal: AbortSignal;
  readonly onProgress?: (bytes: number) => void;
  /**
   * Throws to reject the address of a redirect. @default all redirects within the site are followed
   */
  readonly checkAddress?: (url: URL) => Promise<void>;
}

export interface FetchedBody {
  /** After redirects. */
  readonly url: URL;
  /** The unchanged header; empty if there was none. */
  readonly contentType: string;
  readonly body: Uint8Array;
}

/**
 * Fetches an address, and follows redirects within its site after checking each one.
 *
 * @throws NetworkError for failures of the site or the network; the signal's reason on abort.
 */
export async function fetchAddress(start: URL, options: FetchAddressOptions): Promise<FetchedBody> {
  const deadline = AbortSignal.timeout(options.timeoutMs);
  const signal = AbortSignal.any([options.signal, deadline]);
  try {
    return await follow(start, { ...options, signal });
  } catch (error) {
    options.signal.throwIfAborted();
    if (error instanceof NetworkError) throw error;
    if (deadline.aborted) {
      throw failure(
        "timed_out",
        `${start.host} did not send the page within ${options.timeoutMs / 1000} seconds.`,
        { retryable: true },
      );
    }
    throw networkFailure(start, error);
  }
}

async function follow(start: URL, options: FetchAddressOptions): Promise<FetchedBody> {
  let url = start;
  for (let redirects = 0; redirects <= mostRedirects; redirects++) {
    const response = await request(url, options);
    if (![301, 302, 303, 307, 308].includes(response.status))
      return receive(url, response, options);
    const location = response.headers.get("location");
    await response.body?.cancel();
    if (location === null) {
      throw failure("http_error", `${url.host} redirects without a target.`);
    }
    const next = URL.canParse(location, url)
      ? parseAddress(new URL(location, url).href)
      : undefined;
    if (next === undefined) {
      throw failure("http_error", `${url.host} redirects to an invalid URL.`);
    }
    refusePrivateLiteral(next, options.allowed);
    if (!isSameSite(url, next)) {
      throw failure(
        "redirects_elsewhere",
        `${url.href} redirects to another site: ${next.href} Call again with that address to read it.`,
        { details: { location: next.href } },
      );
    }
    await options.checkAddress?.(next);
    url = next;
  }
  throw failure("too_many_redirects", `${start.href} redirects more than ${mostRedirects} times.`);
}

/** The agent checks host names; literal addresses are checked here. */
function refusePrivateLiteral(url: URL, allowed: AllowedHosts): void {
  if (allowed(url) || !isAddress(url.hostname)) return;
  const problem = addressProblem(url.hostname);
  if (problem !== undefined) throw privateAddress(url.hostname, problem);
}

async function request(
  url: URL,
  { agentFor, allowed, denied, userAgent, signal }: FetchAddressOptions,
): Promise<Response> {
  if (deniesUrl(denied, url)) throw failure("denied_host", `A rule denies the host ${url.host}.`);
  refusePrivateLiteral(url, allowed);
  const dispatcher = await agentFor(allowed(url));
  // The agent has already loaded it.
  const { fetch } = await import("undici");
  return fetch(url, {
    dispatcher,
    redirect: "manual",
    signal,
    headers: {
      "user-agent": userAgent,
      accept:
        "text/html, application/xhtml+xml, text/markdown, text/*;q=0.9, application/json;q=0.9, */*;q=0.1",
    },
  });
}

async function receive(
  url: URL,
  response: Response,
  { maxBytes, onProgress }: FetchAddressOptions,
): Promise<FetchedBody> {
  if (!response.ok) {
    await response.body?.cancel();
    const retryAfter = response.headers.get("retry-after");
    throw new NetworkError({
      code: "http_error",
      message: `${url.host} answered ${`${response.status} ${response.statusText}`.trim()} for ${url.href}${retryAfter === null ? "" : ` (try again after: ${retryAfter})`}.`,
      retryable: response.status === 429 || response.status >= 500,
      details: { status: response.status },
    });
  }
  const tooLarge = () =>
    failure("too_large", `${url.href} is larger than ${formatBytes(maxBytes)}, the maximum size.`);
  if (Number(response.headers.get("content-length") ?? 0) > maxBytes) {
    await response.body?.cancel();
    throw tooLarge();
  }
  const pieces: Uint8Array[] = [];
  let size = 0;
  // Counts the decompressed bytes chunk by chunk, so that a decompression bomb ends at the limit.
  for await (const piece of response.body ?? []) {
    size += (piece as Uint8Array).length;
    if (size > maxBytes) throw tooLarge();
    pieces.push(piece as Uint8Array);
    onProgress?.(size);
  }
  return {
    url,
    contentType: response.headers.get("content-type") ?? "",
    body: Buffer.concat(pieces),
  };
}

function networkFailure(url: URL, error: unknown): NetworkError {
  const cause = rootCause(error);
  if (cause instanceof NetworkError) return cause;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  if (code === "ENOTFOUND" || code === "EAI_NONAME") {
    return failure("unknown_host", `There is no host ${url.hostname}. Check the address.`);
  }
  const isCertificate = /CERT|SSL|TLS|ALTNAME/.test(code);
  return new NetworkError({
    code: isCertificate ? "bad_certificate" : "unreachable",
    message: `${url.host} could not be read: ${errorMessage(cause)}${code === "" ? "" : ` (${code})`}.`,
    retryable: !isCertificate,
  });
}

function failure(code: string, message: string, more: Partial<ToolErrorData> = {}): NetworkError {
  return new NetworkError({ ...more, code, message });
}
