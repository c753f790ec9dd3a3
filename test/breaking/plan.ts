import type { ChatRequest, UpstreamAnswer } from "../upstream.ts";
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "./random.ts";

/** The model's actions in a run; the user's message is this object as JSON. */
export interface Plan {
  /** The calls of each round. */
  readonly rounds: readonly (readonly PlannedCall[])[];
  /** The model's delay per word. */
  readonly ms: number;
}

interface PlannedCall {
  readonly tool: "Look" | "Count" | "Pay" | "Ask";
  readonly ms: number;
}

/** One to three rounds of one to three calls each. */
export function anyPlan(random: Random): Plan {
  const call = (): PlannedCall => ({
    tool: random.pick(["Look", "Count", "Count", "Pay", "Ask"]),
    ms: random.between(0, 60),
  });
  const rounds = Array.from({ length: random.between(1, 3) }, () =>
    Array.from({ length: random.between(1, 3) }, call),
  );
  return { rounds, ms: random.between(0, 20) };
}

/**
 * Some seconds of work, so that the run is in progress while other runs are claimed and its former
 * owner resumes.
 */
export const longPlan: Plan = {
  rounds: Array.from({ length: 8 }, (_, round) => [
    { tool: "Count", ms: 400 + 50 * round },
    { tool: "Look", ms: 100 },
  ]),
  ms: 60,
};

/**
 * A model that follows the plan in the last user message. It has no state, so any server can repeat
 * a request.
 */
export function followPlan({ messages }: ChatRequest): UpstreamAnswer {
  // Messages of the server itself can have the role of the user, too.
  const asked = messages.findLastIndex(
    ({ role, content }) => role === "user" && String(content).startsWith("{"),
  );
  const { rounds, ms } = JSON.parse(String(messages[asked]?.content)) as Plan;
  const done = messages.slice(asked).filter(({ role }) => role === "assistant").length;
  const calls = rounds[done]?.map(({ tool, ms }) => ({
    name: tool,
    arguments: JSON.stringify({ ms }),
  }));
  const hold = sleep(ms).then(() => undefined);
  if (calls === undefined) return { say: ["That ", "is ", "all."], hold };
  return { say: [`Round ${done}: `, "calls."], calls, hold };
}
