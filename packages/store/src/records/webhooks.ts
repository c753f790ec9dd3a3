import type { UserChangeEvent } from "@capstan/contract";

/** The changes that webhooks can announce. */
export type WebhookEvent = UserChangeEvent & {
  readonly type: "approval.requested" | "approval.answered" | "outcome.requested" | "run.ended";
};

/** The events that an endpoint gets. */
export interface WebhookSubscription {
  /** The name of the endpoint in the configuration. */
  readonly endpoint: string;
  readonly events: readonly WebhookEvent["type"][];
}

/** A message that an endpoint has not accepted yet. */
export interface WebhookMessage {
  readonly endpoint: string;
  /** The same for each attempt and each endpoint. Has no `.`, which ends it in a signature. */
  readonly id: string;
  readonly owner: string;
  readonly event: WebhookEvent;
  /** In ms since the epoch. */
  readonly createdAt: number;
  /** The number of attempts, with the current one. */
  readonly attempts: number;
}
