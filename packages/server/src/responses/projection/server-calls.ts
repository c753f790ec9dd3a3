import type { ChainEvent } from "@capstan/core";
import {
  argsText,
  type ServerCallItem,
  serverCallItem,
  toolIdParts,
  wireArguments,
} from "./call-item.ts";
import type { OutputOrder } from "./output-order.ts";
import { approvalItemId } from "./item-id.ts";
import { createApprovalWriter, type ServerListing } from "./notice-writers.ts";
import { createServerCallWriter, type ServerCallWriter } from "./server-call-writer.ts";

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
  readonly call: ServerCallItem;
  readonly writer?: ServerCallWriter;
  readonly asked?: boolean;
  readonly refused?: boolean;
  /** Its tool is final, and it gave the client its message. */
  readonly answered?: boolean;
  /** It comes from an earlier response, which showed the question it waited for. */
  readonly inherited: boolean;
}

export function createServerCalls(options: {
  readonly outputOrder: OutputOrder;
  readonly servers: readonly ServerListing[];
  readonly approvals: "inline" | "deferred";
}): ServerCalls {
  const { outputOrder, approvals } = options;
  const labels = new Map(options.servers.map((server) => [server.group, server.label]));
  const calls = new Map<string, Tracked>();
  /** The final calls whose words are open, by their items. */
  const speakers = new Map<string, string>();
  let hasTurnBegun = false;

  /** What a client knows the call by; undefined where it is none of its business. */
  const shown = ({ toolId, parentCallId, owner }: ServerCallItem) => {
    if (toolId === undefined || parentCallId !== undefined || owner !== "server") return undefined;
    const { group, tool } = toolIdParts(toolId);
    const label = labels.get(group);
    return label === undefined ? undefined : { label, name: tool };
  };

  const show = (tracked: Tracked): ServerCallWriter | undefined => {
    const { call } = tracked;
    const as = shown(call);
    if (as === undefined) return undefined;
    const isDeferred = approvals === "deferred" && call.approvalId !== undefined;
    const writer = createServerCallWriter({
      ...as,
      arguments: wireArguments(call),
      approvalRequestId: isDeferred ? approvalItemId(call.approvalId) : null,
    });
    outputOrder.enter(writer);
    return writer;
  };

  /** A question that was refused or never answered is no call: its request stands for it. */
  const showEnded = (tracked: Tracked): ServerCallWriter | undefined => {
    const wasAsked = tracked.inherited || (approvals === "deferred" && tracked.refused === true);
    return wasAsked ? undefined : show(tracked);
  };

  return {
    turnBegan() {
      hasTurnBegun = true;
    },
    proposed(event) {
      calls.set(event.callId, { call: serverCallItem(event), inherited: !hasTurnBegun });
    },
    asked({ callId, approval }) {
      const tracked = calls.get(callId);
      if (tracked === undefined) return;
      const args = argsText(approval.args);
      const call: ServerCallItem = { ...tracked.call, args, approvalId: approval.id };
      const as = approvals === "deferred" ? shown(call) : undefined;
      calls.set(callId, { ...tracked, call, asked: as !== undefined });
      if (as === undefined) return;
      outputOrder.enter(
        createApprovalWriter({
          id: approvalItemId(approval.id),
          ...as,
          arguments: wireArguments(call),
        }),
      );
    },
    answered({ callId, approvalId, decision, args }) {
      const tracked = calls.get(callId);
      if (tracked === undefined) return;
      const call: ServerCallItem = {
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
      if (tracked === undefined || tracked.writer !== undefined || tracked.call.final === true)
        return;
      const writer = show(tracked);
      if (writer !== undefined) calls.set(callId, { ...tracked, writer });
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
      (tracked.writer ?? showEnded(tracked))?.settle(status, result);
    },
    isAsked: (callId) => calls.get(callId)?.asked === true,
  };
}
