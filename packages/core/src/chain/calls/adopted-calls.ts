import type { CallRecord } from "../../call/record/call-record.ts";
import { isSettled } from "../../call/record/call-status.ts";
import type { ToolExecutor } from "../../call/tool-executor.ts";
import type { ChainError } from "../journal/chain-result.ts";

/** Calls that are remembered; the oldest is forgotten first. */
const remembered = 10_000;

/** Keys of calls that a chain took up from a state: it runs them, or has. */
const taken = new WeakMap<ToolExecutor, Set<string>>();

/**
 * Takes the open calls of a state for one chain, so that a second one that is given the same state
 * does not run them again. Holds for an executor; where the state goes to other processes, a
 * journal that refuses the second writer is what keeps them apart.
 *
 * @returns why they cannot be had: another chain took them
 */
export function takeUp(
  executor: ToolExecutor,
  calls: readonly CallRecord[],
): ChainError | undefined {
  const open = calls.filter(({ status }) => !isSettled(status));
  const keys = taken.get(executor) ?? new Set();
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
  taken.set(executor, keys);
  return undefined;
}

/** The chain has stopped: what it left open may be taken up again, from its own state. */
export function letGo(executor: ToolExecutor, calls: Iterable<CallRecord>): void {
  const keys = taken.get(executor);
  if (keys === undefined) return;
  for (const { idempotencyKey, status } of calls)
    if (!isSettled(status)) keys.delete(idempotencyKey);
}
