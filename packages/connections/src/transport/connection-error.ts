import type { ToolErrorData } from "@capstan/core";

/** The error codes of connections, for the documentation of tools. */
export const connectionErrors = {
  not_connected: "the server cannot be reached or started; the call was not sent",
  sign_in_needed: "the server rejects the credentials",
  outcome_unknown: "the connection ended after the call was sent: it may have acted",
  server_error: "the server reports that the call failed; the message is its own",
  rejected: "the server rejects the request",
  rate_limited: "the server asks to wait; the call was not carried out",
  too_large: "the server's response is too large",
  denied_host: "a rule denies the server's host",
} as const;

/** A failure of a connection, as a tool returns it. */
export class ConnectionError extends Error {
  readonly data: ToolErrorData;

  constructor(
    data: ToolErrorData & { readonly code: keyof typeof connectionErrors },
    options?: ErrorOptions,
  ) {
    super(data.message, options);
    this.name = "ConnectionError";
    this.data = data;
  }
}

/** System error codes of failures before a request was sent. */
export const unsentCodes: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);
