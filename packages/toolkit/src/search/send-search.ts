import { NetworkError } from "@capstan/sandbox";
import { ZodError } from "zod";
import { decodeEntities } from "../html/strip-tags.ts";
import {
  jsonOf,
  readBytes,
  type SendRequest,
  type ServiceRequest,
} from "../service/service-client.ts";
import { searchFailure } from "./providers/search-failure.ts";
import type { SearchAccess, SearchProvider, SearchRequest } from "./providers/search-provider.ts";
import type { SearchHit, SearchQuery, SearchReply } from "./providers/search-query.ts";

/** A configured service. */
export interface SearchServer {
  readonly provider: SearchProvider;
  /** The address, without a slash at its end. */
  readonly url: string;
  readonly access: Omit<SearchAccess, "now">;
  readonly send: SendRequest;
  readonly now: () => number;
}

/** The context of the call that searches. */
export type SearchCall = ServiceRequest["context"];

/**
 * Sends a search to a service. Removes markup from the hits, and returns each page once.
 *
 * @throws NetworkError if the service does not answer, or rejects the search; the signal's reason
 * on abort
 */
export async function sendSearch(
  query: SearchQuery,
  server: SearchServer,
  call: SearchCall,
): Promise<SearchReply> {
  const { provider } = server;
  const request = provider.request(query, { ...server.access, now: server.now() });
  const received = await server.send(requestOf(request, server, call));
  const { status } = received;
  const text = Buffer.from(await readBytes(received)).toString("utf8");
  const reply = jsonOf(text);
  if (status === 200) return checked(reply, provider);
  const { keyVariable, fixes } = provider;
  throw new NetworkError(
    searchFailure({
      title: provider.title,
      status,
      reply: reply ?? text,
      retryAfter: received.header("retry-after"),
      kind: provider.kindOf?.(status, reply),
      keyVariable,
      fix: fixes?.[status],
      key: server.access.key,
    }),
  );
}

function requestOf(
  { path, search = {}, headers = {}, body }: SearchRequest,
  { provider, url }: SearchServer,
  context: SearchCall,
): ServiceRequest {
  const address = new URL(`${url}${path}`);
  for (const [name, value] of Object.entries(search)) address.searchParams.set(name, value);
  return {
    url: address,
    service: provider.title,
    headers: { accept: "application/json", ...headers },
    ...(body !== undefined && {
      method: "POST",
      headers: { accept: "application/json", "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    }),
    context,
  };
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
    throw new NetworkError({
      code: "unexpected_reply",
      message: `${provider.title} sent an unexpected reply. The user must check the configured address.`,
    });
  }
}

/** Returns a key for the page of an address: equivalent addresses have the same key. */
function pageOf(url: string): string | undefined {
  const { protocol, host, pathname, search } = URL.parse(url) ?? {};
  if (protocol !== "http:" && protocol !== "https:") return undefined;
  return `${host}${pathname?.replace(/\/$/, "")}${search}`;
}

function plainHit(hit: SearchHit): SearchHit {
  return { ...hit, title: plainText(hit.title), snippet: plainText(hit.snippet) };
}

/** Removes the markup of matching words, which services put in titles and snippets. */
function plainText(text: string): string {
  const withoutMarks = text.replaceAll(/<\/?(?:strong|b|em|i|mark|span|br)\b[^<>]{0,200}>/gi, "");
  return decodeEntities(withoutMarks).replaceAll(/\s+/g, " ").trim();
}
