import { channel, type Notification } from "../wire/notification.ts";
import type { Statement } from "../../sql/script.ts";
import { bind, statement } from "../../sql/statement.ts";
import type { EncodedWrite } from "../../encode/run-commit.ts";
import { type Batch, acceptedWrites } from "./batch.ts";

/** A notification takes less than 8,000 bytes. */
const maxBytes = 7_000;

/** Returns the runs that a batch changed, for readers on other nodes. */
export function changedRuns(batch: Batch): ReadonlySet<string> {
  const runs = new Set<string>();
  for (const [write, outcome] of acceptedWrites(batch)) {
    if (outcome.status === "deleted") for (const id of outcome.runIds) runs.add(id);
    else if ("runId" in write && write.runId !== undefined) runs.add(write.runId);
    else if (write.type === "create-run") runs.add(write.run.id);
    if ("approval" in outcome) runs.add(outcome.approval.runId);
    if (outcome.status === "expired") for (const { runId } of outcome.approvals) runs.add(runId);
  }
  return runs;
}

/**
 * Returns the users whose grants or rules a batch changed: other nodes may have cached them.
 *
 * @param ownerOf returns the owner of a run
 */
export function changedOwners(
  batch: Batch,
  ownerOf: (runId: string) => string | undefined,
): ReadonlySet<string> {
  const owners = new Set<string>();
  for (const [write] of acceptedWrites(batch)) {
    if (permissions.has(write.type) && "owner" in write) owners.add(write.owner);
    const given = write.type === "commit" && write.grants.length > 0;
    const owner = given ? ownerOf(write.runId) : undefined;
    if (owner !== undefined) owners.add(owner);
  }
  return owners;
}

const permissions: ReadonlySet<EncodedWrite["type"]> = new Set([
  "create-grant",
  "revoke-grant",
  "change-override",
  "reset-override",
] as const);

/** Returns the statements that notify other nodes. PostgreSQL delivers them with the commit; they carry ids, never events. */
export function notifyStatements(
  by: string,
  { runs, owners }: { readonly runs: ReadonlySet<string>; readonly owners: ReadonlySet<string> },
): Statement[] {
  const notifications: Notification[] = [
    ...splitBySize(runs).map((some) => ({ by, runs: some })),
    ...splitBySize(owners).map((some) => ({ by, owners: some })),
  ];
  return notifications.map((notification) => bind(notify, channel, JSON.stringify(notification)));
}

const notify = statement({}, { postgres: "SELECT pg_notify(?, ?)" });

/** Splits ids into groups that each fit into one notification. */
function splitBySize(ids: ReadonlySet<string>): readonly (readonly string[])[] {
  const all: string[][] = [];
  let bytes = maxBytes;
  for (const id of ids) {
    const size = Buffer.byteLength(JSON.stringify(id)) + 1;
    // Nobody can be told of an id that fills a notification alone; its readers find out when they read.
    if (size > maxBytes) continue;
    if (bytes + size > maxBytes) {
      all.push([]);
      bytes = 0;
    }
    all.at(-1)?.push(id);
    bytes += size;
  }
  return all;
}
