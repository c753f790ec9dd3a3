import { first, type Script } from "../sql/script.ts";
import { statement } from "../sql/statement.ts";

const findNext = statement<{ readonly due_at: number }>(
  { reads: ["webhook_messages"] },
  "SELECT due_at FROM webhook_messages WHERE endpoint = ? ORDER BY due_at LIMIT 1",
);

/** Returns when the next message of an endpoint is due, in ms since the epoch. */
export function* nextWebhookAt(endpoint: string): Script<number | undefined> {
  return (yield* first(findNext, endpoint))?.due_at;
}
