import type { Message } from "@capstan/core";
import type { RunRecord } from "@capstan/store";
import { findAnsweredRun, type HistoryScope } from "./find-answered-run.ts";
import { findSession } from "./find-session.ts";
import {
  HistoryError,
  type HistoryItem,
  type HistoryProblem,
  isFromModel,
  type ResolvedItem,
  type StatedOutput,
} from "./history-item.ts";
import { itemMessages } from "./item-messages.ts";
import {
  isRepeatedOutput,
  markApprovals,
  markCalls,
  markMessages,
  markOutputs,
  type StatedAnswer,
  unknownCall,
  type Use,
} from "./mark-items.ts";
import { pairOutputs, type PairedOutputs } from "./pair-outputs.ts";
import {
  messageKey,
  openApprovalsOf,
  openCallsOf,
  type ParentHistory,
  readParentHistory,
} from "./parent-history.ts";
import { type LookUpItems, resolveReferences } from "./resolve-references.ts";
import type { SessionMark } from "./session-marks.ts";

/** The history of a request after the merge. */
export interface MergedHistory<Source> {
  readonly status: "merged";
  /** The run that the new run continues, whose history precedes `messages`. */
  readonly parent: RunRecord | undefined;
  /** Whether the parent, or the run of the session, is stored and the new run is not. */
  readonly crosses: boolean;
  /**
   * Without a parent: the run whose session the new run continues, with its variables and grants.
   */
  readonly session?: RunRecord | undefined;
  /** The messages that the request adds to the parent's history. */
  readonly messages: readonly Message[];
  /** Outputs of the parent's open calls. */
  readonly outputs: readonly StatedOutput[];
  readonly answers: readonly StatedAnswer[];
  /** The items that the request adds, outputs and answers included. */
  readonly items: readonly HistoryItem<Source>[];
}

interface MergeOptions<Source> extends HistoryScope {
  readonly items: readonly HistoryItem<Source>[];
  /** The parent that the request names. */
  readonly parent: RunRecord | undefined;
  readonly lookUp: LookUpItems<Source>;
  /**
   * The marks by which the request names its session. @default the session is not searched
   */
  readonly sessionMarks?: readonly SessionMark[];
}

/**
 * Merges the history that a request states with the stored one. Clients name the parent, refer to
 * items, send all items, or mix these and repeat some; each way to state a history gives the same
 * messages.
 *
 * A request that names no parent and answers nothing continues the run whose history it repeats as a
 * whole, if its session is known (`findSession`).
 *
 * The items of the parent come first. Items that repeat them are dropped: items of the same id, and
 * calls and outputs of the same call id. A message of the same text is dropped, too, if such an
 * item follows it. The others follow in the client's order. Outputs and answers to approvals go to
 * the parent's open calls.
 */
export async function mergeHistory<Source>(
  options: MergeOptions<Source>,
): Promise<
  MergedHistory<Source> | { readonly status: "invalid"; readonly problem: HistoryProblem }
> {
  try {
    return await merge(options);
  } catch (thrown) {
    if (thrown instanceof HistoryError) return { status: "invalid", problem: thrown.problem };
    throw thrown;
  }
}

async function merge<Source>(options: MergeOptions<Source>): Promise<MergedHistory<Source>> {
  const { stores, isDurable, parent: named, sessionMarks: marks } = options;
  const items = await resolveReferences(options.items, options.lookUp);
  const pairs = pairOutputs(items);
  const found = named ?? (await findAnsweredRun(options, items, pairs));
  if (found !== undefined) {
    const merged = await mergeWith(options, { items, pairs, parent: found });
    if (merged !== undefined) {
      const crosses = !isDurable && stores.of(found.id) === stores.durable;
      const [answer] = merged.answers;
      if (crosses && answer !== undefined)
        throw new HistoryError({ reason: "approval_in_other_store", at: answer.at });
      return { status: "merged", parent: found, crosses, ...merged };
    }
  }
  const session =
    named === undefined && marks !== undefined
      ? await findSession(options, items, marks)
      : undefined;
  const crosses =
    session !== undefined && !isDurable && stores.of(session.run.id) === stores.durable;
  const parent = session?.restated;
  if (parent !== undefined) {
    const fresh = items.slice(items.findLastIndex(isFromModel) + 1);
    const messages = itemMessages(fresh, pairs);
    return { status: "merged", parent, crosses, messages, outputs: [], answers: [], items: fresh };
  }
  const alone = statedAlone(items, pairs);
  return { status: "merged", parent, crosses, session: session?.run, ...alone };
}

type MergedItems<Source> = Pick<
  MergedHistory<Source>,
  "messages" | "outputs" | "answers" | "items"
>;

interface Statement<Source> {
  readonly items: readonly ResolvedItem<Source>[];
  readonly pairs: PairedOutputs;
}

/** Returns the merged history of a request that states all of it. */
function statedAlone<Source>(
  items: readonly ResolvedItem<Source>[],
  pairs: PairedOutputs,
): MergedItems<Source> {
  const lastModelItem = items.findLastIndex(isFromModel);
  const kept: ResolvedItem<Source>[] = [];
  for (const [index, item] of items.entries()) {
    if (item.type === "approval_response" && index > lastModelItem)
      throw new HistoryError({ reason: "unknown_approval", at: item.at });
    if (item.type === "output" && !pairs.callOf.has(item)) {
      if (isRepeatedOutput(item, pairs)) continue;
      throw unknownCall(item);
    }
    kept.push(item);
  }
  return { messages: itemMessages(kept, pairs), outputs: [], answers: [], items: kept };
}

/**
 * Merges the history of a request with that of its parent. Returns undefined if the histories
 * differ and the request neither names the parent nor answers it.
 */
async function mergeWith<Source>(
  options: MergeOptions<Source>,
  { items, pairs, parent }: Statement<Source> & { readonly parent: RunRecord },
): Promise<MergedItems<Source> | undefined> {
  const store = options.stores.of(parent.id);
  const uses = new Map<ResolvedItem, Use>();
  const open = { calls: openCallsOf(parent), approvals: openApprovalsOf(parent) };
  const history = needsHistory(items, pairs, { parent, ...open })
    ? await readParentHistory(store, parent)
    : undefined;
  const runIds = history?.runIds ?? new Set([parent.id]);

  const openItems = markCalls(items, { uses, runIds, history, parent, openCalls: open.calls });
  const outputs = markOutputs(items, pairs, { uses, openItems, openCalls: open.calls, history });
  const answers = await markApprovals(options, items, {
    uses,
    runIds,
    parent,
    open: open.approvals,
  });
  for (const item of items)
    if (item.runId !== undefined && runIds.has(item.runId) && !uses.has(item))
      uses.set(item, "repeats");

  const anchor = items.findLastIndex((item) => uses.has(item));
  const stated = items.slice(0, anchor + 1);
  const isNeeded = answers.length > 0 || outputs.some(({ isBare }) => isBare);
  if (options.parent === undefined && !isNeeded && !agrees(stated, history, runIds))
    return undefined;
  if (history !== undefined) markMessages(stated, uses, history);

  const fresh = items.filter((item) => !uses.has(item));
  return {
    messages: itemMessages(fresh, pairs),
    outputs: outputs.map(({ output }) => output),
    answers,
    items: items.filter((item) => uses.get(item) !== "repeats"),
  };
}

/**
 * Whether the merge has to read the parent's messages. Requests with only answers and new messages
 * do not need them.
 */
function needsHistory(
  items: readonly ResolvedItem[],
  { callOf }: PairedOutputs,
  {
    parent,
    calls,
    approvals,
  }: {
    readonly parent: RunRecord;
    readonly calls: ReadonlySet<string>;
    readonly approvals: ReadonlySet<string>;
  },
): boolean {
  let isAfterMessage = false;
  for (const item of items) {
    if (item.runId !== undefined && item.runId !== parent.id) return true;
    switch (item.type) {
      case "message":
      case "reasoning":
        isAfterMessage = true;
        break;
      case "server_call":
        if (item.runId === undefined) return true;
        break;
      case "call":
        if (isAfterMessage || !calls.has(item.call.id)) return true;
        break;
      case "output":
        if (isAfterMessage || (!callOf.has(item) && !calls.has(item.output.callId))) return true;
        break;
      case "approval_request":
        if (isAfterMessage) return true;
        break;
      case "approval_response":
        if (isAfterMessage || !approvals.has(item.approvalId)) return true;
        break;
      case "hidden":
        break;
    }
  }
  return false;
}

/**
 * Whether the messages that a request states are the parent's. It must state all messages of the
 * system and the user, or none of them if it continues the turn. Some clients omit messages of the
 * model.
 */
function agrees(
  stated: readonly ResolvedItem[],
  history: ParentHistory | undefined,
  runIds: ReadonlySet<string>,
): boolean {
  const input: string[] = [];
  const known = new Set(history?.messages);
  for (const item of stated) {
    if (item.type !== "message") continue;
    const key = messageKey(item.message);
    if (item.message.role !== "assistant") input.push(key);
    else if (!known.has(key) && (item.runId === undefined || !runIds.has(item.runId))) return false;
  }
  if (input.length === 0) return true;
  const whole = history?.input ?? [];
  return input.length === whole.length && input.every((key, index) => key === whole[index]);
}
