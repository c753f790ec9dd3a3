import type { UserChange } from "../../records/user-change.ts";
import type { WebhookEvent } from "../../records/webhooks.ts";
import type { WriteContext } from "../state/write-context.ts";

/**
 * Stores a message about each change for each endpoint that wants it, in the commit of the change,
 * so that a crash loses none. A change that is repeated, for example by a resumed run, has the
 * message of the first one.
 */
export function queueMessages(
  { changes, webhooks }: Pick<WriteContext, "changes" | "webhooks">,
  made: readonly UserChange[],
  at: number,
): void {
  for (const { endpoint, events } of webhooks)
    for (const { owner, event } of made)
      if (isAnnounced(event, events))
        changes.insert("webhook_messages", {
          endpoint,
          id: idOf(event),
          owner,
          event: JSON.stringify(event),
          created_at: at,
          attempts: 0,
          due_at: at,
        });
}

function isAnnounced(
  event: UserChange["event"],
  events: readonly WebhookEvent["type"][],
): event is WebhookEvent {
  return (events as readonly string[]).includes(event.type);
}

function idOf(event: WebhookEvent): string {
  return `${event.type}_${objectOf(event)}`.replaceAll(".", "_");
}

function objectOf(event: WebhookEvent): string {
  switch (event.type) {
    case "approval.requested":
    case "approval.answered":
      return event.approval;
    case "outcome.requested":
      return `${event.run}_${event.call}`;
    case "run.ended":
      return event.run;
  }
}
