import type { CallRecord } from "../../call/record/call-record.ts";
import type { Message } from "../../model/message.ts";
import type { Grant } from "../../policy/grant.ts";
import type { VariableChange, Variable } from "../../variables/variable.ts";
import type { ChainEvent } from "./chain-event.ts";
import type { ChainResultRecord, ChainState, RoundUsage } from "./chain-result.ts";
import { addUsage, noUsage } from "../../model/usage.ts";
import type { Ledger } from "../../call/record/ledger.ts";

/**
 * A write to the journal, as data. All writes of one commit are stored, or none. A host can add its
 * own events.
 */
export type JournalWrite<Event = ChainEvent> =
  | { readonly type: "event"; readonly event: Event }
  /** A finished message of the turn: the model's message, or a call's result. */
  | { readonly type: "message"; readonly round: number; readonly message: Message }
  /** A call's new state; replaces the row with its `callId`. */
  | { readonly type: "call"; readonly call: CallRecord }
  | { readonly type: "variable"; readonly change: VariableChange }
  | { readonly type: "grant"; readonly grant: Grant }
  /** The chain stops after this write: it waits, or has ended. */
  | { readonly type: "result"; readonly result: ChainResultRecord };

/** `fenced`: another process owns the chain now, and nothing was written. */
export type CommitOutcome =
  | { readonly status: "committed" }
  | { readonly status: "fenced"; readonly reason: string };

/**
 * Stores the writes of a chain before their events are published: in memory in an array, in the
 * server in a database. Commits are stored in the order in which they were made. Callers may await
 * each commit, or start several and await the last one.
 */
export interface Journal {
  commit(writes: readonly JournalWrite[]): CommitOutcome | Promise<CommitOutcome>;
  /**
   * Calls `commit` once, right before the journal's next write. The chain collects its writes until
   * then, and makes one commit in the callback. A journal without this method gets each write
   * immediately.
   */
  beforeNext?(commit: () => void): void;
}

/** A running chain writes more often: a longer or negative gap means that the clock was set. */
const longestGapMs = 60 * 60 * 1_000;

/**
 * Returns the state of a chain after these writes, for `resumeToolChain`, regardless of how the
 * chain stopped. Pass only complete commits, in their order.
 *
 * @example const state = chainStateOf(rows.flatMap((row) => JSON.parse(row.writes)));
 */
export function chainStateOf(writes: Iterable<JournalWrite>): ChainState {
  const messages: { readonly round: number; readonly message: Message }[] = [];
  const calls = new Map<string, CallRecord>();
  const rounds: RoundUsage[] = [];
  let round = 0;
  let startTime = 0;
  let elapsed = 0;
  let since: number | undefined;
  /** Whether the last text belongs to a model step or a final tool that did not end. */
  const isCut = () => {
    const last = messages.at(-1);
    if (last?.message.role !== "assistant" || last.message.tool_calls !== undefined) return false;
    const before = messages.at(-2);
    const ofFinalTool = before?.message.role === "assistant" && before.round === last.round;
    return last.round > round || ofFinalTool;
  };
  for (const write of writes) {
    if (write.type === "message") messages.push(write);
    if (write.type === "call") calls.set(write.call.callId, write.call);
    if (write.type !== "event") continue;
    const { event } = write;
    if (event.type === "chain.started") startTime = event.at;
    if (event.type === "chain.resumed" && isCut()) messages.pop();
    if (event.type === "round.ended") {
      round = Math.max(round, event.round);
      rounds.push({ round: event.round, usage: event.usage });
    }
    if (!("at" in event)) continue;
    if (event.type === "chain.started" || event.type === "chain.resumed") since = event.at;
    else if (since !== undefined) {
      elapsed += Math.min(Math.max(0, event.at - since), longestGapMs);
      since = event.at;
    }
  }
  return {
    round,
    messages: messages.map(({ message }) => message),
    calls: [...calls.values()],
    usage: rounds.reduce((sum, { usage }) => addUsage(sum, usage), noUsage),
    startTime,
    elapsed,
    usageByRound: rounds,
    ...(isCut() && { cut: true }),
  };
}

/**
 * A journal in memory, and an example for custom journals: they store each commit's writes
 * together, in order. Its content is plain JSON.
 *
 * @example
 * const journal = new MemoryJournal();
 * await runToolChain({ ...options, journal }).result;
 * journal.state(); // resumes the chain, wherever it stopped
 */
export class MemoryJournal implements Journal {
  readonly writes: JournalWrite[] = [];

  commit(writes: readonly JournalWrite[]): CommitOutcome {
    this.writes.push(...writes);
    return { status: "committed" };
  }

  state(): ChainState {
    return chainStateOf(this.writes);
  }

  /** Returns the variables, for `VariableSystem.restore`. */
  variables(): readonly Variable[] {
    const kept = new Map<string, Variable>();
    for (const write of this.writes) {
      if (write.type !== "variable") continue;
      const { change } = write;
      const name = change.type === "set" ? change.variable.name : change.name;
      kept.delete(name);
      if (change.type === "set") kept.set(name, change.variable);
    }
    return [...kept.values()];
  }

  grants(): readonly Grant[] {
    return this.writes.flatMap((write) => (write.type === "grant" ? [write.grant] : []));
  }
}

/**
 * Returns a journal that stores only the states of calls, in a ledger. Use it for a chain that is
 * never resumed.
 *
 * @example runToolChain({ ...options, journal: ledgerJournal(ledger) })
 */
export function ledgerJournal(ledger: Ledger): Journal {
  return {
    async commit(writes) {
      for (const write of writes) if (write.type === "call") await ledger.record(write.call);
      return { status: "committed" };
    },
  };
}
