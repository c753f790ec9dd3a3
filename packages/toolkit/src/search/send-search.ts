import type { DeniedResources, ToolErrorData } from "@capstan/core";
import { deniesUrl, errorMessage } from "@capstan/core/host";
import { NetworkError } from "@capstan/sandbox";
import type { Dispatcher } from "undici";
import { ZodError } from "zod";
import { decodeEntities } from "../html/strip-tags.ts";
import { searchFailure } from "./providers/search-failure.ts";
import type { SearchAccess, SearchProvider, SearchRequest } from "./providers/search-provider.ts";
import type { SearchHit, SearchQuery, SearchReply } from "./providers/search-query.ts";

/** A service as it is configured. */
export interface SearchServer {
  readonly provider: SearchProvider;
  /** The address, without a slash at its end. */
  readonly url: string;
  readonly access: Omit<SearchAccess, "now">;
  readonly agent: () => Promise<Dispatcher>;
  readonly now: () => number;
  /** Milliseconds for the whole answer. */
  readonly timeoutMs: number;
}

/** The call for which a service is asked. */
export interface SearchCall {
  readonly signal: AbortSignal;
  readonly denied: () => Pick<DeniedResources, "hosts">;
}

/** The size of the largest reply in bytes. */
const mostBytes = 4 * 1024 * 1024;

/**
 * Asks a service. Its hits are free of markup, and each page is listed once.
 *
 * @throws NetworkError if the service does not answer, or refuses; the signal's reason on abort
 */
export async function sendSearch(
  query: SearchQuery,
  server: SearchServer,
  call: SearchCall,
): Promise<SearchReply> {
  const { provider } = server;
  const request = provider.request(query, { ...server.access, now: server.now() });
  const { status, text, retryAfter } = await send(request, server, call);
  const reply = jsonOf(text);
  if (status === 200) return checked(reply, provider);
  const { keyVariable, fixes } = provider;
  throw new NetworkError(
    searchFailure({
      title: provider.title,
      status,
      reply: reply ?? text,
      retryAfter,
      kind: provider.kindOf?.(status, reply),
      keyVariable,
      fix: fixes?.[status],
      key: server.access.key,
    }),
  );
}

interface ReceivedReply {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | undefined;
}

async function send(
  { path, search = {}, headers = {}, body }: SearchRequest,
  { provider, url, agent, timeoutMs }: SearchServer,
  { signal, denied }: SearchCall,
): Promise<ReceivedReply> {
  const address = new URL(`${url}${path}`);
  for (const [name, value] of Object.entries(search)) address.searchParams.set(name, value);
  if (deniesUrl(denied(), address))
    throw failure("denied_host", `A rule denies the host ${address.host}.`);
  signal.throwIfAborted();
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    const dispatcher = await agent();
    const { fetch } = await import("undici");
    const response = await fetch(address, {
      method: body === undefined ? "GET" : "POST",
      dispatcher,
      // A redirect could take the key to another host.
      redirect: "manual",
      signal: AbortSignal.any([signal, deadline]),
      headers: {
        accept: "application/json",
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await readText(response.body, provider.title);
    const retryAfter = response.headers.get("retry-after") ?? undefined;
    return { status: response.status, text, retryAfter };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof NetworkError) throw error;
    if (deadline.aborted)
      throw failure(
        "timed_out",
        `${provider.title} did not answer in ${timeoutMs / 1000} s.`,
        true,
      );
    throw failure(
      "unreachable",
      `${provider.title} could not be reached: ${reasonOf(error)}.`,
      true,
    );
  }
}

async function readText(body: AsyncIterable<unknown> | null, title: string): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body ?? []) {
    size += (piece as Uint8Array).length;
    if (size > mostBytes)
      throw failure(
        "too_large",
        `The reply of ${title} is larger than 4 MiB. Ask for fewer results.`,
      );
    pieces.push(piece as Uint8Array);
  }
  return Buffer.concat(pieces).toString("utf8");
}

function checked(reply: unknown, provider: SearchProvider): SearchReply {
  try {
    const { hits, answer } = provider.read(reply);
    const found = new Map<string, SearchHit>();
    for (const hit of hits.map(plainHit)) {
      const page = pageOf(hit.url);
      if (page !== undefined && !found.has(page)) found.set(page, hit);
    }
    return {
      hits: [...found.values()].slice(0, provider.mostResults),
      ...(answer !== undefined && { answer: plainText(answer) }),
    };
  } catch (error) {
    if (!(error instanceof ZodError)) throw error;
    throw failure(
      "unexpected_reply",
      `${provider.title} sent a reply of another form than its search returns. The user must check the configured address.`,
    );
  }
}

/** Returns the page of an address, which is the same for addresses that differ in form only. */
function pageOf(url: string): string | undefined {
  const { protocol, host, pathname, search } = URL.parse(url) ?? {};
  if (protocol !== "http:" && protocol !== "https:") return undefined;
  return `${host}${pathname?.replace(/\/$/, "")}${search}`;
}

function plainHit(hit: SearchHit): SearchHit {
  return { ...hit, title: plainText(hit.title), snippet: plainText(hit.snippet) };
}

/** Removes the marks of found words: services put them in titles and snippets. */
function plainText(text: string): string {
  const withoutMarks = text.replaceAll(/<\/?(?:strong|b|em|i|mark|span|br)\b[^<>]{0,200}>/gi, "");
  return decodeEntities(withoutMarks).replaceAll(/\s+/g, " ").trim();
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return errorMessage(cause).replace(/\.$/, "");
}

function failure(code: string, message: string, retryable = false): NetworkError {
  const data: ToolErrorData = { code, message, retryable };
  return new NetworkError(data);
}
