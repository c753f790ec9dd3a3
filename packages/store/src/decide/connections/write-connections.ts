import {
  connectionRecord,
  type ConnectionRow,
  selectConnections,
} from "../../read/connections/read-connections.ts";
import { readable } from "../../read/page.ts";
import type { StoreWrite } from "../../records/store-writes.ts";
import type { OutcomeOf } from "../../records/write-outcomes.ts";
import { first, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";
import type { WriteContext } from "../state/write-context.ts";

type SaveConnection = Extract<StoreWrite, { type: "save-connection" }>;
type DeleteConnection = Extract<StoreWrite, { type: "delete-connection" }>;

/** The maximum number of connections that users can add. */
const maxConnections = 200;

const lockConnection = statement<ConnectionRow>(
  { reads: ["connections"] },
  (dialect) => `${selectConnections(dialect)} WHERE name = ?${dialect.lock("connections")}`,
);

const countConnections = statement<{ n: number }>(
  { reads: ["connections"] },
  "SELECT COUNT(*) AS n FROM connections",
);

const findConnectionKey = statement(
  { reads: ["connections"] },
  "SELECT 1 FROM connections WHERE name = ?",
);

const deleteCredentials = statement(
  { writes: ["credentials"] },
  "DELETE FROM credentials WHERE connection = ?",
);

/** Adds a connection, or replaces its settings. */
export function* saveConnection(
  { changes }: WriteContext,
  { name, settings, by, isNew }: SaveConnection,
  at: number,
): Script<OutcomeOf<SaveConnection>> {
  const row = yield* first(lockConnection, name);
  if (isNew && row !== undefined)
    return { status: "refused", reason: `There is already a connection "${name}".` };
  if (!isNew && row === undefined) return { status: "not_found" };
  const before = row && readable(row, connectionRecord);
  // An update would leave a corrupt row corrupt, so the row is replaced.
  if (row !== undefined && before === undefined) changes.remove("connections", { name });
  const changed = { updated_at: at, settings: JSON.stringify(settings) };
  const { createdAt, createdBy } = before ?? { createdAt: at, createdBy: by };
  if (before === undefined) {
    const count = yield* first(countConnections);
    if (isNew && (count?.n ?? 0) >= maxConnections)
      return {
        status: "refused",
        reason: `There are ${maxConnections} connections already: remove one first.`,
      };
    changes.insert("connections", {
      name,
      created_by: createdBy,
      created_at: createdAt,
      ...changed,
    });
  } else changes.update("connections", { name }, changed);
  return {
    status: "saved_connection",
    connection: { name, settings, createdBy, createdAt, updatedAt: at },
  };
}

/** Deletes a connection together with all credentials for it. */
export function* deleteConnection(
  { changes }: WriteContext,
  { name }: DeleteConnection,
): Script<OutcomeOf<DeleteConnection>> {
  const known = yield* first(findConnectionKey, name);
  if (known === undefined) return { status: "not_found" };
  changes.remove("connections", { name });
  changes.wipe(deleteCredentials, name);
  return { status: "removed" };
}
