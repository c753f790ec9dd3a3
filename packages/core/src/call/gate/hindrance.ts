import type { JsonObject } from "../../base/json.ts";
import { type Denier, forbids } from "../../policy/decide.ts";
import { definitionDigest, type RegisteredTool } from "../../tool/registry.ts";
import type { CallRecord } from "../record/call-record.ts";
import { isOn } from "./find-tool.ts";
import type { Gate } from "./gate.ts";
import { rejected, unsettledResult } from "./unsettled-result.ts";
import type { Settled } from "../record/settled.ts";

/** What has come between a call's approval and its start. */
export type Hindrance =
  | { readonly type: "gone" }
  | { readonly type: "switched_off" }
  | { readonly type: "forbidden"; readonly by: Denier; readonly reason: string };

/** The tool of a call as it is registered now; undefined where it is gone, or is defined otherwise. */
export function presentTool(gate: Gate, registered: RegisteredTool): RegisteredTool | undefined {
  const present = gate.registry.tool(registered.id);
  if (present === undefined || present === registered) return present;
  const isSame = definitionDigest(present.tool) === definitionDigest(registered.tool);
  return isSame ? present : undefined;
}

/**
 * Why an approved call may not start after all: switches and rules are those of now, not of when
 * somebody was asked, and a person's word lifts none of them.
 */
export function hindranceTo(
  gate: Gate,
  registered: RegisteredTool,
  args: JsonObject,
): Hindrance | undefined {
  if (!isOn(gate, registered)) return { type: "switched_off" };
  const denial = forbids({ registered, args, rules: gate.rules, overrides: gate.overrides() });
  return denial === undefined ? undefined : { type: "forbidden", ...denial };
}

/** Why a call whose turn has come is not begun, in words. */
export function hindranceText(hindrance: Hindrance): string {
  return hindrance.type === "forbidden"
    ? `it was forbidden while it waited for its turn: ${hindrance.reason}`
    : "it was switched off while it waited for its turn";
}

export function hindered(gate: Gate, record: CallRecord, hindrance: Hindrance): Settled {
  if (hindrance.type === "gone") {
    const message = `${record.name} was taken away or changed meanwhile. Look at the tools there are now.`;
    const error = { code: "tool_not_found", message };
    return unsettledResult(gate, record, { status: "not_found", error });
  }
  if (hindrance.type === "switched_off") {
    const message = `${record.name} was switched off meanwhile. Do without it.`;
    const error = { code: "tool_disabled", message };
    return unsettledResult(gate, record, { status: "not_found", error });
  }
  const { by, reason } = hindrance;
  const decision = { verdict: "refused", by, reason } as const;
  return rejected(gate, { ...record, decision, decidedAt: gate.clock.now() }, reason);
}
