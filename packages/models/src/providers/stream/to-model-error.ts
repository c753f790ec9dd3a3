import { ModelError, type ModelErrorCode } from "@capstan/core";
import { type FailureFacts, failureFacts } from "./failure-facts.ts";
import { modelErrorCode } from "./model-error-code.ts";
import type { Provider } from "../request/provider.ts";
import { redactKeys } from "./redact-keys.ts";

export interface FailureContext {
  readonly provider: Provider;
  readonly modelName: string;
  /** Whether a part of the answer had arrived. */
  readonly begun: boolean;
  /** The current time, in ms since the epoch. */
  readonly now: number;
}

/** The characters of a provider's message that are read. A message may be a whole page. */
const readChars = 4_000;

/** Converts an error of a provider's package to a `ModelError` with a code and a remedy. */
export function toModelError(thrown: unknown, context: FailureContext): ModelError {
  const facts = failureFacts(thrown, context.now);
  const { key } = context.provider;
  // Redact before any formatting, because a truncated key would not be recognised.
  const redacted = { ...facts, message: redactKeys(facts.message.slice(0, readChars), key) };
  const known = ModelError.isInstance(thrown) ? thrown.code : undefined;
  const code = known ?? modelErrorCode(facts);
  const message = `${explain(code, redacted, context)}${known === undefined ? quote(code, redacted) : ""}`;
  return new ModelError({
    code,
    message: redactKeys(message, key),
    ...(facts.status !== undefined && { status: facts.status }),
    ...(facts.retryAfterMs !== undefined && { retryAfterMs: facts.retryAfterMs }),
  });
}

function explain(
  code: ModelErrorCode,
  facts: FailureFacts,
  { provider, modelName, begun }: FailureContext,
): string {
  const { title, keyVariable, urlVariable } = provider;
  const status = facts.status === undefined ? "" : ` (${facts.status})`;
  const network = facts.network === undefined ? "" : ` (${facts.network})`;
  switch (code) {
    case "authentication":
      if (provider.isStored === true)
        return provider.key === undefined
          ? `${title} requires an API key${status}. Set it in the settings of the page.`
          : `${title} rejected the API key${status}. Check it in the settings of the page.`;
      return provider.key === undefined
        ? `${title} requires an API key${status}. Set ${keyVariable} and restart Capstan.`
        : `${title} rejected the API key${status}. Check ${keyVariable}.`;
    case "rate_limit":
      return `${title} has reached its rate limit${status}. Try again ${waitOf(facts.retryAfterMs)}.`;
    case "insufficient_quota":
      return `The account at ${title} has no credit left${status}. Add credit there, or choose another model.`;
    case "context_length":
      return `The conversation exceeds the context window of ${modelName}${status}. Start a new one, or choose a model with a larger context.`;
    case "model_not_found":
      return `${title} has no model ${JSON.stringify(modelName)} for this key${status}. Choose another model, or check ${urlVariable}.`;
    case "bad_request":
      return `${title} rejected the request${status}.`;
    case "connection":
      if (begun)
        return `The connection to ${title} was lost before the answer was complete. Try again.`;
      if (ended.test(facts.message))
        return `${title} closed the connection before it answered. Try again, or check ${urlVariable}.`;
      return `${title} cannot be reached at ${shownUrl(provider.url)}${network}. Check that it is running, the network connection, and ${urlVariable}.`;
    case "timeout":
      return `${title} ${facts.message}. Try again, or choose another model.`;
    case "server":
      return facts.status === undefined && brokeOff.test(facts.message)
        ? `${title} ${facts.message}. Try again.`
        : `${title} failed${status || " or sent an invalid response"}. Try again.`;
  }
}

/**
 * Match the errors of `to-model-events.ts`, and those that the packages throw at the end of a
 * stream.
 */
const brokeOff = /^(?:stopped before|ended before|called its own tool)/;
const ended = /^ended before|ended without a finish reason/i;

/** Returns the quoted message of the provider or its package. */
function quote(code: ModelErrorCode, { message, status }: FailureFacts): string {
  const line = message.replaceAll(/\s+/g, " ").trim();
  if (line === "" || code === "connection") return "";
  const shown = line.length > 300 ? `${line.slice(0, 299).toWellFormed()}…` : line;
  return status === undefined ? ` Cause: ${shown}` : ` Its message: “${shown}”`;
}

function waitOf(retryAfterMs: number | undefined): string {
  return retryAfterMs === undefined
    ? "in a minute"
    : `in ${Math.max(1, Math.ceil(retryAfterMs / 1000))} s`;
}

/** Removes the credentials and the query from a URL, which may contain a password or a key. */
function shownUrl(url: string): string {
  if (!URL.canParse(url)) return url;
  const { origin, pathname } = new URL(url);
  return origin + pathname.replace(/\/$/, "");
}
