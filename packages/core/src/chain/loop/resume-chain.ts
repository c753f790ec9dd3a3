import { neutralise } from "../../text/neutralise.ts";
import { type ChainEnding, stopped } from "./chain-ending.ts";
import { callName, type Chain } from "./chain.ts";
import { proposeCalls, runCalls, runRound } from "./run-round.ts";
import { reserveCalls } from "../calls/call-reservations.ts";
import { reserveResultNames, resumeCalls } from "../calls/resume-calls.ts";
import type { ChainResume, FirstResponse } from "../options/tool-chain-options.ts";
import { noUsage } from "../../model/usage.ts";

/** Resumes a chain where it stopped. Returns its ending if it goes no further. */
export async function resumeChain(
  chain: Chain,
  resume: ChainResume,
): Promise<ChainEnding | undefined> {
  const { executor, journal } = chain.options;
  // A journal has its own say in who carries a chain on.
  const taken = journal === undefined ? reserveCalls(executor, resume.state.calls) : undefined;
  if (taken !== undefined) return { status: "error", error: taken };
  chain.hasReservedCalls = true;
  chain.budget.restore(resume.state.calls);
  if (resume.close === undefined) chain.turn.dropCutOff(resume.state);
  const { close } = resume;
  const requests = chain.turn.lastRequests();
  const open = new Set(requests.map(({ id }) => id));
  chain.budget.restoreFailures(resume.state.calls.filter(({ callId }) => !open.has(callId)));
  // What was never proposed was never run. It gets its names before anything runs.
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

/** The caller asked the model first: its answer is this turn's first round. */
export async function continueFrom(
  chain: Chain,
  { message, usage: given = noUsage, finishReason = "tool_calls" }: FirstResponse,
): Promise<ChainEnding | undefined> {
  const { executor, contextMessages } = chain.options;
  const { clock } = executor.gate;
  chain.turn.beginRound(clock);
  const requests = (message.tool_calls ?? []).map(({ id, function: called, ...more }) => ({
    ...more,
    id: chain.ids.call(id),
    function: { ...called, name: callName(called.name) },
  }));
  const content = neutralise(message.content);
  const safe = { ...message, content, ...(requests.length > 0 && { tool_calls: requests }) };
  const usage = chain.budget.usageOf({ usage: given, message: safe }, contextMessages, []);
  chain.turn.finishRound({ message: safe, usage, finishReason }, clock);
  if (requests.length === 0 && message.content.trim() !== "") return { status: "completed" };
  const limit = chain.budget.reached(0, chain.turn.usage);
  return runRound(chain, requests, chain.offer(), limit);
}
