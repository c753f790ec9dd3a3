/**
 * For tests and benches of other packages: a PostgreSQL server, empty stores, and records to write
 * into them. Production code imports `@capstan/store`.
 *
 * @module
 */

// databases
export { withTwoNodes } from "./every-store.ts";
export { type NodeRuns, readNodeRuns } from "./node-runs.ts";
export { findPostgres, startPostgres, testServer } from "./postgres-server.ts";

// stores and records
export {
  approvalRequest,
  callRecord,
  commit,
  createRun,
  delta,
  end,
  event,
  grantOf,
  intact,
  owner,
  resultOf,
  settableClock,
  start,
  variableOf,
  withDataDir,
  withMemoryStore,
} from "./store-fixtures.ts";

// internals that tests use
export type { NodeRecord } from "../records/nodes.ts";
export { migrate } from "../sqlite/migrate.ts";
export { storeOnConnection } from "../sqlite/open-store.ts";
export { SqliteChanges } from "../sqlite/sqlite-changes.ts";
export { SqliteConnection } from "../sqlite/sqlite-connection.ts";
export { dayMs } from "../upkeep/retention-rules.ts";
export { writeStreamedItems } from "./streamed-items.ts";
