import { isSigningSecret, type WebhookEndpoint } from "@capstan/server";
import { z } from "zod";

const example =
  '{"url": "https://example.org/hook", "secret": "${WEBHOOK_SECRET}", "events": ["approval.requested"]}';
const address = "an address such as https://example.org/hook, without a user name";
const variable =
  "the name of an environment variable such as ${WEBHOOK_SECRET}, because a secret does not belong in the file";

const events = [
  "approval.requested",
  "approval.answered",
  "outcome.requested",
  "run.ended",
] as const;

/** `webhooks` of the settings file: services that get messages, by name. */
export const webhooksSchema = z.record(
  z.string().regex(/^[a-z][a-z0-9-]{0,31}$/),
  z.strictObject(
    {
      url: z.string({ error: address }).refine(isAddress, { error: address }),
      secret: z.string({ error: variable }).regex(/^\$\{[A-Za-z_]\w*\}$/, { error: variable }),
      events: z
        .array(z.enum(events, { error: `one of the events ${events.join(", ")}` }), {
          error: "a list of events",
        })
        .nonempty({ error: "at least one event" })
        .exactOptional(),
    },
    {
      error: (issue) =>
        issue.code === "unrecognized_keys"
          ? "only url, secret and events"
          : `an object such as ${example}`,
    },
  ),
  {
    error: (issue) =>
      issue.code === "invalid_key"
        ? "a name of 1 to 32 of the characters a-z, 0-9 and -, beginning with a letter, as the key"
        : `services by name, each ${example}`,
  },
);

function isAddress(value: string): boolean {
  const url = URL.parse(value);
  return (
    url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === ""
  );
}

/** Returns the endpoints with their secrets from the environment, or the problems. */
export function readWebhooks(
  settings: z.infer<typeof webhooksSchema> = {},
  environment: { readonly [name: string]: string | undefined },
): { readonly webhooks: readonly WebhookEndpoint[]; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const webhooks = Object.entries(settings).map(([endpoint, given]) => {
    const name = given.secret.slice(2, -1);
    const secret = environment[name]?.trim() ?? "";
    if (!isSigningSecret(secret))
      problems.push(
        `webhooks.${endpoint}.secret: ${name} must be "whsec_" and at least 24 bytes in Base64 (${secret === "" ? "it is not set" : "it has another form"}). Create one: echo whsec_$(openssl rand -base64 32)`,
      );
    return { endpoint, url: given.url, secret, events: given.events ?? events };
  });
  return { webhooks, problems };
}
