import type { ChannelOutcome } from "./channel-cases.ts";
import type { GateOutcome } from "./gate-case.ts";
import { runChannelCases } from "./run-channel-cases.ts";
import { runGateCases } from "./run-gate-cases.ts";

/** The outcomes of both tables: plain JSON. */
export interface ProgramOutcome {
  readonly gate: readonly GateOutcome[];
  readonly channel: readonly ChannelOutcome[];
}

/** The program that is bundled with the library and runs in any environment. */
export async function runProgram(): Promise<ProgramOutcome> {
  const [gate, channel] = await Promise.all([runGateCases(), runChannelCases()]);
  return { gate, channel };
}
