import type { WebhookSubscription } from "@capstan/store";

/** A service that gets signed messages about changes. */
export interface WebhookEndpoint extends WebhookSubscription {
  readonly url: string;
  /** `whsec_` and at least 24 bytes in Base64. Never printed. */
  readonly secret: string;
}

/** Returns the part of an endpoint that the store needs: it must not get the secret. */
export function subscriptionOf({ endpoint, events }: WebhookEndpoint): WebhookSubscription {
  return { endpoint, events };
}
