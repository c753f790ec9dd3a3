import type { CallRecord } from "@capstan/core";
import { patchOf, type StoredCall } from "./stored-calls.ts";
import type { CallWrite } from "../records/store-writes.ts";

/**
 * What a commit changes of calls as JSON, each once, however often the chain said something of it;
 * undefined where all is as it was.
 *
 * @throws TypeError where something of it is no JSON
 */
export function encodeCalls(writes: readonly CallWrite[]): string | undefined {
  const last = new Map<string, CallWrite>();
  for (const { call, before } of writes) {
    const known = last.get(call.callId);
    last.set(call.callId, { type: "call", call, before: known ? known.before : before });
  }
  const stored: StoredCall[] = [];
  for (const { call, before } of last.values()) {
    const changed = storedCall(call, before);
    if (changed !== undefined) stored.push(changed);
  }
  return stored.length === 0 ? undefined : JSON.stringify(stored);
}

function storedCall(call: CallRecord, before: CallRecord | undefined): StoredCall | undefined {
  return before === undefined ? openPart(call) : patchOf(openPart(before), openPart(call));
}

/** What is in quarantine has a place of its own. */
function openPart(call: CallRecord): CallRecord {
  if (call.quarantine === undefined) return call;
  const { quarantine: _secret, ...open } = call;
  return open;
}
