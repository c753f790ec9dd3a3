import type { ToolExecutor } from "../call/tool-executor.ts";
import type { ChainState } from "./journal/chain-result.ts";
import { runToolChain, type ToolChainRun } from "./run-tool-chain.ts";
import type { ChainResume, ToolChainOptions } from "./options/tool-chain-options.ts";

export type ResumeToolChainOptions = Omit<
  ToolChainOptions,
  "executor" | "firstResponse" | "resume"
> &
  Pick<ChainResume, "answers" | "reviews" | "outputs" | "waited">;

/**
 * Carries a stopped chain on: one that waits (with some or all of the answers), one that was
 * aborted or failed, or one whose process ended, from its journal. A call that has ended is not
 * made again; one that had begun is made again only if its tool says that this is safe, and else
 * ends as `outcome_unknown`. What is still not answered is waited for again.
 *
 * @param state plain JSON: a result's `state`, or `chainStateOf` a journal's writes
 * @example
 * const { state } = await runToolChain(options).result; // requires_action
 * const answers = [{ callId, decision: { decision: "allow" } }] as const;
 * const result = await resumeToolChain(executor, state, { model, contextMessages, answers }).result;
 */
export function resumeToolChain(
  executor: ToolExecutor,
  state: ChainState,
  { answers, reviews, outputs, waited, ...options }: ResumeToolChainOptions,
): ToolChainRun {
  const resume = {
    state,
    ...(answers && { answers }),
    ...(reviews && { reviews }),
    ...(outputs && { outputs }),
    ...(waited && { waited }),
  };
  return runToolChain({ ...options, executor, resume });
}
