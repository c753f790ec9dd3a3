import { z } from "zod";

/** The PostgreSQL channel on which nodes notify each other of changes. */
export const channel = "capstan_runs";

/** A message from one node to the others: the node's id, and the changed data. */
const notification = z.object({
  by: z.string(),
  runs: z.array(z.string()).readonly().exactOptional(),
  owners: z.array(z.string()).readonly().exactOptional(),
  /** Changes of users' data, for the clients of these users. */
  changes: z
    .array(z.object({ owner: z.string(), event: z.looseObject({ type: z.string() }) }))
    .readonly()
    .exactOptional(),
  /** Whether connections that users added changed. */
  connections: z.literal(true).exactOptional(),
  stop: z.object({ runId: z.string(), callId: z.string().exactOptional() }).exactOptional(),
  /** A run whose node should write a heartbeat. */
  watched: z.string().exactOptional(),
});

/** A parsed message of another node. */
export type Notification = Readonly<z.infer<typeof notification>>;

/**
 * Parses the payload of a notification, which any user of the database can send.
 *
 * @returns undefined if no node of this version could have sent it
 */
export function parseNotification(payload: string | undefined): Notification | undefined {
  try {
    return notification.safeParse(JSON.parse(payload ?? "")).data;
  } catch {
    return undefined;
  }
}
