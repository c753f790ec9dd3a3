/**
 * For the server and the command: open a store, write and read runs, follow their events, prune and
 * check the stored data. Test helpers are in `@capstan/store/testing`.
 *
 * @module
 */

// records
export type { WebhookEvent, WebhookMessage, WebhookSubscription } from "./records/webhooks.ts";
export type { UserChange, UserChanges } from "./records/user-change.ts";
export type { S3Options } from "./s3/s3-options.ts";
export type { ConnectionRecord, CredentialKey, CredentialRecord } from "./records/connections.ts";
export type { ClaimedRun } from "./records/claimed-run.ts";
export { type Fault, type Inspection, inspectionOf } from "./records/inspection.ts";
export type { NodeMessage, StopRequest } from "./records/nodes.ts";
export type {
  ChainStateEvent,
  RetentionHold,
  ListedCalls,
  Usage,
  UsageKind,
} from "./records/read-results.ts";
export type {
  AgentRecord,
  ThreadObjectRecord,
  ApprovalRecord,
  CallEntry,
  ConversationRecord,
  CreationCursor,
  CorruptPermission,
  CorruptRecord,
  ExecutionApproval,
  GrantRecord,
  ListedCall,
  ListedRun,
  Manifest,
  OverrideRecord,
  Page,
  PendingApproval,
  ResultApproval,
  RunRecord,
  RunRef,
  RunVersion,
  RunWithMessages,
} from "./records/records.ts";
export { overrideId } from "./decide/permissions/write-overrides.ts";
export { storedOutcomes } from "./decide/runs/claim-key.ts";
export type {
  FileQuota,
  FileRecord,
  FileSource,
  NewFile,
  NewUpload,
  UploadPart,
  UploadRecord,
} from "./records/files.ts";
export {
  type FileCount,
  type SearchChunk,
  type SearchObject,
  storeFileId,
  type StoredChunk,
} from "./records/search.ts";
export type { ReceivedBlob } from "./blobs/received-blob.ts";
export { isClosing, runStatusOf, transitions } from "./records/run-status.ts";
export {
  decodeRunRequest,
  encodeRunRequest,
  requestOf,
  type DirectCall,
  type RequireApproval,
  type ServerGroup,
  type StoredRequest,
  type ToolContextData,
  type ToolFilter,
} from "./records/run-request.ts";
export type { Store } from "./live/store.ts";
export type { ShareRecord } from "./read/permissions/read-shares.ts";
export type { TokenUsage } from "./read/read-token-usage.ts";
export type { RequestKeyRecord } from "./read/read-request-keys.ts";
export type {
  NewRun,
  RequestKey,
  RunJournalWrite,
  StoreWrite,
  ThreadLimit,
} from "./records/store-writes.ts";
export { isAccepted, type OutcomeOf, type WriteOutcome } from "./records/write-outcomes.ts";

// live
export { followEvents } from "./live/follow-events.ts";
export { createFailureDetector } from "./live/failure-detector.ts";

// sqlite
export { readLock } from "./sqlite/data-lock.ts";
export { openMemoryStore, openStore, type OpenStoreOptions } from "./sqlite/open-store.ts";

// postgres
export { describeDatabase } from "./postgres/wire/address.ts";

// upkeep
export { deleteUnreachable } from "./upkeep/delete-unreachable.ts";
export {
  backupStore,
  checkStore,
  type StoreCheck,
  type StoreLocation,
  vacuumStore,
} from "./upkeep/maintenance.ts";
export { prune, type PruneReport } from "./upkeep/prune.ts";
export { planStorePrune, pruneStore, readUsage, type StoreUsage } from "./upkeep/prune-store.ts";
export { hasRetentionRules, type Retention, ruleFor } from "./upkeep/retention-rules.ts";
