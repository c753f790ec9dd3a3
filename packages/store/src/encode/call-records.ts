import type { CallRecord } from "@capstan/core";
import type { CallEntry } from "../records/records.ts";

/** A call as a commit stores it: whole, or what changed of it since an earlier commit of its run. */
export type StoredCall = CallRecord | CallPatch;

interface CallPatch {
  readonly callId: string;
  readonly changed: Partial<CallRecord>;
  /** Fields that it has no more. */
  readonly gone?: readonly string[];
}

/** A call, and when something of it was stored last. */
type KnownCall = Pick<CallEntry, "call" | "updatedAt">;

/** What a commit's row says of calls, and when it was written. */
export interface CallsRow {
  /** In ms since the epoch. */
  readonly at: number;
  /** `StoredCall`s as a JSON array. */
  readonly calls: string;
}

interface Fields {
  readonly [field: string]: unknown;
}

/**
 * What is stored of a call where the store has an earlier record of it; undefined where nothing
 * changed. Records are never changed in place: what is the same object is the same.
 */
export function patchOf(before: CallRecord, after: CallRecord): StoredCall | undefined {
  const old = before as unknown as Fields;
  const next = after as unknown as Fields;
  const changed: { [field: string]: unknown } = {};
  let isSame = true;
  for (const field in next) {
    if (next[field] === old[field] || next[field] === undefined) continue;
    changed[field] = next[field];
    isSame = false;
  }
  let gone: string[] | undefined;
  for (const field in old)
    if (old[field] !== undefined && next[field] === undefined) (gone ??= []).push(field);
  const { callId } = after;
  if (gone !== undefined) return { callId, changed, gone };
  return isSame ? undefined : { callId, changed };
}

/**
 * The calls of a run as its commits left them, in the order in which they first appeared.
 *
 * @param rows of the run, in order
 * @example
 * const calls = foldCalls(yield* callRows(run.n)).map(({ call }) => call);
 */
export function foldCalls(rows: readonly CallsRow[]): KnownCall[] {
  const known = new Map<string, KnownCall>();
  for (const { at, calls } of rows)
    for (const stored of JSON.parse(calls) as readonly StoredCall[]) {
      const call = patched(known.get(stored.callId)?.call, stored);
      // A person's word comes from outside, and is kept where the call's end is.
      const updatedAt = Math.max(at, call.found?.at ?? at);
      known.set(stored.callId, { call, updatedAt });
    }
  return [...known.values()];
}

function patched(before: CallRecord | undefined, stored: StoredCall): CallRecord {
  if ("name" in stored) return stored;
  const { callId, changed, gone = [] } = stored;
  if (before === undefined) throw new Error(`Of the call ${callId} only a change is stored`);
  const call = { ...before, ...changed };
  for (const field of gone) Reflect.deleteProperty(call, field);
  return call;
}

/**
 * What a commit changes of calls as JSON, each once, however often the chain said something of it;
 * undefined where all is as it was.
 *
 * @param changed each call as it is at the end of the commit
 * @param open the calls that the store has from before, as it has them
 * @throws TypeError where something of it is no JSON
 */
export function encodeCalls(
  changed: ReadonlyMap<string, CallRecord>,
  open: ReadonlyMap<string, CallRecord>,
): string | undefined {
  const stored: StoredCall[] = [];
  for (const [callId, call] of changed) {
    const before = open.get(callId);
    const one = before === undefined ? openPart(call) : patchOf(openPart(before), openPart(call));
    if (one !== undefined) stored.push(one);
  }
  return stored.length === 0 ? undefined : JSON.stringify(stored);
}

/** What is in quarantine has a place of its own. */
function openPart(call: CallRecord): CallRecord {
  if (call.quarantine === undefined) return call;
  const { quarantine: _secret, ...open } = call;
  return open;
}

const unsettled: ReadonlySet<CallRecord["status"]> = new Set<CallRecord["status"]>([
  "proposed",
  "approved",
  "started",
  "waiting",
  "in_review",
]);

/** Whether a call has not ended. The opposite of core's `isSettled`, which the writer's thread does not load. */
export function isUnsettled(status: CallRecord["status"]): boolean {
  return unsettled.has(status);
}

/** Whether a call's outcome is unknown and no user has set it yet. */
export function isOutcomeUnknown({ status, found }: Pick<CallRecord, "status" | "found">): boolean {
  return status === "outcome_unknown" && found === undefined;
}
