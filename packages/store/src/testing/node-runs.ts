import pg from "pg";
import type { RunRef } from "../records/records.ts";

/** Reads of the runs that nodes own, directly from the database. */
export interface NodeRuns {
  /** The runs of the node at this address, which get jobs once the node is silent. */
  of(url: string): Promise<readonly RunRef[]>;
  /** Whether a run is in progress in a later epoch, so that a job for this epoch is outdated. */
  isOutdated(run: RunRef): Promise<boolean>;
}

/** Returns reads of the runs that nodes own. @param connectionString the address of the database */
export function readNodeRuns(connectionString: string): NodeRuns {
  /** Each query has its own connection, because the database may be restarted in between. */
  async function rows<T extends pg.QueryResultRow>(text: string, values: readonly unknown[]) {
    const client = new pg.Client({ connectionString });
    await client.connect();
    try {
      return (await client.query<T>(text, [...values])).rows;
    } finally {
      await client.end();
    }
  }
  return {
    of: async (url) =>
      (
        await rows<{ id: string; owner: string; epoch: string }>(
          `SELECT runs.id, owner, epoch FROM runs JOIN nodes ON nodes.id = runs.node
           WHERE status = 'in_progress' AND url = $1`,
          [url],
        )
      ).map(({ id, owner, epoch }) => ({ id, owner, epoch: Number(epoch), status: "in_progress" })),
    isOutdated: async ({ id, epoch }) => {
      const text = "SELECT 1 FROM runs WHERE id = $1 AND epoch > $2 AND status = 'in_progress'";
      return (await rows(text, [id, epoch])).length > 0;
    },
  };
}
