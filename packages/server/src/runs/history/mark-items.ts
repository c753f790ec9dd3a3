import { isClosing, type RunRecord } from "@capstan/store";
import { findApproval, type HistoryScope } from "./find-answered-run.ts";
import {
  type ApprovalResponse,
  HistoryError,
  isFromModel,
  type ResolvedItem,
  type StatedOutput,
} from "./history-item.ts";
import type { PairedOutputs } from "./pair-outputs.ts";
import { messageKey, type ParentHistory, searchBackwards } from "./parent-history.ts";

/** The role of an item that belongs to the parent's history. All other items are new. */
export type Use = "repeats" | "answers";

/** An answer to an approval of the parent, with the item that states it. */
export interface StatedAnswer extends ApprovalResponse {
  readonly at: number;
}

/**
 * Marks the calls that repeat the parent's.
 *
 * @returns the marked calls that are still open in the parent
 */
export function markCalls(
  items: readonly ResolvedItem[],
  {
    uses,
    runIds,
    history,
    parent,
    openCalls,
  }: {
    readonly uses: Map<ResolvedItem, Use>;
    readonly runIds: ReadonlySet<string>;
    readonly history: ParentHistory | undefined;
    readonly parent: RunRecord;
    readonly openCalls: ReadonlySet<string>;
  },
): ReadonlySet<ResolvedItem> {
  const left = new Map(history?.calls ?? [...openCalls].map((callId) => [callId, 1]));
  const seen = new Set<string>();
  const openItems = new Set<ResolvedItem>();
  // Ids can be reused, and the newest calls are the last ones in both lists.
  for (const item of items.toReversed()) {
    if (item.type !== "call" && item.type !== "server_call") continue;
    const { id } = item.call;
    const count = left.get(id) ?? 0;
    if (count === 0 && (item.runId === undefined || !runIds.has(item.runId))) continue;
    left.set(id, count - 1);
    uses.set(item, "repeats");
    const isOfParent = item.runId === undefined || item.runId === parent.id;
    if (item.type !== "call" || !isOfParent || seen.has(id) || !openCalls.has(id)) continue;
    seen.add(id);
    openItems.add(item);
  }
  return openItems;
}

interface MarkedOutput {
  readonly output: StatedOutput;
  /** Whether the request does not state its call. */
  readonly isBare: boolean;
}

/** Marks outputs of the parent's calls, and returns the outputs of its open calls. */
export function markOutputs(
  items: readonly ResolvedItem[],
  pairs: PairedOutputs,
  {
    uses,
    openItems,
    openCalls,
    history,
  }: {
    readonly uses: Map<ResolvedItem, Use>;
    readonly openItems: ReadonlySet<ResolvedItem>;
    readonly openCalls: ReadonlySet<string>;
    readonly history: ParentHistory | undefined;
  },
): readonly MarkedOutput[] {
  const outputs: MarkedOutput[] = [];
  const answered = new Set<string>();
  for (const call of openItems)
    if (call.type === "call" && pairs.outputOf.has(call)) answered.add(call.call.id);
  for (const item of items) {
    if (item.type !== "output") continue;
    const { output } = item;
    const call = pairs.callOf.get(item);
    if (call !== undefined) {
      if (!uses.has(call)) continue;
      const isOpen = openItems.has(call);
      uses.set(item, isOpen ? "answers" : "repeats");
      if (isOpen) outputs.push({ output, isBare: false });
    } else if (openCalls.has(output.callId) && !answered.has(output.callId)) {
      answered.add(output.callId);
      uses.set(item, "answers");
      outputs.push({ output, isBare: true });
    } else if (isRepeatedOutput(item, pairs) || history?.calls.has(output.callId) === true) {
      uses.set(item, "repeats");
    } else throw unknownCall(item);
  }
  return outputs;
}

/**
 * Whether the request states this output twice.
 *
 * @throws HistoryError `second_output` if it states a different output of the call
 */
export function isRepeatedOutput(
  item: ResolvedItem & { readonly type: "output" },
  { earlierOutput }: PairedOutputs,
): boolean {
  const earlier = earlierOutput.get(item);
  if (earlier === undefined) return false;
  if (JSON.stringify(earlier.output) === JSON.stringify(item.output)) return true;
  const { callId } = item.output;
  throw new HistoryError({ reason: "second_output", at: item.at, callId });
}

/** Returns the error for an output without a call. */
export function unknownCall({
  at,
  output,
}: ResolvedItem & { readonly type: "output" }): HistoryError {
  return new HistoryError({ reason: "unknown_call", at, callId: output.callId });
}

/** Marks approval requests and responses of the parent's history, and returns the new answers. */
export async function markApprovals(
  scope: HistoryScope,
  items: readonly ResolvedItem[],
  {
    uses,
    runIds,
    parent,
    open,
  }: {
    readonly uses: Map<ResolvedItem, Use>;
    readonly runIds: ReadonlySet<string>;
    readonly parent: RunRecord;
    readonly open: ReadonlySet<string>;
  },
): Promise<readonly StatedAnswer[]> {
  const lastModelItem = items.findLastIndex((item) => isFromModel(item) && !uses.has(item));
  const answers = new Map<string, StatedAnswer>();
  const repeated = new Set<string>();
  for (const [index, item] of items.entries()) {
    if (item.type === "approval_request") {
      const isKnown = item.runId !== undefined && runIds.has(item.runId);
      if (!isKnown && !open.has(item.approvalId)) continue;
      uses.set(item, "repeats");
      repeated.add(item.approvalId);
    }
    if (item.type !== "approval_response") continue;
    const { approvalId, approve, reason, at } = item;
    if (!open.has(approvalId)) {
      if (repeated.has(approvalId) && isClosing(parent.status)) {
        uses.set(item, "repeats");
        continue;
      }
      const approval = await findApproval(scope, approvalId);
      const isOfParent = approval?.runId === parent.id && !isClosing(parent.status);
      if (!isOfParent) {
        if (approval !== undefined && runIds.has(approval.runId)) uses.set(item, "repeats");
        else if (index > lastModelItem) throw new HistoryError({ reason: "unknown_approval", at });
        continue;
      }
    }
    uses.set(item, "answers");
    // Of several answers to one request, a denial counts, whatever its position.
    if (!approve || !answers.has(approvalId))
      answers.set(approvalId, {
        approvalId,
        approve,
        at,
        ...(reason !== undefined && { reason }),
      });
  }
  return [...answers.values()];
}

/** Marks messages and reasoning that precede a known item and also belong to the parent. */
export function markMessages(
  stated: readonly ResolvedItem[],
  uses: Map<ResolvedItem, Use>,
  history: ParentHistory,
): void {
  const isKnown = searchBackwards(history.messages);
  for (const item of stated.toReversed()) {
    if (item.type === "reasoning") uses.set(item, "repeats");
    if (item.type !== "message") continue;
    const isRepeat = isKnown(messageKey(item.message));
    if (isRepeat) uses.set(item, "repeats");
  }
}
