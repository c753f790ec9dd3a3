import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { NodeMessage } from "../records/nodes.ts";
import type { ChangeNotifier } from "../live/change-notifier.ts";
import type { UserChange } from "../records/user-change.ts";
import type { Publisher } from "../live/live-runs.ts";
import type { DatabaseAddress } from "./wire/address.ts";
import { clientConfig } from "./wire/connection.ts";
import { parseNotification, channel } from "./wire/notification.ts";

/**
 * Receives the notifications of other nodes and passes them to this node's subscribers. A
 * notification is only a hint: after a lost connection all subscribers read the store.
 */
export async function listenToNodes(options: {
  readonly address: DatabaseAddress;
  /** The id of this node, whose own notifications are ignored. */
  readonly self: string;
  readonly publisher: Publisher;
  readonly notifier: ChangeNotifier;
  readonly onMessage: (message: NodeMessage) => void;
}): Promise<{ close(): Promise<void> }> {
  const { address, self, publisher, notifier, onMessage } = options;
  const closed = new AbortController();
  let current: pg.Client | undefined;

  async function connect(): Promise<void> {
    const client = new pg.Client(clientConfig(address));
    client.on("notification", ({ payload }) => {
      const notification = parseNotification(payload);
      if (notification === undefined || notification.by === self) return;
      const { runs = [], owners = [], changes = [], connections, stop, watched } = notification;
      for (const runId of runs) publisher.publish(runId, changedByOtherNode);
      if (runs.length > 0) onMessage({ type: "changed", runIds: runs });
      // Clients receive the events of newer nodes unchanged.
      if (changes.length > 0) notifier.publish(changes as readonly UserChange[]);
      if (owners.length > 0) onMessage({ type: "permissions", owners });
      if (connections === true) onMessage({ type: "connections" });
      if (stop !== undefined) onMessage({ type: "stop", ...stop });
      if (watched !== undefined) onMessage({ type: "watched", runId: watched });
    });
    client.on("error", () => {});
    await client.connect();
    await client.query(`LISTEN ${channel}`);
    // Replaces only a connection that worked before; the caller retries the first connection.
    client.once("end", () => {
      if (!closed.signal.aborted) void reconnect();
    });
    current = client;
    if (closed.signal.aborted) await client.end();
  }

  async function reconnect(): Promise<void> {
    for (let wait = 100; !closed.signal.aborted; wait = Math.min(wait * 2, 2_000)) {
      try {
        await sleep(wait, undefined, { signal: closed.signal });
        await connect();
        publisher.publishToAll(changedByOtherNode);
        notifier.publish("missed");
        onMessage({ type: "missed" });
        return;
      } catch {
        // The database is still unavailable, or the node is stopping.
      }
    }
  }

  await connect();
  return {
    close: async () => {
      closed.abort();
      await current?.end().catch(() => {});
    },
  };
}

const changedByOtherNode = { events: [], closed: false, byOtherNode: true };
