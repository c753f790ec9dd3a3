import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ApprovalRequest, CallRecord, Grant, Variable } from "@capstan/core";
import type { ChainResultRecord, VariableValue } from "@capstan/core/host";
import type { RunEvent } from "@capstan/contract";
import { numberedEvents } from "../live/follow-events.ts";
import type { CorruptRecord, ManifestEntry, Page } from "../records/records.ts";
import type { Store } from "../live/store.ts";
import { openMemoryStore, openStore } from "../sqlite/open-store.ts";
import type { NewRun, RunJournalWrite } from "../records/store-writes.ts";

/** The owner of the tests' runs. */
export const owner = "local";

/** An event without its number. */
export type UnnumberedEvent = Extract<RunJournalWrite, { type: "event" }>["event"];

/** Calls a test with an empty data directory, and deletes it afterwards. */
export async function withDataDir<T>(use: (dataDir: string) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), "capstan-store-"));
  try {
    return await use(dataDir);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Calls a test with a store in a data directory. */
export function withFileStore<T>(use: (store: Store, dataDir: string) => Promise<T>): Promise<T> {
  return withDataDir(async (dataDir) => {
    const store = await openStore({ dataDir, durability: "process" });
    try {
      return await use(store, dataDir);
    } finally {
      await store.close();
    }
  });
}

/** A clock that stands still until it is set. */
export function settableClock(start = 1_000) {
  let now = start;
  return {
    now: () => now,
    monotonic: () => now,
    after: () => () => {},
    set: (to: number) => {
      now = to;
    },
  };
}

/** Calls a test with a store in memory. */
export async function withMemoryStore<T>(
  use: (store: Store, clock: ReturnType<typeof settableClock>) => Promise<T>,
): Promise<T> {
  const clock = settableClock();
  const store = openMemoryStore({ clock });
  try {
    return await use(store, clock);
  } finally {
    await store.close();
  }
}

type SomeRun = Partial<NewRun> & { readonly id: string };

/** Returns a page and fails if an entry is corrupt. */
export function intact<T extends object>(page: Page<T>): Page<Exclude<T, CorruptRecord>> {
  if (page.data.some((entry) => "isCorrupt" in entry)) throw new Error(JSON.stringify(page));
  return page as Page<Exclude<T, CorruptRecord>>;
}

/** Returns a run in progress, with the given fields. */
export function newRun(run: SomeRun): NewRun {
  return { owner, model: "m", status: "in_progress", request: {}, input: [], ...run };
}

/** Creates a run in progress with epoch 1, with the given fields. */
export async function createRun(store: Store, run: SomeRun): Promise<void> {
  const [outcome] = await store.write([{ type: "create-run", run: newRun(run) }]);
  if (outcome.status !== "created") throw new Error(JSON.stringify(outcome));
}

/** Writes to a run's journal and fails unless it was committed. */
export async function commit(
  store: Store,
  runId: string,
  writes: readonly RunJournalWrite[],
  epoch = 1,
): Promise<readonly RunEvent[]> {
  const [outcome] = await store.write([{ type: "journal", runId, epoch, writes }]);
  if (outcome.status !== "committed") throw new Error(JSON.stringify(outcome));
  const events = writes.flatMap((write) => (write.type === "event" ? [write.event] : []));
  return numberedEvents(events, outcome.lastSeq - events.length);
}

/** Returns the write of an event. */
export function event(value: UnnumberedEvent): RunJournalWrite {
  return { type: "event", event: value };
}
/** Returns the write of an item's start. */
export const start = (itemId: string) => event({ type: "item.start", itemId, kind: "text" });
/** Returns the write of an item's delta. */
export const delta = (itemId: string, text: string) =>
  event({ type: "item.delta", itemId, delta: text });
/** Returns the write of an item's end. */
export const end = (itemId: string, text: string) => event({ type: "item.end", itemId, text });

/** Returns the write of a chain's result. */
export function resultOf(
  status: ChainResultRecord["status"],
): Extract<RunJournalWrite, { type: "result" }> {
  return {
    type: "result",
    result: {
      status,
      answer: "",
      log: { replay: "" },
      usage: { inputTokens: 0, outputTokens: 0 },
      stats: {
        totalRounds: 0,
        totalCalls: 0,
        totalTime: 0,
        startTime: 0,
        endTime: 0,
        tokensDefinitions: 0,
        tokensArguments: 0,
        tokensShown: 0,
        tokensWithheld: 0,
      },
    },
  };
}

/** The result of a chain that stops to wait for these. */
export function stopsFor(
  ...waiting: NonNullable<ChainResultRecord["waiting"]>
): Extract<RunJournalWrite, { type: "result" }> {
  return { type: "result", result: { ...resultOf("requires_action").result, waiting } };
}

/** Returns an approval request. @param expiresAt in ms since the epoch */
export function approvalRequest(id: string, expiresAt = 10_000): ApprovalRequest {
  return {
    id,
    callId: `call_${id}`,
    toolId: "files.ViewFile",
    toolName: "ViewFile",
    groupTitle: "Files",
    description: "",
    args: {},
    argsDigest: "a",
    definitionDigest: "d",
    principalId: "local",
    reason: "",
    remember: true,
    grant: { title: "ViewFile" },
    createdAt: 1,
    expiresAt,
  };
}

/** Returns a call's record. */
export function callRecord(callId: string, more: Partial<CallRecord> = {}): CallRecord {
  return {
    callId,
    name: "ViewFile",
    owner: "server",
    round: 1,
    status: "proposed",
    argumentsText: "{}",
    repairs: [],
    idempotencyKey: callId,
    proposedAt: 1,
    ...more,
  };
}

/** Returns a grant. */
export function grantOf(id: string, more: Partial<Grant> = {}): Grant {
  return {
    id,
    toolId: "files.ViewFile",
    verdict: "allow",
    scope: "session",
    definitionDigest: "d",
    principalId: "local",
    match: { type: "tool" },
    title: "ViewFile",
    grantedBy: "ann",
    createdAt: 1,
    ...more,
  };
}

/** Returns a variable with a text. */
export function variableOf(name: string, text: string): Variable {
  return {
    name,
    type: "ToolCallResult",
    tags: [],
    keep: false,
    length: text.length,
    bytes: Buffer.byteLength(text),
    created: 1,
    updated: 1,
    lastVisited: 1,
    referenceCount: 0,
    value: { text },
  };
}

/** Returns a variable's value, wherever it is stored. */
export async function valueOf(
  store: Store,
  entry: ManifestEntry | undefined,
): Promise<VariableValue | undefined> {
  return entry?.value ?? (await store.readValue({ owner, digest: entry?.digest ?? "" }));
}

/** A text that is too long for a manifest's entry. */
export const longText = (text: string) => `${text} `.repeat(1_000);
