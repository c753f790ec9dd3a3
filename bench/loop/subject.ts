/** The scripted model's requests: `rounds` rounds of `calls` calls each, then the answer. */
export interface LoopScript {
  readonly rounds: number;
  readonly calls: number;
}

export interface LoopOutcome {
  /** How often the tool was run. */
  readonly executed: number;
  readonly answer: string;
}

/**
 * One library's loop with its default settings. The first call creates the objects that a program
 * creates once (tool, agent, model). The returned function runs the loop from the first request to
 * the answer.
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
