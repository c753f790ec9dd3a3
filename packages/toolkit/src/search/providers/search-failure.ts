import type { ToolErrorData } from "@capstan/core";

/** The kinds of failed searches. */
export type SearchFailureKind = "key" | "quota" | "rate" | "query" | "service";

/** The kinds of failures by status, for statuses that all services use in the same way. */
function usualKind(status: number): SearchFailureKind {
  if (status === 401 || status === 403) return "key";
  if (status === 402) return "quota";
  if (status === 429) return "rate";
  return status < 500 ? "query" : "service";
}

const codes: { readonly [kind in SearchFailureKind]: string } = {
  key: "invalid_key",
  quota: "quota_exceeded",
  rate: "rate_limited",
  query: "invalid_query",
  service: "service_failed",
};

/** A failed reply from a service. */
export interface FailedReply {
  readonly title: string;
  readonly status: number;
  /** The body, parsed if it is JSON. */
  readonly reply: unknown;
  readonly retryAfter?: string | undefined;
  /** @default the usual kind of the status */
  readonly kind?: SearchFailureKind | undefined;
  readonly keyVariable?: string | undefined;
  readonly fix?: string | undefined;
  /** The key, which the service may repeat in its text. */
  readonly key: string;
}

/**
 * Returns the error for a failed reply, for the model. Errors of keys and quotas ask the user to
 * act.
 */
export function searchFailure(failed: FailedReply): ToolErrorData {
  const { title, status, reply, retryAfter, keyVariable, fix, key } = failed;
  const kind = failed.kind ?? usualKind(status);
  const said = textOf(reply);
  // Remove the key before truncating, because truncation could leave a part of it.
  const shown = (key === "" ? said : said.replaceAll(key, "[key]")).slice(0, 300);
  const seconds = Number(retryAfter);
  const next = {
    key: `The user must check the key${keyVariable === undefined ? "" : ` in ${keyVariable}`}.`,
    quota: "The user must extend the plan. Do not search again.",
    rate: retryAfter === undefined ? "Try again later." : `Try again after ${retryAfter} seconds.`,
    query: "Change the query.",
    service: "Try again later.",
  }[kind];
  return {
    code: codes[kind],
    message: `${title} answered ${status}${shown === "" ? "" : `: ${shown.replace(/[.\s]+$/, "")}`}. ${fix ?? next}`,
    retryable: kind === "rate" || kind === "service",
    details: {
      service: title,
      status,
      ...(retryAfter !== undefined && Number.isFinite(seconds) && { retryAfterSeconds: seconds }),
    },
  };
}

/** Returns the text of a failed reply. Each service has it in another field. */
function textOf(reply: unknown): string {
  if (typeof reply === "string") return reply.trim();
  if (Array.isArray(reply)) return reply.map(textOf).filter(Boolean).join("; ");
  if (typeof reply !== "object" || reply === null) return "";
  const fields = reply as { readonly [name: string]: unknown };
  for (const name of ["detail", "error", "message", "msg", "errors"]) {
    const text = textOf(fields[name]);
    if (text !== "") return text;
  }
  return "";
}
