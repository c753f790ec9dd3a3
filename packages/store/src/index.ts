export { followEvents } from "./live/follow-events.ts";
export { watchNodes } from "./live/silent-nodes.ts";
export { inspectPostgres } from "./postgres/inspect-postgres.ts";
export { openPostgresStore } from "./postgres/open-postgres-store.ts";
export { describeDatabase } from "./postgres/wire/describe-database.ts";
export type { ListedCalls } from "./records/readings.ts";
export type { ChainMark } from "./records/readings.ts";
export type { Hold } from "./records/readings.ts";
export type { UsageKind } from "./records/readings.ts";
export type { Usage } from "./records/readings.ts";
export type { ClaimedRun } from "./records/claimed-run.ts";
export { type Fault, type Inspection, inspectionOf } from "./records/inspection.ts";
export type { Heard, StopRequest } from "./records/nodes.ts";
export type {
  ApprovalPlace,
  ApprovalRecord,
  CallEntry,
  ConversationRecord,
  ExecutionApproval,
  GrantRecord,
  ListedCall,
  Manifest,
  OverrideRecord,
  ResultApproval,
  RunRecord,
  RunRef,
  RunVersion,
  RunWithMessages,
} from "./records/records.ts";
export { isClosing, runStatusOf, transitions } from "./records/run-status.ts";
export {
  type OutcomeOf,
  type RunJournalWrite,
  type StoreWrite,
  type WriteOutcome,
  isAccepted,
} from "./records/store-writes.ts";
export type { Store } from "./records/store.ts";
export type { NodeRecord } from "./records/nodes.ts";
export { readLock } from "./sqlite/data-lock.ts";
export { migrate } from "./sqlite/migrate.ts";
export { openMemoryStore, openStore, storeOnConnection } from "./sqlite/open-store.ts";
export { Sql } from "./sqlite/sql.ts";
export { dropUnreachable } from "./upkeep/clear-unreachable.ts";
export { type StoreCheck, backupStore, checkStore, vacuumStore } from "./upkeep/maintenance.ts";
export {
  type StorePlace,
  type StoreUsage,
  planStorePrune,
  pruneStore,
  readUsage,
} from "./upkeep/prune-store.ts";
export { type PrunedOf, prune } from "./upkeep/prune.ts";
export { type Retention, dayMs, hasRules } from "./upkeep/retention.ts";
export { type Shortened, shortenDeltas } from "./upkeep/shorten-deltas.ts";
