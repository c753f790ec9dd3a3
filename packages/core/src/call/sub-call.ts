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

/** The interface of a running call for its sub-calls. */
export interface ParentCall {
  readonly parent: ParentCall | undefined;
  readonly children: Set<ActiveCall>;
  readonly ticket: Ticket | undefined;
  /** Resolves when its tool has ended; undefined if it has already. */
  readonly toolEnd: Promise<void> | undefined;
  pauseDeadline(): void;
  resumeDeadline(): void;
}

/**
 * The effects of a sub-call on its ancestors. While it waits for an answer, their deadlines are
 * paused, and they release their locks if they have no other running work.
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

  /**
   * Resolves when the ancestors hold their locks again, or the parent no longer needs them. Returns
   * undefined if they already hold them.
   */
  resume(): Promise<void> | undefined {
    const resumed = this.#handle.resume();
    const { toolEnd } = this.#parent;
    if (resumed === undefined || toolEnd === undefined) {
      this.#resumeDeadlines();
      return undefined;
    }
    this.#pauseDeadlines();
    return Promise.race([resumed, toolEnd]).then(() => this.#resumeDeadlines());
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

/**
 * Returns the request of a call's sub-call with the number `made`. It has the same user and round
 * as its parent.
 */
export function subCallRequest(
  { callId: parentCallId, round, idempotencyKey, principalId, hidden }: CallRecord,
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
    // Sub-calls would reveal a hidden parent.
    hides: hidden === true ? () => true : undefined,
  };
}

/**
 * Returns an error if a sub-call is nested too deeply, exceeds its parent's limit on calls, or
 * calls a tool that is not offered.
 *
 * @param call.caller the tool that makes the call, `group.Tool`
 */
export function subCallRefusal(
  { gate, offer }: Pick<CallSetup, "gate" | "offer">,
  call: {
    readonly depth: number;
    readonly made: number;
    readonly name: string;
    readonly caller: string;
  },
): ToolErrorData | undefined {
  const { limits } = gate;
  const { depth, made, name, caller } = call;
  if (depth > limits.subCallDepth) {
    const message = `Calls can be nested at most ${limits.subCallDepth} deep; this one would be deeper.`;
    return { code: "too_deep", message };
  }
  if (made > limits.subCalls) {
    const message = `A call can make at most ${limits.subCalls} calls; this would be one more.`;
    return { code: "too_many_calls", message };
  }
  if (offer === undefined) return undefined;
  const found = findTool(gate, name);
  if (found.status === "not_found") return undefined;
  const { id, tool, group } = found.registered;
  if (Object.values(offer().names).includes(id)) return undefined;
  if (tool.asksUser === true && caller.startsWith(`${group.name}.`)) return undefined;
  const message = `This request does not offer ${id}, so its tools cannot call it either. Offer its group with the request.`;
  return { code: "tool_not_offered", message };
}

/** Returns the result of a sub-call. It is never pending: its parent waits for the user. */
export function subCallResult(end: CallEnd): SettledToolResult {
  if (end.status === "settled") return end.result;
  throw end.status === "broken"
    ? end.thrown
    : new TypeError(`${end.pending.record.name} was suspended.`);
}
