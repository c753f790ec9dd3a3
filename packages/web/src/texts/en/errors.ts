/**
 * Texts for errors of the server, by code. Each function gets the server's message. Errors with
 * another code are shown with the server's message.
 */
export const errors = {
  unreachable: (_message: string) => "The server cannot be reached. Check that it is running.",
  server_full: (_message: string) =>
    "The server is busy. Nothing was done. Try again in a few seconds.",
  too_many_streams: (message: string) => message,
  invalid_api_key: (message: string) => message,
  pairing_code_invalid: (message: string) => message,
  right_missing: (message: string) => message,
  rate_limit_exceeded: (message: string) => message,
  insufficient_quota: (message: string) => message,
  file_too_large: (message: string) => message,
  file_quota_exceeded: (message: string) => message,
  conversation_not_found: (_message: string) =>
    "This chat does not exist. It may have been deleted.",
  conversation_too_long: (message: string) => message,
  history_too_large: (message: string) => message,
} as const;
