import type { JsonObject } from "../../base/json.ts";
import { type DenialSource, forbids } from "../../policy/decide.ts";
import { definitionDigest, type RegisteredTool, isEnabled } from "../../tool/registry.ts";
import type { CallRecord } from "../record/call-record.ts";
import { changedVariables, type ReadVariables, readVariables } from "./bound-variables.ts";
import type { Gate } from "./gate.ts";
import { recheckPreview } from "./preview.ts";
import { rejectCall, settleWithoutResult } from "./settle-without-result.ts";
import type { SettledCall } from "../record/call-outcome.ts";

/** The reason why an approved call may not start. */
export type RecheckFailure =
  | { readonly type: "gone" }
  | { readonly type: "switched_off" }
  | { readonly type: "forbidden"; readonly by: DenialSource; readonly reason: string };

/**
 * Returns the currently registered tool of a call, or `undefined` if it was removed or its
 * definition changed.
 */
export function currentTool(gate: Gate, registered: RegisteredTool): RegisteredTool | undefined {
  const present = gate.registry.tool(registered.id);
  if (present === undefined || present === registered) return present;
  const isSame = definitionDigest(present.tool) === definitionDigest(registered.tool);
  return isSame ? present : undefined;
}

/**
 * Checks an approved call again before it starts, with the current switches and rules. Returns
 * `undefined` if it may start. A user's approval overrides neither a switch nor a rule.
 */
export function recheck(
  gate: Gate,
  registered: RegisteredTool,
  args: JsonObject,
): RecheckFailure | undefined {
  if (!isEnabled(gate, registered)) return { type: "switched_off" };
  const denial = forbids({ registered, args, rules: gate.rules, overrides: gate.overrides() });
  return denial === undefined ? undefined : { type: "forbidden", ...denial };
}

/**
 * Checks an approved call before it starts. Fails if its effect or a variable that it reads changed
 * after the approval was requested.
 *
 * @returns the variables, or `undefined` if the tool's approval requests show only arguments
 */
export function recheckShown(
  options: CheckedCall,
): ReadVariables | Promise<ReadVariables> | undefined {
  const { readsVariables, preview } = options.registered.tool.permission ?? {};
  if (preview === undefined)
    return readsVariables === undefined ? undefined : recheckVariables(options);
  return recheckPreview(options).then((error) =>
    error === undefined ? recheckVariables(options) : { status: "failed", error },
  );
}

interface CheckedCall {
  readonly gate: Gate;
  readonly registered: RegisteredTool;
  readonly args: JsonObject;
  readonly record: CallRecord;
}

/**
 * Reads the variables of an approved call before it starts. Fails if one of them changed after the
 * approval was requested.
 */
function recheckVariables(options: CheckedCall): ReadVariables | Promise<ReadVariables> {
  const { gate, registered, args, record } = options;
  const read = readVariables(gate.variables, registered.tool, args);
  return read instanceof Promise
    ? read.then((later) => checkBound(record, later))
    : checkBound(record, read);
}

function checkBound({ approval, variables }: CallRecord, read: ReadVariables): ReadVariables {
  // An approval stored by an earlier version does not cover variable contents.
  const bound = variables ?? (approval && {});
  if (read.status === "failed" || bound === undefined) return read;
  const error = changedVariables(bound, read);
  return error === undefined ? read : { status: "failed", error };
}

/** Returns the reason why a queued call may not start, for the model. */
export function recheckFailureText(failure: RecheckFailure): string {
  return failure.type === "forbidden"
    ? `it was forbidden while it was queued: ${failure.reason}`
    : "it was switched off while it was queued";
}

/** Settles a queued call that may not start. */
export function settleFailedRecheck(
  gate: Gate,
  record: CallRecord,
  failure: RecheckFailure,
): SettledCall {
  if (failure.type === "gone") {
    const message = `${record.name} was removed or changed meanwhile. Check the current tools.`;
    const error = { code: "tool_not_found", message };
    return settleWithoutResult(gate, record, { status: "not_found", error });
  }
  if (failure.type === "switched_off") {
    const message = `${record.name} was switched off meanwhile. Do without it.`;
    const error = { code: "tool_disabled", message };
    return settleWithoutResult(gate, record, { status: "not_found", error });
  }
  const { by, reason } = failure;
  const decision = { verdict: "refused", by, reason } as const;
  return rejectCall(gate, { ...record, decision, decidedAt: gate.clock.now() }, reason);
}
