import type { ToolContext } from "@capstan/core";
import { NetworkError } from "@capstan/sandbox";
import { z } from "zod";
import { replyFailure, retryAfter } from "../service/reply-failure.ts";
import { jsonOf, readBytes, type SendRequest } from "../service/service-client.ts";

/** The addresses of the encyclopedias, and the user agent of this client. */
export interface WikipediaAccess {
  readonly send: SendRequest;
  readonly userAgent: string;
  /** Whether the name has a contact, which Wikimedia requires. */
  readonly hasContact: boolean;
  /** An address with `{language}`. */
  readonly url: string;
}

interface Question<S extends z.ZodType> {
  readonly language: string;
  readonly context: Pick<ToolContext, "signal" | "denied">;
  readonly schema: S;
}

const failedReply = z.object({ error: z.object({ code: z.string(), info: z.string() }) });

/**
 * Sends a query to the Action API of a Wikipedia. This API reports errors with the status 200.
 *
 * @throws NetworkError
 */
export async function askWikipedia<S extends z.ZodType>(
  { send, userAgent, hasContact, url }: WikipediaAccess,
  { language, context, schema }: Question<S>,
  query: { readonly [name: string]: string },
): Promise<z.output<S>> {
  const address = new URL(`${url.replace("{language}", language)}/w/api.php`);
  const fields = { action: "query", format: "json", formatversion: "2", maxlag: "5", ...query };
  address.search = new URLSearchParams(fields).toString();
  const reply = await send({
    url: address,
    service: "Wikipedia",
    headers: { "user-agent": userAgent, accept: "application/json" },
    context,
  }).catch((error: unknown) => {
    throw withLanguageHint(error, language);
  });
  const text = Buffer.from(await readBytes(reply)).toString("utf8");
  const { status } = reply;
  if (status === 404 || (status >= 300 && status < 400)) throw noLanguage(language);
  if (status < 200 || status > 299) {
    const advice =
      status === 403 && !hasContact
        ? " The administrator can set knowledge.contact, which Wikimedia requires."
        : "";
    throw replyFailure(reply, "Wikipedia", text.slice(0, 300) + advice);
  }
  const body = jsonOf(text);
  const failed = failedReply.safeParse(body);
  if (failed.success) throw apiFailure(failed.data.error, reply.header("retry-after"));
  const read = schema.safeParse(body);
  if (read.success) return read.data;
  throw new NetworkError({
    code: "unexpected_reply",
    message: "Wikipedia sent an unexpected reply. Try another title or query.",
  });
}

/** A language without a Wikipedia has no host, but a missing network causes the same error. */
function withLanguageHint(error: unknown, language: string): unknown {
  if (!(error instanceof NetworkError) || !/ENOTFOUND|EAI_NONAME/.test(error.message)) return error;
  const message = `${error.message} There may be no Wikipedia in the language "${language}".`;
  return new NetworkError({ ...error.data, message });
}

function noLanguage(language: string): NetworkError {
  return new NetworkError({
    code: "no_such_language",
    message: `There is no Wikipedia in the language "${language}". Use a language code, for example "en", "de" or "zh".`,
  });
}

/**
 * `maxlag`, `ratelimited` and `readonly` are temporary. Other errors are mistakes in the request.
 */
function apiFailure(
  { code, info }: { readonly code: string; readonly info: string },
  header: string | undefined,
): NetworkError {
  const passes = code === "maxlag" || code === "ratelimited" || code === "readonly";
  const retryAfterMs = passes ? (retryAfter(header) ?? 5_000) : undefined;
  return new NetworkError({
    code: passes ? "rate_limited" : "rejected",
    message: passes
      ? `Wikipedia is busy (${code}). Try again in ${Math.ceil((retryAfterMs ?? 0) / 1000)} seconds.`
      : `Wikipedia rejects the request: ${info.slice(0, 500)} (${code}).`,
    retryable: passes,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}
