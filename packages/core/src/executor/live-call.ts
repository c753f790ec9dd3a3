import { isReviewDue, type ReviewDecision } from "../policy/review.ts";
import type { RegisteredTool } from "../tool/registry.ts";
import { filesFor } from "../tool/tool-file.ts";
import type { CallRecord } from "./call-record.ts";
import type { Lineage, LiveCall, LiveCallOptions } from "./live-call-options.ts";
import type { Outcome } from "./outcome.ts";
import { type RunningTool, runTool } from "./run-tool.ts";
import { claimOf } from "./claim.ts";
import { settle } from "./settle.ts";
import type { Settled } from "./settled.ts";
import { speechOf } from "./speech.ts";
import { SubCalls, subCaller } from "./sub-call.ts";
import type { Ticket } from "./ticket.ts";

/**
 * The second and third segment of an approved call: waits for its turn, is written as started,
 * runs, is settled and written as settled. A call is settled exactly once, whatever happens.
 */
export function startCall(options: LiveCallOptions): LiveCall {
  const { gate, scheduler, observer, registered, checkToolResults, lineage } = options;
  const caller = options.caller ?? gate.caller;
  const args = options.record.args ?? {};
  const { callId } = options.record;
  const { promise: settled, resolve, reject } = Promise.withResolvers<Settled>();

  let record = options.record;
  let running: RunningTool | undefined;
  let ticket: Ticket | undefined;
  let begun = false;
  let stopped: string | undefined;
  const subCalls = new SubCalls();
  const unreviewed = Promise.withResolvers<ReviewDecision>();
  const isFinal = registered.tool.final === true;
  const speech = speechOf({ gate, callId, observer, isFinal, isHeard: !isSecret(options) });

  const finish = async (ended: Outcome): Promise<void> => {
    // From here on it is over: what a tool that was left behind still says or calls is ignored.
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
      ask: (request) => {
        const review = async () => Promise.race([observer.review(request), unreviewed.promise]);
        return lineage === undefined ? review() : lineage.waits(review);
      },
    });
    const result = settling instanceof Promise ? await settling : settling;
    const told = observer.settled(result);
    if (told instanceof Promise) await told;
    gate.live.delete(callId);
    resolve(result);
  };

  /** Whoever records it failed: it goes no further, and lets go of what it holds. */
  const fail = (thrown: unknown): void => {
    speech.close();
    subCalls.end();
    for (const call of subCalls.open) call.cancel("the call that made it failed");
    running?.cancel("it could not be recorded");
    if (ticket !== undefined) scheduler.leave(ticket);
    gate.live.delete(callId);
    reject(thrown);
  };

  const run = async (own: Ticket): Promise<void> => {
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
    settled,
    cancel(reason) {
      if (stopped !== undefined) return;
      stopped = reason;
      unreviewed.resolve({ decision: "withhold", reason: "it was stopped before it was reviewed" });
      if (!begun) finish(cancelledOutcome(reason, false)).catch(fail);
      running?.cancel(reason);
    },
  };
  gate.live.set(callId, call);
  const entered = scheduler.enter(claimOf(registered, args), {
    start: (own) => void run(own).catch(fail),
    ...(lineage !== undefined && { parent: lineage.ticket }),
  });
  if (entered !== undefined) ticket = entered;
  else {
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
function isSecret({ gate, registered, checkToolResults = true }: LiveCallOptions): boolean {
  if (registered.tool.speaks === "hidden") return true;
  const { rules, overrides } = gate;
  return isReviewDue({ registered, isError: false, rules, overrides, checkToolResults });
}

/** What a final tool wrote is what it gives, beside its data where it has some. */
function withWords(outcome: Outcome, words: string | undefined): Outcome {
  if (words === undefined || outcome.status !== "returned") return outcome;
  return { ...outcome, words, value: outcome.value ?? words };
}

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
