import { all, first } from "../sql/script.ts";
import { statement } from "../sql/statement.ts";
import type { NodeRecord, Nodes } from "../records/nodes.ts";
import type { PostgresReads } from "./read/postgres-reads.ts";
import { type Notification, channel } from "./wire/notification.ts";

const notifyNodes = statement({}, { postgres: "SELECT pg_notify(?, ?)" });

const beat = statement<{ beats: number }>(
  { writes: ["nodes"] },
  `INSERT INTO nodes (id, beats) VALUES (?, 1)
   ON CONFLICT (id) DO UPDATE SET beats = nodes.beats + 1 RETURNING beats`,
);

const listNodes = statement<NodeRecord>(
  { reads: ["nodes"] },
  "SELECT id, url, beats FROM nodes ORDER BY id",
);

const deleteSilent = statement(
  { writes: ["nodes"] },
  "DELETE FROM nodes WHERE id = ? AND beats = ? RETURNING id",
);

const setUrl = statement({ writes: ["nodes"] }, "UPDATE nodes SET url = ? WHERE id = ?");

const deleteNode = statement({ writes: ["nodes"] }, "DELETE FROM nodes WHERE id = ?");

/**
 * Creates the access to the nodes of one database. It does not use the writer's connection, because
 * a node whose commits wait for a lock is alive. Each statement is idempotent, because it can run
 * twice if a connection is lost.
 */
export function postgresNodes(
  self: string,
  read: PostgresReads["read"],
): Omit<Nodes, "subscribe"> & {
  readonly announce: (url: string) => Promise<void>;
  readonly leave: () => Promise<void>;
} {
  let left = false;
  const notify = async (notification: Omit<Notification, "by">) => {
    const text = JSON.stringify({ by: self, ...notification } satisfies Notification);
    await read(() => all(notifyNodes, channel, text));
  };
  return {
    self,
    heartbeat: async () => {
      if (left) return true;
      const row = await read(() => first(beat, self));
      return row?.beats !== 1;
    },
    list: () => read(() => all(listNodes)),
    declareDead: async ({ id, beats }) => {
      const gone = await read(() => first(deleteSilent, id, beats));
      return gone !== undefined;
    },
    requestStop: (stop) => notify({ stop }),
    requestHeartbeat: (watched) => notify({ watched }),
    announce: async (url) => {
      await read(() => all(setUrl, url, self));
    },
    leave: async () => {
      left = true;
      // If the database is unavailable, other nodes detect that this node is silent. Stopping it
      // must not fail.
      await read(() => all(deleteNode, self)).catch(() => {});
    },
  };
}
