import type { RetentionHold } from "../records/read-results.ts";
import type { RetentionReader } from "../live/create-store-reader.ts";
import type { StoreWrite } from "../records/store-writes.ts";
import type { OutcomeOf } from "../records/write-outcomes.ts";
import type { Store } from "../live/store.ts";
import { type PrunableLineage, findPrunable } from "./find-prunable.ts";
import { limitsSize, hasRetentionRules, type Retention, ruleFor } from "./retention-rules.ts";

/** How much one commit deletes: it must not hold up the others that write. */
export const commitRows = 500;
const commitBytes = 4 * 1_048_576;

/** What was deleted of one user, or would be. */
export interface PruneReport {
  readonly owner: string;
  readonly conversations: number;
  readonly runs: number;
  readonly bytes: number;
  /** Of the bytes, those that went to make room. */
  readonly forRoom: number;
  /** What is due and stays, by what holds it. */
  readonly held: { readonly [hold in RetentionHold]?: number };
}

type ForgetLineage = Extract<StoreWrite, { type: "forget-lineage" }>;

/** What the rules ask to be forgotten now, by user; nothing is changed. Only users of whom something is due. */
export async function planPrune(options: {
  readonly reader: RetentionReader;
  readonly retention: Retention;
  /** In ms since the epoch. */
  readonly now: number;
}): Promise<readonly PruneReport[]> {
  const plans: PruneReport[] = [];
  for (const { owner, bytes } of await owners(options.reader, options.retention)) {
    let plan = nothingOf(owner);
    const rule = ruleFor(options.retention, owner);
    for await (const due of findPrunable({ ...options, owner, rule, bytes })) plan = add(plan, due);
    if (plan !== undefined && !isEmpty(plan)) plans.push(plan);
  }
  return plans;
}

/**
 * Forgets what the rules ask for, and deletes it: each whole at once from sight, its rows in many
 * small commits. Stopped or killed anywhere, the next time goes on with it.
 *
 * @returns by user, what was forgotten and what was held; only users of whom something was due
 */
export async function prune(options: {
  readonly store: Store;
  readonly retention: Retention;
  readonly now: number;
  /** Forgets one. @default the store's own write */
  readonly forget?: (write: ForgetLineage) => Promise<OutcomeOf<ForgetLineage>>;
  /** Between two commits, so that others get their turn. */
  readonly pause?: () => Promise<void>;
  readonly signal?: AbortSignal;
}): Promise<readonly PruneReport[]> {
  const { store, retention, signal } = options;
  const forget = options.forget ?? (async (write) => (await store.write([write]))[0]);
  // Leftovers of the last run first: they still use space.
  await collect(options);
  const pruned: PruneReport[] = [];
  for (const { owner, bytes } of await owners(store, retention)) {
    const rule = ruleFor(retention, owner);
    let sum = nothingOf(owner);
    for await (const due of findPrunable({ ...options, reader: store, owner, rule, bytes })) {
      if (signal?.aborted === true) return pruned;
      const { start, before, lineage } = due;
      if (lineage.holds.length === 0) {
        const { status } = await forget({ type: "forget-lineage", owner, start, before });
        // Somebody came back to it in this moment.
        if (status !== "deleted") continue;
        await collect(options);
      }
      sum = add(sum, due);
    }
    if (!isEmpty(sum)) pruned.push(sum);
  }
  return pruned;
}

/** Whom a rule may be about, with what they have where that is wanted: it takes a look at every row. */
async function owners(
  reader: RetentionReader,
  retention: Retention,
): Promise<readonly { readonly owner: string; readonly bytes: number }[]> {
  if (!hasRetentionRules(retention)) return [];
  if (limitsSize(retention)) return reader.everyUsage();
  return (await reader.everyOwner()).map((owner) => ({ owner, bytes: 0 }));
}

/** Deletes what was forgotten. */
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

function nothingOf(owner: string): PruneReport {
  return { owner, conversations: 0, runs: 0, bytes: 0, forRoom: 0, held: {} };
}

function isEmpty({ bytes, runs, conversations, held }: PruneReport): boolean {
  return bytes + runs + conversations + Object.keys(held).length === 0;
}

function add(sum: PruneReport, { lineage, why }: PrunableLineage): PruneReport {
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
    forRoom: sum.forRoom + (why === "room" ? bytes : 0),
  };
}
