import { errorMessage } from "../errors/error-message.ts";
import { type ReviewAnswer, type ReviewDecision, reviewReason } from "../policy/review.ts";
import type { RegisteredTool } from "../tool/registry.ts";
import { filesFor } from "../tool/tool-file.ts";
import type { CallRecord } from "./call-record.ts";
import type { Lineage, LiveCall, LiveCallOptions } from "./live-call-options.ts";
import type { Outcome } from "./outcome.ts";
import { type RunningTool, runTool } from "./run-tool.ts";
import { claimOf } from "./claim.ts";
import { type InReview, settleReviewed } from "./review-result.ts";
import { settle, type Settling } from "./settle.ts";
import { speechOf } from "./speech.ts";
import { SubCalls, subCaller } from "./sub-call.ts";
import type { Ticket } from "./ticket.ts";

/**
 * The second and third segment of an approved call: waits for its turn, is written as started,
 * runs, is settled and written as settled. A call is settled exactly once, whatever happens; one
 * whose result a person will see later is parked, and settled by who recorded it.
 */
export function startCall(options: LiveCallOptions): LiveCall {
  const { gate, scheduler, observer, registered, checkToolResults, lineage } = options;
  const caller = options.caller ?? gate.caller;
  const args = options.record.args ?? {};
  const { callId } = options.record;
  const { promise: settled, resolve, reject } = Promise.withResolvers<Settling>();

  let record = options.record;
  let running: RunningTool | undefined;
  let ticket: Ticket | undefined;
  let begun = false;
  let over = false;
  let stopped: string | undefined;
  const subCalls = new SubCalls();
  const unreviewed = Promise.withResolvers<ReviewDecision>();
  const isFinal = registered.tool.final === true;
  const speech = speechOf({ gate, callId, observer, isFinal, isHeard: !isSecret(options) });
  let reviewing: AbortController | undefined;

  const finish = async (ended: Outcome): Promise<void> => {
    over = true;
    // What a tool that was left behind still says or calls is ignored.
    const outcome = withWords(ended, speech.close());
    subCalls.end();
    if (subCalls.open.size > 0) await endAll(subCalls.open);
    if (ticket !== undefined) scheduler.leave(ticket);
    const settling = settle({
      gate,
      record: withTries(record, outcome),
      registered,
      outcome,
      ...(checkToolResults !== undefined && { checkToolResults }),
    });
    const end = settling.status === "in_review" ? await reviewed(settling) : settling;
    const told = end.status === "settled" ? observer.settled(end) : undefined;
    if (told instanceof Promise) await told;
    gate.live.delete(call);
    resolve(end);
  };

  /** Waits for a person, holding nothing. A call that was made by another cannot be parked: that one waits. */
  const reviewed = async (
    asked: Extract<Settling, { readonly status: "in_review" }>,
  ): Promise<Settling> => {
    const ask = async () => Promise.race([review(asked), unreviewed.promise]);
    const word = lineage === undefined ? await ask() : await lineage.waits(ask);
    if (word.decision === "pending" && lineage === undefined) return asked;
    const decision: ReviewDecision = word.decision === "pending" ? cannotWait : word;
    return { status: "settled", ...settleReviewed(gate, asked, decision) };
  };

  const review = async (asked: InReview): Promise<ReviewAnswer> => {
    reviewing = new AbortController();
    try {
      return await observer.review(asked, reviewing.signal);
    } catch (thrown) {
      const reason = `the review failed: ${errorMessage(thrown)}`;
      return { decision: "withhold", reason, by: "system" };
    }
  };

  /** Whoever records it failed: it goes no further, and lets go of what it holds. */
  const fail = (thrown: unknown): void => {
    speech.close();
    subCalls.end();
    for (const call of subCalls.open) call.cancel("the call that made it failed");
    running?.cancel("it could not be recorded");
    if (ticket !== undefined) scheduler.leave(ticket);
    gate.live.delete(call);
    reject(thrown);
  };

  const run = async (own: Ticket): Promise<void> => {
    // It was stopped by one that began in the same moment.
    if (over) return scheduler.leave(own);
    ticket = own;
    begun = true;
    record = { ...record, status: "started", startedAt: gate.clock.now() };
    const may = observer.started(record);
    const mayRun = typeof may === "boolean" ? may : await may;
    if (!mayRun) return finish(cancelledOutcome("another process carries the run on", false));
    if (stopped !== undefined) return finish(cancelledOutcome(stopped, false));
    running = runTool({
      gate,
      registered,
      args,
      context: {
        callId,
        toolId: registered.id,
        output: speech.output,
        variables: gate.variables,
        principal: caller.principal,
        request: caller.request,
        files: filesFor(caller.files, registered),
        idempotencyKey: record.idempotencyKey,
        callTool: subCaller({
          ...options,
          start: startCall,
          lineage: { depth: (lineage?.depth ?? 0) + 1, ticket: own, paused },
          subCalls,
        }),
      },
    });
    // Somebody may have stopped it for what it said at once, before it could be told.
    if (stopped !== undefined) running.cancel(stopped);
    const { outcome } = running;
    return finish(outcome instanceof Promise ? await outcome : outcome);
  };

  const paused: Lineage["paused"] = async (wait) => {
    running?.deadline?.pause();
    try {
      return await (lineage === undefined ? wait() : lineage.paused(wait));
    } finally {
      running?.deadline?.resume();
    }
  };

  const call: LiveCall = {
    callId,
    settled,
    cancel(reason) {
      if (stopped !== undefined) return;
      stopped = reason;
      unreviewed.resolve(unseen);
      reviewing?.abort();
      if (!begun) finish(cancelledOutcome(reason, false)).catch(fail);
      running?.cancel(reason);
    },
  };
  gate.live.add(call);
  const entered = scheduler.enter(claimOf(registered, args), {
    start: (own) => void run(own).catch(fail),
    ...(lineage !== undefined && { parent: lineage.ticket }),
  });
  if (entered !== undefined) {
    ticket = entered;
    if (over && entered.status === "waiting") scheduler.leave(entered);
  } else if (!over) {
    begun = true;
    finish(waitsForItself(registered)).catch(fail);
  }
  return call;
}

/** Sub-calls end before the call that made them, so that its end is the end of all it did. */
async function endAll(calls: Iterable<LiveCall>): Promise<void> {
  const ends = [...calls].map((call) => {
    call.cancel("the call that made it ended");
    return call.settled;
  });
  await Promise.allSettled(ends);
}

/** What comes out under review is shown to nobody before, not while it runs either; a hidden tool's words never. */
function isSecret({ gate, record, registered, checkToolResults = true }: LiveCallOptions): boolean {
  if (registered.tool.speaks === "hidden") return true;
  const { rules, overrides } = gate;
  const { args = {} } = record;
  const policy = { registered, args, isError: false, rules, overrides, checkToolResults };
  return reviewReason(policy) !== undefined;
}

/** What a final tool wrote is what it gives, beside its data where it has some. */
function withWords(outcome: Outcome, words: string | undefined): Outcome {
  if (words === undefined || outcome.status !== "returned") return outcome;
  return { ...outcome, words, value: outcome.value ?? words };
}

/** How a call ends that is stopped while a person looks at its result. */
export const unseen: ReviewDecision = {
  decision: "withhold",
  reason: "it was stopped before a person had seen it",
  by: "system",
};

const cannotWait: ReviewDecision = {
  decision: "withhold",
  reason: "a person must see it first, and that takes longer than the call that made it can wait",
  by: "system",
};

function cancelledOutcome(reason: string, started: boolean): Outcome {
  return { status: "cancelled", reason, started, durationMs: 0 };
}

function waitsForItself({ name }: RegisteredTool): Outcome {
  const message = `${name} was not run: it would wait for another call that waits for the one that called it. Call it again once that one has ended.`;
  const error = { code: "deadlock", message, retryable: true };
  return { status: "failed", error, durationMs: 0 };
}

/** What its row says of how it ran. */
function withTries(record: CallRecord, outcome: Outcome): CallRecord {
  const { retries } = outcome;
  const leftBehind = "leftBehind" in outcome ? outcome.leftBehind : undefined;
  if (retries === undefined && leftBehind === undefined) return record;
  return {
    ...record,
    ...(retries !== undefined && { retries }),
    ...(leftBehind !== undefined && { leftBehind }),
  };
}
