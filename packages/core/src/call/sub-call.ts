import type { JsonObject } from "../base/json.ts";
import { newId } from "../base/id.ts";
import type { ToolErrorData } from "../base/errors.ts";
import type { ToolContext } from "../tool/tool-context.ts";
import { findTool } from "../tool/registry.ts";
import type { CallEnd, CallSetup } from "./call-setup.ts";
import type { SettledToolResult } from "../tool/tool-result.ts";
import type { ActiveCall } from "./gate/call-host.ts";
import type { CallRequest } from "./propose/propose.ts";
import type { CallRecord } from "./record/call-record.ts";
import type { Scheduler, SubCallHandle } from "./schedule/scheduler.ts";
import type { Ticket } from "./schedule/locks.ts";

/** A running call, as its sub-calls see it. */
export interface ParentCall {
  readonly parent: ParentCall | undefined;
  readonly children: Set<ActiveCall>;
  readonly ticket: Ticket | undefined;
  /** Resolves when its tool has ended; undefined if it has. */
  readonly over: Promise<void> | undefined;
  pauseDeadline(): void;
  resumeDeadline(): void;
}

/**
 * What a sub-call takes from its ancestors. While it waits for an answer, their deadlines are paused,
 * and they give up their locks if nothing else goes on in them.
 */
export class SubCallShare {
  readonly #parent: ParentCall;
  readonly #handle: SubCallHandle;
  #pausesDeadlines = false;

  constructor(parent: ParentCall, scheduler: Scheduler) {
    if (parent.ticket === undefined) throw new TypeError("Only a running call can call tools.");
    this.#parent = parent;
    this.#handle = scheduler.openSubCall(parent.ticket);
  }

  wait(): void {
    this.#handle.wait();
    this.#pauseDeadlines();
  }

  /** Resolves when the ancestors hold their locks again, or the parent needs them no longer; undefined if they hold them. */
  resume(): Promise<void> | undefined {
    const resumed = this.#handle.resume();
    const { over } = this.#parent;
    if (resumed === undefined || over === undefined) {
      this.#resumeDeadlines();
      return undefined;
    }
    this.#pauseDeadlines();
    return Promise.race([resumed, over]).then(() => this.#resumeDeadlines());
  }

  close(): void {
    this.#resumeDeadlines();
    this.#handle.close();
  }

  #pauseDeadlines(): void {
    if (this.#pausesDeadlines) return;
    this.#pausesDeadlines = true;
    for (let at: ParentCall | undefined = this.#parent; at !== undefined; at = at.parent)
      at.pauseDeadline();
  }

  #resumeDeadlines(): void {
    if (!this.#pausesDeadlines) return;
    this.#pausesDeadlines = false;
    for (let at: ParentCall | undefined = this.#parent; at !== undefined; at = at.parent)
      at.resumeDeadline();
  }
}

/** The request of a call that another call makes, the `made`th of it: for the same user, in the same round. */
export function subCallRequest(
  { callId: parentCallId, round, idempotencyKey, principalId }: CallRecord,
  made: number,
  [name, args, { references = false } = {}]: Parameters<ToolContext["callTool"]>,
  requireApproval: CallRequest["requireApproval"],
): CallRequest {
  return {
    callId: newId("call_"),
    name,
    args: args as JsonObject,
    round,
    idempotencyKey: `${idempotencyKey}/${made}`,
    parentCallId,
    references,
    requireApproval,
    principalId,
  };
}

/** Returns an error if a sub-call would be nested too deep, is one too many of its parent, or its tool is not offered. */
export function subCallRefusal(
  { gate, offer }: Pick<CallSetup, "gate" | "offer">,
  { depth, made, name }: { readonly depth: number; readonly made: number; readonly name: string },
): ToolErrorData | undefined {
  const { limits } = gate;
  if (depth > limits.subCallDepth) {
    const message = `Calls may be nested ${limits.subCallDepth} deep; this one would be deeper.`;
    return { code: "too_deep", message };
  }
  if (made > limits.subCalls) {
    const message = `A call may make ${limits.subCalls} calls; this would be one more.`;
    return { code: "too_many_calls", message };
  }
  if (offer === undefined) return undefined;
  const found = findTool(gate, name);
  if (found.status === "not_found") return undefined;
  const { id } = found.registered;
  if (Object.values(offer().names).includes(id)) return undefined;
  const message = `This request does not offer ${id}, so its tools cannot call it either. Offer its group with the request.`;
  return { code: "tool_not_offered", message };
}

/** Returns the result of a sub-call. It never stays pending: its parent waits for a user in its place. */
export function subCallResult(end: CallEnd): SettledToolResult {
  if (end.status === "settled") return end.result;
  throw end.status === "broken"
    ? end.thrown
    : new TypeError(`${end.pending.record.name} was suspended.`);
}
