import type { CallRecord } from "@capstan/core";
import type { CallEntry } from "../records/records.ts";
import type { ToJson } from "./long-parts.ts";

/**
 * The form in which a commit stores a call: the whole record, or the changes since an earlier
 * commit of its run.
 */
export type StoredCall = CallRecord | CallPatch;

interface CallPatch {
  readonly callId: string;
  readonly changed: Partial<CallRecord>;
  /** Removed fields. */
  readonly gone?: readonly string[];
}

/** A call, and the time of its last stored change. */
type KnownCall = Pick<CallEntry, "call" | "updatedAt">;

/** The calls in a commit's row, and when it was written. */
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
 * Returns the changes to store for a call that has an earlier stored record, or undefined if
 * nothing changed. Records are immutable, so an identical object has not changed.
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
 * Returns the calls of a run after its commits, in the order of their first record.
 *
 * @param rows the rows of the run, in order
 * @example
 * const calls = foldCalls(yield* callRows(run.n)).map(({ call }) => call);
 */
export function foldCalls(rows: readonly CallsRow[]): KnownCall[] {
  const known = new Map<string, KnownCall>();
  for (const { at, calls } of rows)
    for (const stored of JSON.parse(calls) as readonly StoredCall[]) {
      const call = patched(known.get(stored.callId)?.call, stored);
      // A user's report is written outside the loop and is stored with the call's end.
      const updatedAt = Math.max(at, call.found?.at ?? at);
      known.set(stored.callId, { call, updatedAt });
    }
  return [...known.values()];
}

function patched(before: CallRecord | undefined, stored: StoredCall): CallRecord {
  if ("name" in stored) return stored;
  const { callId, changed, gone = [] } = stored;
  if (before === undefined) throw new Error(`Only a change of the call ${callId} is stored`);
  const call = { ...before, ...changed };
  for (const field of gone) Reflect.deleteProperty(call, field);
  return call;
}

/**
 * Returns a commit's changes of calls as JSON, each call once, or undefined if nothing changed.
 *
 * @param changed the calls' records at the end of the commit
 * @param open the stored records of the open calls
 * @param toJson returns the JSON of a value. @default JSON.stringify
 * @throws TypeError if a record is not JSON
 */
export function encodeCalls(
  changed: ReadonlyMap<string, CallRecord>,
  open: ReadonlyMap<string, CallRecord>,
  toJson: ToJson = JSON.stringify,
): string | undefined {
  const stored: StoredCall[] = [];
  for (const [callId, call] of changed) {
    const before = open.get(callId);
    const one = before === undefined ? openPart(call) : patchOf(openPart(before), openPart(call));
    if (one !== undefined) stored.push(one);
  }
  return stored.length === 0 ? undefined : toJson(stored);
}

/** Returns a call without its result in quarantine, which is stored elsewhere. */
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

/**
 * Returns whether a call has not ended. It is the opposite of core's `isSettled`, which the
 * writer's thread does not load.
 */
export function isUnsettled(status: CallRecord["status"]): boolean {
  return unsettled.has(status);
}

/** Returns whether a call's outcome is unknown and no user has reported it yet. */
export function isOutcomeUnknown({ status, found }: Pick<CallRecord, "status" | "found">): boolean {
  return status === "outcome_unknown" && found === undefined;
}
