import { loadSchemaChecks } from "../../arguments/schema-checks.ts";
import { cutsOff, markIncomplete } from "../../model/incomplete-calls.ts";
import type { ToolCallRequest } from "../../model/message.ts";
import { type ChainEnding, emptyAnswer, loopError, stopped } from "./chain-ending.ts";
import { limitsProblem } from "../limits/chain-limits.ts";
import { chainReport } from "./chain-report.ts";
import type { JournalWrite } from "../journal/journal.ts";
import {
  releaseCalls,
  reserveCalls,
  reserveResultNames,
  resumeCalls,
} from "../calls/resume-calls.ts";
import type { ToolChainResult } from "../options/tool-chain-result.ts";
import { type Chain, callName } from "./chain.ts";
import { askModel } from "./ask-model.ts";
import { runRound, proposeCalls, runCalls } from "./run-round.ts";
import { neutralise } from "../../text/neutralise.ts";
import type { ChainResume, FirstResponse } from "../options/tool-chain-options.ts";
import { noUsage } from "../../model/usage.ts";

/** Runs a chain until it ends or waits. Never rejects. */
export async function runChain(chain: Chain): Promise<ToolChainResult> {
  using _watched = chain.watchSignals();
  const disarm = chain.budget.onTimeOver(() => chain.calls.stopRunning("the turn's time is over"));
  let ended: ChainEnding;
  try {
    ended = await loop(chain);
  } catch (thrown) {
    chain.calls.cancelAll("the loop failed");
    await chain.calls.idle();
    ended = { status: "error", error: loopError(thrown) };
  } finally {
    disarm();
  }
  chain.isOver = true;
  return await endChain(chain, ended);
}

async function loop(chain: Chain): Promise<ChainEnding> {
  const { executor, model, resume, inputMessages = [], firstResponse } = chain.options;
  // The caller gets the chain before its first event.
  await loadSchemaChecks();
  const at = executor.gate.clock.now();
  if (resume === undefined || resume.adopted === true) {
    chain.recorder.appendEvent({ type: "chain.started", at, model: model.id });
  } else {
    chain.recorder.appendEvent({ type: "chain.resumed", at });
    // Commit first: if the chain crashes its process again, the interruption must already be
    // counted.
    if (resume.waited !== true) await chain.recorder.committed();
  }
  const problem = chain.options.refusal ?? limitsProblem(chain.options, model);
  if (problem !== undefined) return { status: "error", error: problem };
  if (resume !== undefined) {
    const ending = await resumeChain(chain, resume);
    if (ending !== undefined) return ending;
    const finalMessage = chain.finalMessage();
    if (finalMessage !== undefined && inputMessages.length === 0) return { status: "completed" };
    if (finalMessage !== undefined) chain.turn.addMessage(finalMessage);
    // Only a later turn asks the model again: this one ended with the incomplete call.
    if (resume.adopted !== true && hasIncompleteCall(chain.turn.lastRequests()))
      return { status: "completed" };
    // The earlier process may have ended between the answer and the commit of the chain's end.
    if (chain.turn.isAnswered && inputMessages.length === 0) return { status: "completed" };
  }
  chain.turn.addInput(inputMessages);
  if (firstResponse !== undefined) {
    const ending = await continueFrom(chain, firstResponse);
    if (ending !== undefined) return ending;
    if (chain.finalMessage() !== undefined || hasIncompleteCall(chain.turn.lastRequests()))
      return { status: "completed" };
  }

  let again = false;
  for (;;) {
    const ended = chain.stopped();
    if (ended !== undefined) return ended;
    const offer = chain.offer();
    const rounds = chain.turn.round - chain.roundsBefore;
    const limit = chain.budget.reached(rounds, chain.turn.usage, offer.clientNames.size > 0);
    const step = await askModel(chain, { offer, limit, again });
    if ("status" in step) return step;
    const requests = step.tool_calls ?? [];
    if (requests.length > 0) {
      const now = limit ?? chain.budget.reached(0, chain.turn.usage);
      const waits = await runRound(chain, requests, offer, now);
      if (waits !== undefined) return waits;
      if (chain.finalMessage() !== undefined || hasIncompleteCall(requests))
        return { status: "completed" };
    }
    if (requests.length === 0 || limit !== undefined) {
      if (step.content.trim() !== "") return { status: "completed" };
      if (again || cutsOff(chain.turn.finishReason)) return emptyAnswer(chain.turn.finishReason);
    }
    // Tool calls are an answer too, so the next empty answer is retried again.
    again = requests.length === 0 || limit !== undefined;
  }
}

async function endChain(chain: Chain, ending: ChainEnding): Promise<ToolChainResult> {
  const lastWrites: JournalWrite[] = [];
  if (ending.status !== "requires_action") {
    chain.calls.cancelAll("the turn ended");
    await chain.calls.idle();
    // If the turn was stopped, the part of the answer that was already shown is its answer.
    const cut = ending.status !== "completed";
    const message = chain.finalMessage(cut);
    if (message !== undefined) lastWrites.push(chain.turn.append(message, cut));
  }
  const { record, event, result } = chainReport(chain, ending);
  chain.recorder.append([
    ...lastWrites,
    ...(chain.options.journal === undefined ? [] : [{ type: "result", result: record() } as const]),
    { type: "event", event },
  ]);
  const written = await chain.recorder.committed();
  chain.recorder.close();
  if (chain.hasReservedCalls) releaseCalls(chain.options.executor, chain.calls.records.values());
  if (written || chain.failure === undefined) return result;
  return { ...result, status: "error", error: chain.failure };
}

/** Whether a limit or a filter ended the answer in one of these calls. */
function hasIncompleteCall(requests: readonly ToolCallRequest[]): boolean {
  return requests.some(({ incomplete }) => incomplete === true);
}

/** Resumes a stopped chain. Returns its ending if it does not continue. */
async function resumeChain(chain: Chain, resume: ChainResume): Promise<ChainEnding | undefined> {
  const { executor, journal } = chain.options;
  // With a journal, the journal decides which process resumes a chain.
  const taken = journal === undefined ? reserveCalls(executor, resume.state.calls) : undefined;
  if (taken !== undefined) return { status: "error", error: taken };
  chain.hasReservedCalls = true;
  chain.budget.restore(resume.state.calls);
  if (resume.close === undefined) chain.turn.dropCutOff(resume.state);
  const { close } = resume;
  const requests = chain.turn.lastRequests();
  const open = new Set(requests.map(({ id }) => id));
  chain.budget.restoreFailures(resume.state.calls.filter(({ callId }) => !open.has(callId)));
  // A call that was never proposed never ran, so it can be proposed now. Names are reserved before
  // any call runs.
  reserveResultNames(executor, resume.state.calls);
  const limit = chain.budget.reached(0, chain.turn.usage);
  const proposed = await proposeCalls(chain, requests, { offer: chain.offer(), limit, close });
  const problems = resumeCalls({
    executor,
    calls: chain.calls,
    recorder: chain.recorder,
    resume,
  });
  for (const problem of problems) chain.listeners.report(problem);
  const waits = await runCalls(chain, requests, proposed);
  if (close === undefined) return waits;
  return stopped(close);
}

/**
 * Continues from an answer that the caller requested from the model: it is this turn's first round.
 */
async function continueFrom(
  chain: Chain,
  { message, usage: given = noUsage, finishReason = "tool_calls" }: FirstResponse,
): Promise<ChainEnding | undefined> {
  const { executor, contextMessages } = chain.options;
  const { clock } = executor.gate;
  chain.turn.beginRound(clock);
  const calls: readonly ToolCallRequest[] = (message.tool_calls ?? []).map(
    ({ id, function: called, ...more }) => ({
      ...more,
      id: chain.ids.call(id),
      function: { ...called, name: callName(called.name) },
    }),
  );
  const requests = cutsOff(finishReason) ? markIncomplete(calls) : calls;
  const content = neutralise(message.content);
  const safe = { ...message, content, ...(requests.length > 0 && { tool_calls: requests }) };
  const usage = chain.budget.usageOf({ usage: given, message: safe }, contextMessages, []);
  chain.turn.finishRound({ message: safe, usage, finishReason }, clock);
  if (requests.length === 0 && message.content.trim() !== "") return { status: "completed" };
  const limit = chain.budget.reached(0, chain.turn.usage);
  return runRound(chain, requests, chain.offer(), limit);
}
