import type { Clock } from "@capstan/core";
import { errorMessage } from "@capstan/core/host";
import type { Store, WebhookMessage } from "@capstan/store";
import { messageBody } from "./message-body.ts";
import { type Delivery, postMessage } from "./post-message.ts";
import type { WebhookEndpoint } from "./webhook-endpoint.ts";

/** The delays before repeated attempts, in milliseconds. Together they last about three days. */
const retryMs = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400].map(
  (s) => s * 1_000,
);

/** Messages of endpoints that were removed from the configuration are deleted at this age. */
const maxAgeMs = 7 * 24 * 3_600_000;

/**
 * The maximum number of messages that a node claims at once for an endpoint, and the duration of
 * the claim.
 */
const claim = { limit: 10, ms: 60_000 } as const;

/** Maximum time between two polls for messages of other nodes, in milliseconds. */
const longestWaitMs = 60 * 60 * 1_000;

export interface SendWebhooksOptions {
  readonly stores: readonly Store[];
  readonly endpoints: readonly WebhookEndpoint[];
  /** The address of the page, without a slash at its end. */
  readonly link: string;
  readonly clock: Clock;
  readonly log: (line: string) => void;
}

/**
 * Sends the stored messages to their endpoints, now and after each change, until it is stopped. A
 * message is sent again, with the same id, until its endpoint accepts it: at most ten times in
 * three days. Endpoints do not wait for each other.
 *
 * @returns stops sending, and resolves when no message is being sent
 */
export function sendWebhooks(options: SendWebhooksOptions): () => Promise<void> {
  const stopping = new AbortController();
  const senders = options.stores.flatMap((store) =>
    options.endpoints.map((endpoint) => startSender(store, endpoint, options, stopping.signal)),
  );
  return async () => {
    stopping.abort();
    await Promise.all(senders.map((sender) => sender.ended()));
  };
}

function startSender(
  store: Store,
  endpoint: WebhookEndpoint,
  { link, clock, log }: SendWebhooksOptions,
  signal: AbortSignal,
): { readonly ended: () => Promise<void> } {
  let running: Promise<void> | undefined;
  let again = false;
  let cancel = () => {};
  let lastReason = "";

  function wake(): void {
    again = true;
    running ??= run();
  }

  async function run(): Promise<void> {
    while (again && !signal.aborted) {
      again = false;
      cancel();
      try {
        while (!signal.aborted && (await sendDue()) === claim.limit);
        await sleep();
      } catch (thrown) {
        report(`the stored messages cannot be read: ${errorMessage(thrown)}`);
        wakeAfter(claim.ms);
      }
    }
    // Set synchronously after the last check, so that no `wake` is lost in between.
    running = undefined;
  }

  async function sendDue(): Promise<number> {
    const { endpoint: name } = endpoint;
    const [claimed] = await store.write([
      { type: "claim-webhooks", endpoint: name, ...claim, maxAgeMs },
    ]);
    if (claimed.status !== "claimed_webhooks") return 0;
    await Promise.all(claimed.messages.map(send));
    return claimed.messages.length;
  }

  async function send(message: WebhookMessage): Promise<void> {
    const body = await messageBody(message, { store, link });
    const delivery = await postMessage(
      endpoint,
      { id: message.id, body },
      { now: clock.now(), signal },
    );
    // The next start sends it again.
    if (delivery.status === "failed" && signal.aborted) return;
    const { id, attempts } = message;
    const retryAt = nextAttempt(delivery, attempts, clock.now());
    reportDelivery(delivery, retryAt);
    await store.write([
      { type: "settle-webhook", endpoint: endpoint.endpoint, id, attempts, retryAt },
    ]);
  }

  function reportDelivery(delivery: Delivery, retryAt: number | null): void {
    if (delivery.status === "accepted") lastReason = "";
    else if (delivery.status === "gone")
      report(
        "the service does not accept messages any more (status 410). The message was dropped.",
      );
    else if (retryAt === null)
      report(`a message was dropped after the last attempt: ${delivery.reason}.`);
    else report(`the message is sent again later, because ${delivery.reason}.`);
  }

  /** Repeats of the same failure are not reported. */
  function report(reason: string): void {
    if (reason !== lastReason) log(`webhooks.${endpoint.endpoint}: ${reason}`);
    lastReason = reason;
  }

  async function sleep(): Promise<void> {
    const at = await store.nextWebhookAt(endpoint.endpoint);
    wakeAfter(at === undefined ? longestWaitMs : at - clock.now() + 1);
  }

  function wakeAfter(ms: number): void {
    if (!signal.aborted) cancel = clock.after(Math.min(Math.max(ms, 0), longestWaitMs), wake);
  }

  const unsubscribe = store.onUserChanges((changes) => {
    const events: readonly string[] = endpoint.events;
    if (changes === "missed" || changes.some(({ event }) => events.includes(event.type))) wake();
  });
  signal.addEventListener("abort", () => {
    unsubscribe();
    cancel();
  });
  wake();
  return { ended: async () => running };
}

/** Returns the time of the next attempt, or `null` if there is none. */
function nextAttempt({ status }: Delivery, attempts: number, now: number): number | null {
  const delay = status === "failed" ? retryMs[attempts - 1] : undefined;
  // Varies by up to 5 % at random, so that many messages are not sent again at once.
  return delay === undefined ? null : Math.round(now + delay * (0.95 + Math.random() / 10));
}
