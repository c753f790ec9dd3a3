import type { ChainEvent } from "@capstan/core";
import { argsText, type CallView, callView, toolIdParts, wireArguments } from "./call-item.ts";
import type { Floor } from "./floor.ts";
import { approvalItemId } from "./item-id.ts";
import { createApprovalUnit, type ServerListing } from "./notice-unit.ts";
import { createServerCallUnit, type ServerCallUnit } from "./server-call-unit.ts";

type CallEvent<T extends ChainEvent["type"]> = Extract<ChainEvent, { type: T }>;

/** The calls that the server runs, and what of them a client sees: those of the groups it declared. */
export interface ServerCalls {
  /** The model was asked: calls proposed before this come from an earlier response. */
  turnBegan(): void;
  proposed(event: CallEvent<"call.proposed">): void;
  asked(event: CallEvent<"approval.requested">): void;
  answered(event: CallEvent<"approval.answered">): void;
  started(callId: string): void;
  /** A final call's words are a message of their own. */
  speaks(callId: string, itemId: string): void;
  spoke(itemId: string, text: string): void;
  settled(event: CallEvent<"call.settled">): void;
  /** Whether the client can answer what this call waits for. */
  isAsked(callId: string): boolean;
}

interface Tracked {
  readonly call: CallView;
  readonly unit?: ServerCallUnit;
  readonly asked?: boolean;
  readonly refused?: boolean;
  /** Its tool is final, and it gave the client its message. */
  readonly answered?: boolean;
  /** It comes from an earlier response, which showed the question it waited for. */
  readonly inherited: boolean;
}

export function createServerCalls(options: {
  readonly floor: Floor;
  readonly servers: readonly ServerListing[];
  readonly approvals: "inline" | "deferred";
}): ServerCalls {
  const { floor, approvals } = options;
  const labels = new Map(options.servers.map((server) => [server.group, server.label]));
  const calls = new Map<string, Tracked>();
  /** The final calls whose words are open, by their items. */
  const speakers = new Map<string, string>();
  let hasTurnBegun = false;

  /** What a client knows the call by; undefined where it is none of its business. */
  const shown = ({ toolId, parentCallId, owner }: CallView) => {
    if (toolId === undefined || parentCallId !== undefined || owner !== "server") return undefined;
    const { group, tool } = toolIdParts(toolId);
    const label = labels.get(group);
    return label === undefined ? undefined : { label, name: tool };
  };

  const show = (tracked: Tracked): ServerCallUnit | undefined => {
    const { call } = tracked;
    const as = shown(call);
    if (as === undefined) return undefined;
    const isDeferred = approvals === "deferred" && call.approvalId !== undefined;
    const unit = createServerCallUnit({
      ...as,
      arguments: wireArguments(call),
      approvalRequestId: isDeferred ? approvalItemId(call.approvalId) : null,
    });
    floor.enter(unit);
    return unit;
  };

  /** A question that was refused or never answered is no call: its request stands for it. */
  const showEnded = (tracked: Tracked): ServerCallUnit | undefined => {
    const wasAsked = tracked.inherited || (approvals === "deferred" && tracked.refused === true);
    return wasAsked ? undefined : show(tracked);
  };

  return {
    turnBegan() {
      hasTurnBegun = true;
    },
    proposed(event) {
      calls.set(event.callId, { call: callView(event), inherited: !hasTurnBegun });
    },
    asked({ callId, approval }) {
      const tracked = calls.get(callId);
      if (tracked === undefined) return;
      const args = argsText(approval.args);
      const call: CallView = { ...tracked.call, args, approvalId: approval.id };
      const as = approvals === "deferred" ? shown(call) : undefined;
      calls.set(callId, { ...tracked, call, asked: as !== undefined });
      if (as === undefined) return;
      floor.enter(
        createApprovalUnit({
          id: approvalItemId(approval.id),
          ...as,
          arguments: wireArguments(call),
        }),
      );
    },
    answered({ callId, approvalId, decision, args }) {
      const tracked = calls.get(callId);
      if (tracked === undefined) return;
      const call: CallView = {
        ...tracked.call,
        approvalId,
        ...(args === undefined ? {} : { args: argsText(args) }),
      };
      calls.set(callId, {
        ...tracked,
        call,
        asked: false,
        refused: decision.verdict === "refused",
      });
    },
    started(callId) {
      const tracked = calls.get(callId);
      // A call that is run again after a crash has its item already.
      if (tracked === undefined || tracked.unit !== undefined || tracked.call.final === true)
        return;
      const unit = show(tracked);
      if (unit !== undefined) calls.set(callId, { ...tracked, unit });
    },
    speaks(callId, itemId) {
      speakers.set(itemId, callId);
    },
    spoke(itemId, text) {
      const callId = speakers.get(itemId);
      const tracked = callId === undefined ? undefined : calls.get(callId);
      speakers.delete(itemId);
      if (callId !== undefined && tracked !== undefined)
        calls.set(callId, { ...tracked, answered: text !== "" });
    },
    settled({ callId, status, result }) {
      const tracked = calls.get(callId);
      calls.delete(callId);
      if (tracked === undefined) return;
      // Its message is its item.
      if (tracked.answered === true && status === "success") return;
      (tracked.unit ?? showEnded(tracked))?.settle(status, result);
    },
    isAsked: (callId) => calls.get(callId)?.asked === true,
  };
}
