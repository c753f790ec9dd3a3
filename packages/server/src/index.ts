export { inspectRedis } from "./dispatch/inspect-redis.ts";
export type { Inspection } from "./inspection.ts";
export { describeDatabase } from "./journal/postgres/describe-database.ts";
export { inspectPostgres } from "./journal/postgres/inspect-postgres.ts";
export { isLoopback } from "./auth/loopback.ts";
export { type ApiKey, localPrincipal } from "./auth/principals.ts";
export { readLock } from "./journal/data-lock.ts";
export { backupStore, checkStore, type StoreCheck, vacuumStore } from "./journal/maintenance.ts";
export type { Hold } from "./journal/lineage.ts";
export type { PrunedOf } from "./retention/prune.ts";
export type { Retention } from "./retention/retention.ts";
export {
  planStorePrune,
  pruneStore,
  readUsage,
  type StorePlace,
  type StoreUsage,
} from "./retention/prune-store.ts";
export type { Usage, UsageKind } from "./journal/usage.ts";
export type { ServerLimits } from "./run/server-limits.ts";
export type { CreateExecutor } from "./run/session.ts";
export type {
  AuthoringOutcome,
  ScriptAccess,
  ScriptAuthoring,
} from "./scripts/script-authoring.ts";
export {
  type RunningServer,
  type ServerOptions,
  startServer,
  type Stopped,
} from "./start-server.ts";
