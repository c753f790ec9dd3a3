import type { StopRequest } from "../../records/nodes.ts";
import { z } from "zod";

/** The PostgreSQL channel on which nodes notify each other of changes. */
export const channel = "capstan_runs";

/** What one node sends to the others: its id, and the runs or users that changed. */
export interface Notification {
  readonly by: string;
  readonly runs?: readonly string[];
  readonly owners?: readonly string[];
  readonly stop?: StopRequest;
  /** A run whose node should write a heartbeat. */
  readonly watched?: string;
}

const notificationSchema: z.ZodType<Notification> = z.object({
  by: z.string(),
  runs: z.array(z.string()).exactOptional(),
  owners: z.array(z.string()).exactOptional(),
  stop: z.object({ runId: z.string(), callId: z.string().exactOptional() }).exactOptional(),
  watched: z.string().exactOptional(),
});

/**
 * Parses the payload of a notification. Every user of the database can send one.
 *
 * @returns undefined if no node of this version could have sent it
 */
export function parseNotification(payload: string | undefined): Notification | undefined {
  try {
    return notificationSchema.safeParse(JSON.parse(payload ?? "")).data;
  } catch {
    return undefined;
  }
}
