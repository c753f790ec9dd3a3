import type { ToolExecutor } from "../call/tool-executor.ts";
import { runToolChain } from "./run-tool-chain.ts";
import type { FirstResponse, ToolChainOptions } from "./options/tool-chain-options.ts";
import type { ToolChainResult } from "./options/tool-chain-result.ts";

export type ExecuteToolChainOptions = Omit<ToolChainOptions, "executor" | "firstResponse">;

/**
 * Carries a first answer of a model on: runs its calls and asks again until it answers. Never
 * rejects for what a model or a tool did.
 *
 * @example const result = await executeToolChain(executor, { message }, { model, contextMessages });
 */
export function executeToolChain(
  executor: ToolExecutor,
  firstResponse: FirstResponse,
  options: ExecuteToolChainOptions,
): Promise<ToolChainResult> {
  return runToolChain({ ...options, executor, firstResponse }).result;
}
