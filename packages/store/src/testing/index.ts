export { withTwoNodes } from "./every-store.ts";
export { findPostgres } from "./postgres-server.ts";
export {
  approvalRequest,
  callRecord,
  commit,
  createRun,
  delta,
  end,
  event,
  grantOf,
  owner,
  resultOf,
  settableClock,
  start,
  withDataDir,
  withMemoryStore,
} from "./store-fixtures.ts";
