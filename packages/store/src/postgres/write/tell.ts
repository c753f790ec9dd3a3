import { channel, type Told } from "../wire/told.ts";
import type { Statement } from "../../sql/script.ts";
import type { EncodedWrite } from "../../encode/encoded-journal.ts";
import { type Batch, doneIn } from "./batch.ts";

/** A notification takes less than 8,000 bytes. */
const most = 7_000;

/** The runs of which a reader on another node may want to know. */
export function toldRuns(batch: Batch): ReadonlySet<string> {
  const runs = new Set<string>();
  for (const [write, outcome] of doneIn(batch)) {
    if (outcome.status === "deleted") for (const id of outcome.runIds) runs.add(id);
    else if ("runId" in write && write.runId !== undefined) runs.add(write.runId);
    else if (write.type === "create-run") runs.add(write.run.id);
    if ("approval" in outcome) runs.add(outcome.approval.runId);
    if (outcome.status === "expired") for (const { runId } of outcome.approvals) runs.add(runId);
  }
  return runs;
}

/**
 * The users of whom another node may have something in memory that has changed: what they allowed, and their own rules.
 *
 * @param ownerOf whose run it is
 */
export function toldOwners(
  batch: Batch,
  ownerOf: (runId: string) => string | undefined,
): ReadonlySet<string> {
  const owners = new Set<string>();
  for (const [write] of doneIn(batch)) {
    if (permissions.has(write.type) && "owner" in write) owners.add(write.owner);
    const given = write.type === "journal" && write.grants !== undefined;
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

/** Delivered with the commit, to those who listen then: a hint, never the events themselves. */
export function tellStatements(
  by: string,
  { runs, owners }: { readonly runs: ReadonlySet<string>; readonly owners: ReadonlySet<string> },
): Statement[] {
  const told: Told[] = [
    ...portions(runs).map((some) => ({ by, runs: some })),
    ...portions(owners).map((some) => ({ by, owners: some })),
  ];
  return told.map((one) => ({
    text: "SELECT pg_notify(?, ?)",
    values: [channel, JSON.stringify(one)],
  }));
}

/** As many at a time as go into one notification. */
function portions(ids: ReadonlySet<string>): readonly (readonly string[])[] {
  const all: string[][] = [];
  let bytes = most;
  for (const id of ids) {
    const size = Buffer.byteLength(JSON.stringify(id)) + 1;
    // Nobody can be told of an id that fills a notification alone; its readers find out when they read.
    if (size > most) continue;
    if (bytes + size > most) {
      all.push([]);
      bytes = 0;
    }
    all.at(-1)?.push(id);
    bytes += size;
  }
  return all;
}
