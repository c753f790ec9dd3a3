/** The scripted model's requests: `rounds` rounds of `calls` calls each, then the answer. */
export interface LoopScript {
  readonly rounds: number;
  readonly calls: number;
}

export interface LoopOutcome {
  /** How often the tool was really run. */
  readonly executed: number;
  readonly answer: string;
}

/**
 * One library's loop, with nothing switched on that is off by default. The first call prepares what
 * a program makes once (tool, agent, model); what it returns goes from the first request to the answer.
 */
export type LoopSubject = (script: LoopScript) => () => Promise<LoopOutcome>;

export const toolName = "noop";
export const toolDescription = "Does nothing.";
export const toolArguments = '{"value":1}';
export const prompt = "Go.";
export const answer = "Done.";

/** The ids of the calls in one round, counted from 0. */
export function callIds(round: number, { calls }: LoopScript): string[] {
  return Array.from({ length: calls }, (_, index) => `call_${round}_${index}`);
}
