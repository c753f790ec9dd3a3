import { channel, type Notification } from "../wire/notification.ts";
import type { Statement } from "../../sql/script.ts";
import { bind, statement } from "../../sql/statement.ts";
import type { EncodedRequest, EncodedWrite } from "../../encode/run-commit.ts";
import { isAccepted } from "../../records/write-outcomes.ts";
import type { UserChange } from "../../records/user-change.ts";
import type { AppliedOutcome, WriteResult } from "../../records/write-results.ts";

/** An accepted write of a batch, with its outcome. */
export type AcceptedWrite = readonly [EncodedWrite, AppliedOutcome];

/** Returns the accepted writes of a batch with their outcomes. */
export function* acceptedWrites(
  requests: readonly EncodedRequest[],
  results: readonly WriteResult[],
): Generator<AcceptedWrite> {
  for (const [index, { writes }] of requests.entries()) {
    const result = results[index];
    if (result === undefined || "error" in result) continue;
    for (const [position, write] of writes.entries()) {
      const outcome = result.outcomes[position];
      if (outcome !== undefined && isAccepted(outcome)) yield [write, outcome];
    }
  }
}

/**
 * Returns the statements that notify other nodes of the changes of a batch: of runs, of users' grants
 * or rules, of users' data, and of connections. PostgreSQL delivers them with the commit. They contain
 * ids, never events.
 *
 * @param ownerOf returns the owner of a run
 * @param results the results of the batch @default no changes of users' data
 */
export function notifyStatements(
  by: string,
  accepted: readonly AcceptedWrite[],
  ownerOf: (runId: string) => string | undefined,
  results: readonly WriteResult[] = [],
): Statement[] {
  const runs = new Set<string>();
  const owners = new Set<string | undefined>();
  for (const [write, outcome] of accepted) {
    if (outcome.status === "deleted") for (const id of outcome.runIds) runs.add(id);
    else if ("runId" in write && write.runId !== undefined) runs.add(write.runId);
    else if (write.type === "create-run") runs.add(write.run.id);
    if ("approval" in outcome) runs.add(outcome.approval.runId);
    if (outcome.status === "expired") for (const { runId } of outcome.approvals) runs.add(runId);
    if (permissions.has(write.type) && "owner" in write) owners.add(write.owner);
    if (write.type === "commit" && write.grants.length > 0) owners.add(ownerOf(write.runId));
  }
  owners.delete(undefined);
  const notifications: Notification[] = [
    ...splitBySize(runs).map((some) => ({ by, runs: some })),
    ...splitBySize(owners as Set<string>).map((some) => ({ by, owners: some })),
    ...splitBySize(changesIn(results)).map((changes) => ({ by, changes })),
    ...(accepted.some(([write]) => changesConnections(write))
      ? [{ by, connections: true } as const]
      : []),
  ];
  return notifications.map((notification) => bind(notify, channel, JSON.stringify(notification)));
}

const notify = statement({}, { postgres: "SELECT pg_notify(?, ?)" });

/** The payload of a notification has less than 8,000 bytes. */
const maxBytes = 7_000;

const permissions: ReadonlySet<EncodedWrite["type"]> = new Set([
  "create-grant",
  "revoke-grant",
  "change-override",
  "reset-override",
] as const);

/** Secret settings of a connection are stored as a credential. */
function changesConnections(write: EncodedWrite): boolean {
  if (write.type === "save-credential") return write.key.field === "settings";
  return write.type === "save-connection" || write.type === "delete-connection";
}

function* changesIn(results: readonly WriteResult[]): Generator<UserChange> {
  for (const result of results) if ("outcomes" in result) yield* result.changed ?? [];
}

/** Splits ids or changes into groups that each fit into one notification. */
function splitBySize<Item extends string | UserChange>(
  items: Iterable<Item>,
): readonly (readonly Item[])[] {
  const all: Item[][] = [];
  let bytes = maxBytes;
  for (const item of items) {
    const size = Buffer.byteLength(JSON.stringify(item)) + 1;
    // An item that is too long for a notification is skipped; its readers see the change with their
    // next read.
    if (size > maxBytes) continue;
    if (bytes + size > maxBytes) {
      all.push([]);
      bytes = 0;
    }
    all.at(-1)?.push(item);
    bytes += size;
  }
  return all;
}
