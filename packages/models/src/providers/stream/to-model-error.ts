import { ModelError, type ModelErrorCode } from "@capstan/core";
import { type FailureFacts, failureFacts } from "./failure-facts.ts";
import { modelErrorCode } from "./model-error-code.ts";
import type { Provider } from "../request/provider.ts";
import { redactKeys } from "./redact-keys.ts";

export interface FailureContext {
  readonly provider: Provider;
  readonly modelName: string;
  /** Whether a part of the answer had come. */
  readonly begun: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Of what a provider said, how much is looked at; a message may be a whole page. */
const readChars = 4_000;

/** Returns an error of a provider's package as a ModelError with its kind and a remedy. */
export function toModelError(thrown: unknown, context: FailureContext): ModelError {
  const facts = failureFacts(thrown, context.now);
  const { key } = context.provider;
  // Before any truncation or formatting: half a key would not be recognised.
  const said = { ...facts, message: redactKeys(facts.message.slice(0, readChars), key) };
  const known = ModelError.isInstance(thrown) ? thrown.code : undefined;
  const code = known ?? modelErrorCode(facts);
  const message = `${explain(code, said, context)}${known === undefined ? quote(code, said) : ""}`;
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
      return provider.key === undefined
        ? `${title} asks for an API key${status}. Set ${keyVariable} and start again.`
        : `${title} refused the API key${status}. Check ${keyVariable}.`;
    case "rate_limit":
      return `${title} was asked too often or for too much${status}. Try again ${waitOf(facts.retryAfterMs)}.`;
    case "insufficient_quota":
      return `The account at ${title} has no credit left${status}. Add credit there, or choose another model.`;
    case "context_length":
      return `The conversation is longer than ${modelName} can read${status}. Begin a new one, or choose a model with a larger context.`;
    case "model_not_found":
      return `${title} has no model ${JSON.stringify(modelName)} for this key${status}. Choose another, or check ${urlVariable}.`;
    case "bad_request":
      return `${title} did not accept the request${status}.`;
    case "connection":
      if (begun)
        return `The connection to ${title} was lost before the answer was complete. Try again.`;
      if (ended.test(facts.message))
        return `${title} ended its answer before it began. Try again, or check ${urlVariable}.`;
      return `${title} cannot be reached at ${shownUrl(provider.url)}${network}. Check that it runs, the network, and ${urlVariable}.`;
    case "timeout":
      return `${title} ${facts.message}. Try again, or choose another model.`;
    case "server":
      return facts.status === undefined && brokeOff.test(facts.message)
        ? `${title} ${facts.message}. Try again.`
        : `${title} failed${status || ", or sent what cannot be understood"}. Try again.`;
  }
}

/** The errors that `to-model-events.ts` throws, and those at the end of the packages' streams. */
const brokeOff = /^(?:broke off|ended before)/;
const ended = /^ended before|ended without a finish reason/i;

/** The provider's message, or else that of its package. */
function quote(code: ModelErrorCode, { message, status }: FailureFacts): string {
  const line = message.replaceAll(/\s+/g, " ").trim();
  if (line === "" || code === "connection") return "";
  const shown = line.length > 300 ? `${line.slice(0, 299).toWellFormed()}…` : line;
  return status === undefined ? ` The cause: ${shown}` : ` It said: “${shown}”`;
}

function waitOf(retryAfterMs: number | undefined): string {
  return retryAfterMs === undefined
    ? "in a minute"
    : `in ${Math.max(1, Math.ceil(retryAfterMs / 1000))} s`;
}

/** An address may hold a password or a key. */
function shownUrl(url: string): string {
  if (!URL.canParse(url)) return url;
  const { origin, pathname } = new URL(url);
  return origin + pathname.replace(/\/$/, "");
}
