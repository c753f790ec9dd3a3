import type { CallRecord } from "../../call/record/call-record.ts";
import { isSettled } from "../../call/record/call-status.ts";
import type { ToolExecutor } from "../../call/tool-executor.ts";
import type { ChainError } from "../journal/chain-result.ts";

/** Calls that are remembered; the oldest is forgotten first. */
const remembered = 10_000;

/** Idempotency keys of the calls that a chain has resumed, by executor. */
const reserved = new WeakMap<ToolExecutor, Set<string>>();

/**
 * Reserves the open calls of a state for one chain, so that a second chain that gets the same state
 * does not run them again. A reservation holds within one executor; between processes, a journal that
 * rejects the second writer keeps the chains apart.
 *
 * @returns an error if another chain has reserved one of them
 */
export function reserveCalls(
  executor: ToolExecutor,
  calls: readonly CallRecord[],
): ChainError | undefined {
  const open = calls.filter(({ status }) => !isSettled(status));
  const keys = reserved.get(executor) ?? new Set();
  const other = open.find(({ idempotencyKey }) => keys.has(idempotencyKey));
  if (other !== undefined) {
    const message = `The call ${other.callId} of this state was taken up already, and is not run twice. Carry on from the state in the result of the chain that took it up.`;
    return { code: "already_resumed", message, phase: "chain" };
  }
  for (const { idempotencyKey } of open) keys.add(idempotencyKey);
  for (const key of keys) {
    if (keys.size <= remembered) break;
    keys.delete(key);
  }
  reserved.set(executor, keys);
  return undefined;
}

/** Releases the calls that a stopped chain left open: its state may be resumed again. */
export function releaseCalls(executor: ToolExecutor, calls: Iterable<CallRecord>): void {
  const keys = reserved.get(executor);
  if (keys === undefined) return;
  for (const { idempotencyKey, status } of calls)
    if (!isSettled(status)) keys.delete(idempotencyKey);
}
