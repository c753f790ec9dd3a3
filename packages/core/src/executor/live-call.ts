import { isReviewDue, type ReviewDecision } from "../policy/review.ts";
import type { RegisteredTool } from "../tool/registry.ts";
import type { Lineage, LiveCall, LiveCallOptions } from "./live-call-options.ts";
import type { Outcome } from "./outcome.ts";
import { type RunningTool, runTool } from "./run-tool.ts";
import { type Claim, type Claimant, claimOf } from "./scheduler.ts";
import { settle } from "./settle.ts";
import type { Settled } from "./settled.ts";
import { silence, speechOf } from "./speech.ts";
import { type SubCalls, subCaller } from "./sub-call.ts";

/**
 * The second and third segment of an approved call: waits for its turn, is written as started,
 * runs, is settled and written as settled. A call is settled exactly once, whatever happens.
 */
export function startCall(options: LiveCallOptions): LiveCall {
  const { gate, scheduler, observer, registered, checkToolResults } = options;
  const lineage = options.lineage ?? { depth: 0, held: [] };
  const args = options.record.args ?? {};
  const claimant: Claimant = { parent: lineage.parent };
  const claim = claimFor(registered, args, lineage, claimant);
  const { promise: settled, resolve, reject } = Promise.withResolvers<Settled>();

  let record = options.record;
  let running: RunningTool | undefined;
  let holds = false;
  let begun = false;
  let stopped: string | undefined;
  const subCalls: SubCalls = { open: new Set(), over: false };
  const unreviewed = Promise.withResolvers<ReviewDecision>();
  const speech = isSecret(options) ? silence : speechOf(gate, options.record.callId, observer);

  /** Once: a claim that is never let go would hold up all that comes after. */
  const release = () => {
    if (!holds) return;
    holds = false;
    scheduler.release(claim);
  };
  const fail = (thrown: unknown) => {
    release();
    reject(thrown);
  };

  const finish = async (outcome: Outcome): Promise<void> => {
    // From here on it is over: what a tool that was left behind still says or calls is ignored.
    speech.close();
    subCalls.over = true;
    if (subCalls.open.size > 0) await endAll(subCalls.open);
    release();
    const ended = settle({
      gate,
      record,
      registered,
      outcome,
      ...(checkToolResults !== undefined && { checkToolResults }),
      ask: (request) => Promise.race([observer.review(request), unreviewed.promise]),
    });
    const result = ended instanceof Promise ? await ended : ended;
    await observer.settled(result);
    resolve(result);
  };

  const run = async (): Promise<void> => {
    holds = begun = true;
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
        callId: record.callId,
        toolId: registered.id,
        output: speech.output,
        variables: gate.variables,
        principal: gate.principal,
        idempotencyKey: record.idempotencyKey,
        callTool: subCaller({
          ...options,
          start: startCall,
          lineage: {
            depth: lineage.depth + 1,
            parent: claimant,
            held: [...lineage.held, ...keysOf(claim)],
          },
          subCalls,
        }),
      },
    });
    const { outcome } = running;
    return finish(outcome instanceof Promise ? await outcome : outcome);
  };

  let leave = () => {};
  if (scheduler.wouldDeadlock(claim)) {
    begun = true;
    finish(deadlock(registered.name)).catch(fail);
  } else leave = scheduler.enter(claim, () => void run().catch(fail));
  return {
    settled,
    cancel(reason) {
      if (stopped !== undefined) return;
      stopped = reason;
      unreviewed.resolve({ decision: "withhold", reason: "it was stopped before it was reviewed" });
      if (!begun) {
        leave();
        finish(cancelledOutcome(reason, false)).catch(fail);
      }
      running?.cancel(reason);
    },
  };
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

function cancelledOutcome(reason: string, started: boolean): Outcome {
  return { status: "cancelled", reason, started, durationMs: 0 };
}

/** A sub-call needs only the locks that no ancestor holds, and passes every barrier. */
function claimFor(
  registered: RegisteredTool,
  args: Readonly<Record<string, unknown>>,
  { depth, held }: Lineage,
  by: Claimant,
): Claim {
  const own = claimOf(registered, args);
  if (own.type === "all") return depth === 0 ? own : { type: "keys", keys: [], by };
  return { type: "keys", keys: own.keys.filter((key) => !held.includes(key)), by };
}

function deadlock(name: string): Outcome {
  const message = `${name} was not run: it would wait for another call that waits for the one that called it. Call it again once that one has ended.`;
  return { status: "failed", error: { code: "deadlock", message, retryable: true }, durationMs: 0 };
}

function keysOf(claim: Claim): readonly string[] {
  return claim.type === "keys" ? claim.keys : [];
}
