import { isReviewDue, type ReviewDecision } from "../policy/review.ts";
import type { RegisteredTool } from "../tool/registry.ts";
import type { ToolOutput } from "../tool/tool-context.ts";
import type { CallObserver } from "./call-observer.ts";
import type { Gate } from "./gate.ts";
import type { Lineage, LiveCall, LiveCallOptions } from "./live-call-options.ts";
import type { Outcome } from "./outcome.ts";
import { type RunningTool, runTool } from "./run-tool.ts";
import { type Claim, claimOf } from "./scheduler.ts";
import { settle } from "./settle.ts";
import type { Settled } from "./settled.ts";
import { subCaller } from "./sub-call.ts";

/**
 * The second and third segment of an approved call: waits for its turn, is written as started,
 * runs, is settled and written as settled. A call is settled exactly once, whatever happens.
 */
export function startCall(options: LiveCallOptions): LiveCall {
  const { gate, scheduler, observer, registered, checkToolResults } = options;
  const lineage = options.lineage ?? { depth: 0, held: [] };
  const args = options.record.args ?? {};
  const claim = claimFor(registered, args, lineage);
  const { promise: settled, resolve, reject } = Promise.withResolvers<Settled>();

  let record = options.record;
  let running: RunningTool | undefined;
  let holds = false;
  let stopped: string | undefined;
  const subCalls = new Set<LiveCall>();
  const unreviewed = Promise.withResolvers<ReviewDecision>();

  const finish = async (outcome: Outcome): Promise<void> => {
    if (holds) scheduler.release(claim);
    for (const subCall of subCalls) subCall.cancel("the call that made it ended");
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
    holds = true;
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
        output: isSecret(options) ? silent : outputOf(gate, record.callId, observer),
        variables: gate.variables,
        principal: gate.principal,
        idempotencyKey: record.idempotencyKey,
        callTool: subCaller({
          ...options,
          start: startCall,
          lineage: { depth: lineage.depth + 1, held: [...lineage.held, ...keysOf(claim)] },
          subCalls,
        }),
      },
    });
    const { outcome } = running;
    return finish(outcome instanceof Promise ? await outcome : outcome);
  };

  const leave = scheduler.enter(claim, () => void run().catch(reject));
  return {
    settled,
    cancel(reason) {
      if (stopped !== undefined) return;
      stopped = reason;
      unreviewed.resolve({ decision: "withhold", reason: "it was stopped before it was reviewed" });
      if (!holds) {
        leave();
        finish(cancelledOutcome(reason, false)).catch(reject);
      }
      running?.cancel(reason);
    },
  };
}

/** What comes out under review is shown to nobody before: not while it runs either. */
function isSecret({ gate, registered, checkToolResults = true }: LiveCallOptions): boolean {
  const { rules, overrides } = gate;
  return isReviewDue({ registered, isError: false, rules, overrides, checkToolResults });
}

const silent: ToolOutput = { write() {}, progress() {}, event() {} };

function cancelledOutcome(reason: string, started: boolean): Outcome {
  return { status: "cancelled", reason, started, durationMs: 0 };
}

/** A sub-call runs in its parent's slot and needs only the locks that no ancestor holds. */
function claimFor(
  registered: RegisteredTool,
  args: Readonly<Record<string, unknown>>,
  { depth, held }: Lineage,
): Claim {
  const own = claimOf(registered, args);
  if (depth === 0) return own;
  if (own.type === "all") return { type: "keys", keys: [], slot: false };
  return { type: "keys", keys: own.keys.filter((key) => !held.includes(key)), slot: false };
}

function keysOf(claim: Claim): readonly string[] {
  return claim.type === "keys" ? claim.keys : [];
}

/** Progress within this many ms of the last is not passed on. */
const progressEveryMs = 100;
const eventsACall = 1_000;

/** What a tool says is bounded: text by the gate's limit, progress by time, events by number. */
function outputOf(gate: Gate, callId: string, observer: CallObserver): ToolOutput {
  let chars = 0;
  let events = 0;
  let lastProgress = 0;
  return {
    write(text) {
      const left = gate.limits.spokenChars - chars;
      if (left <= 0 || text === "") return;
      chars += text.length;
      observer.spoke(
        callId,
        text.length <= left
          ? text
          : `${text.slice(0, left).toWellFormed()}\n[… the rest is in the result …]`,
      );
    },
    progress(progress) {
      const now = gate.clock.now();
      if (now - lastProgress < progressEveryMs) return;
      lastProgress = now;
      observer.progressed(callId, progress);
    },
    event(name, data) {
      if (++events <= eventsACall) observer.said(callId, name, data);
    },
  };
}
