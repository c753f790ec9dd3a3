import type { CallRecord } from "@capstan/core";
import { patchOf, type StoredCall } from "../stored-calls.ts";
import type { CallWrite } from "../store-write.ts";

/**
 * What a commit changes of calls, each once, however often the chain said something of it; nothing
 * where all is as it was.
 *
 * @throws TypeError where something of it is no JSON
 */
export function encodeCalls(writes: readonly CallWrite[]): { readonly calls?: string } {
  const last = new Map<string, CallWrite>();
  for (const { call, before } of writes) {
    const known = last.get(call.callId);
    last.set(call.callId, { type: "call", call, before: known ? known.before : before });
  }
  const stored = [...last.values()].flatMap(({ call, before }) => storedCall(call, before) ?? []);
  return stored.length === 0 ? {} : { calls: JSON.stringify(stored) };
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
