/** Help and texts of `capstan webhooks`. Descriptions are wrapped by hand at 105 columns. */
export const webhooksHelp = {
  group: {
    summary: "Services that get messages about approval requests and runs",
    description: `The server sends signed messages to the services in the configuration:
  {"webhooks": {"team": {"url": "https://example.org/hook", "secret": "\${WEBHOOK_SECRET}"}}}`,
    examples: [{ line: "capstan webhooks test team", comment: "sends a test message" }],
  },
  test: {
    summary: "Send a test message to a service",
    description: `Sends a message of the type webhook.test, signed like all others, once. The exit code is 1 if the service
does not accept it.`,
    examples: [{ line: "capstan webhooks test team", comment: "shows the answer" }],
  },
} as const;

/** Results of `capstan webhooks`. */
export const webhookTexts = {
  unknown: (known: readonly string[]) =>
    known.length === 0
      ? 'The configuration has no webhooks. Add one: {"webhooks": {"team": {"url": "https://…", "secret": "${WEBHOOK_SECRET}"}}}'
      : `Name one of the webhooks: ${known.join(", ")}.`,
  accepted: (name: string, url: string) => `${name}: ${url} accepted the message.`,
  gone: (name: string, url: string) => `${name}: ${url} accepts no messages any more (status 410).`,
  failed: (name: string, url: string, reason: string) =>
    `${name}: ${url} did not accept the message: ${reason}.`,
} as const;
