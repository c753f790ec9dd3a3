import type { RetentionHold } from "../records/read-results.ts";
import type { RetentionReader } from "../live/create-store-reader.ts";
import type { StoreWrite } from "../records/store-writes.ts";
import type { OutcomeOf } from "../records/write-outcomes.ts";
import type { Store } from "../live/store.ts";
import { type PrunableLineage, findPrunable } from "./find-prunable.ts";
import {
  dayMs,
  limitsSize,
  hasRetentionRules,
  type Retention,
  ruleFor,
} from "./retention-rules.ts";

/** The number of rows that one commit deletes, which must not delay other writes for long. */
export const commitRows = 500;
const commitBytes = 4 * 1_048_576;
/** The number of parts of indexes that one commit deletes. */
const commitChunks = 32;

/** The data of one user that was deleted, or would be. */
export interface PruneReport {
  readonly owner: string;
  readonly conversations: number;
  readonly runs: number;
  readonly bytes: number;
  /** The part of the bytes that was deleted to free space. */
  readonly freedBytes: number;
  /** The number of lineages that are due but stay, by the reason. */
  readonly held: { readonly [hold in RetentionHold]?: number };
}

type ForgetLineage = Extract<StoreWrite, { type: "forget-lineage" }>;

/**
 * Returns what the rules would delete now, by user, and changes nothing. Users without such data
 * are left out.
 */
export async function planPrune(options: {
  readonly reader: RetentionReader;
  readonly retention: Retention;
  /** In ms since the epoch. */
  readonly now: number;
}): Promise<readonly PruneReport[]> {
  const plans: PruneReport[] = [];
  for (const { owner, bytes } of await owners(options.reader, options.retention)) {
    let plan = emptyReport(owner);
    const rule = ruleFor(options.retention, owner);
    for await (const due of findPrunable({ ...options, owner, rule, bytes })) plan = add(plan, due);
    if (plan !== undefined && !isEmpty(plan)) plans.push(plan);
  }
  return plans;
}

/**
 * Deletes the data that the rules select. It hides each lineage in one commit, and deletes its rows
 * in many small commits. After a stop or a kill the next call continues.
 *
 * @returns by user, the deleted and the held data; users without any are left out
 */
export async function prune(options: {
  readonly store: Store;
  readonly retention: Retention;
  readonly now: number;
  /** Hides one lineage. @default the store's own write */
  readonly forget?: (write: ForgetLineage) => Promise<OutcomeOf<ForgetLineage>>;
  /** Called between two commits, so that others can run. */
  readonly pause?: () => Promise<void>;
  readonly signal?: AbortSignal;
}): Promise<readonly PruneReport[]> {
  const { store, retention, signal } = options;
  const forget = options.forget ?? (async (write) => (await store.write([write]))[0]);
  // Deletes the rest of an interrupted call first, because it still uses space.
  await collect(options);
  await expireFiles(options);
  await collectChunks(options);
  const pruned: PruneReport[] = [];
  for (const { owner, bytes } of await owners(store, retention)) {
    const rule = ruleFor(retention, owner);
    let sum = emptyReport(owner);
    for await (const due of findPrunable({ ...options, reader: store, owner, rule, bytes })) {
      if (signal?.aborted === true) return pruned;
      const { start, before, lineage } = due;
      if (lineage.holds.length === 0) {
        const { status } = await forget({ type: "forget-lineage", owner, start, before });
        // If it is not deleted, the lineage was used again in the meantime.
        if (status !== "deleted") continue;
        await collect(options);
      }
      sum = add(sum, due);
    }
    if (rule.days !== undefined)
      await expireFiles(options, { owner, before: options.now - rule.days * dayMs });
    if (!isEmpty(sum)) pruned.push(sum);
  }
  await collectChunks(options);
  return pruned;
}

/** Deletes expired files, or an owner's files of a certain age. */
async function expireFiles(
  { store, pause, signal }: Pick<Parameters<typeof prune>[0], "store" | "pause" | "signal">,
  older?: { readonly owner: string; readonly before: number },
): Promise<void> {
  while (signal?.aborted !== true) {
    const [outcome] = await store.write([{ type: "expire-files", ...(older && { older }) }]);
    if (outcome.status !== "expired_files" || !outcome.more) return;
    await pause?.();
  }
}

/** Deletes the hidden indexes of files. */
async function collectChunks({
  store,
  pause,
  signal,
}: Pick<Parameters<typeof prune>[0], "store" | "pause" | "signal">): Promise<void> {
  while (signal?.aborted !== true) {
    const [outcome] = await store.write([{ type: "collect-chunks", rows: commitChunks }]);
    if (outcome.status !== "collected_chunks" || !outcome.more) return;
    await pause?.();
  }
}

/** Returns the users that a rule may affect, with their sizes if needed, which reads every row. */
async function owners(
  reader: RetentionReader,
  retention: Retention,
): Promise<readonly { readonly owner: string; readonly bytes: number }[]> {
  if (!hasRetentionRules(retention)) return [];
  if (limitsSize(retention)) {
    const users = await reader.everyUsage();
    // Files have a quota of their own; they must not make conversations exceed their limit.
    return users.map(({ owner, bytes, byKind }) => ({ owner, bytes: bytes - byKind.files }));
  }
  return (await reader.everyOwner()).map((owner) => ({ owner, bytes: 0 }));
}

/** Deletes the rows of hidden lineages. */
async function collect({
  store,
  pause,
  signal,
}: Pick<Parameters<typeof prune>[0], "store" | "pause" | "signal">): Promise<void> {
  while (signal?.aborted !== true) {
    const [outcome] = await store.write([
      { type: "collect-forgotten", rows: commitRows, bytes: commitBytes },
    ]);
    if (outcome.status !== "collected" || !outcome.more) return;
    await pause?.();
  }
}

function emptyReport(owner: string): PruneReport {
  return { owner, conversations: 0, runs: 0, bytes: 0, freedBytes: 0, held: {} };
}

function isEmpty({ bytes, runs, conversations, held }: PruneReport): boolean {
  return bytes + runs + conversations + Object.keys(held).length === 0;
}

function add(sum: PruneReport, { lineage, reason }: PrunableLineage): PruneReport {
  const { conversations, runIds, bytes, holds } = lineage;
  if (holds.length > 0) {
    const held = { ...sum.held };
    for (const hold of holds) held[hold] = (held[hold] ?? 0) + 1;
    return { ...sum, held };
  }
  return {
    ...sum,
    conversations: sum.conversations + conversations.length,
    runs: sum.runs + runIds.length,
    bytes: sum.bytes + bytes,
    freedBytes: sum.freedBytes + (reason === "space" ? bytes : 0),
  };
}
