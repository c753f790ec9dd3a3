import type { SettledStatus } from "../executor/call-status.ts";
import type { CallResult } from "../executor/call-record.ts";
import type { ToolExecutor } from "../executor/tool-executor.ts";
import type { JsonObject } from "../model/json.ts";
import type { ChainError } from "./chain-result.ts";
import type { ChainEvent } from "./chain-event.ts";
import { runToolChain } from "./run-tool-chain.ts";
import type { FirstResponse, ToolChainOptions } from "./tool-chain-options.ts";
import type { ToolChainResult } from "./tool-chain-result.ts";

/** What a program wants to be told of, derived from the chain's events. */
export interface ToolChainCallbacks {
  readonly onToolCallStart?: (toolName: string, args: JsonObject, callId: string) => void;
  readonly onToolCallComplete?: (
    result: CallResult & { readonly status: SettledStatus },
    callId: string,
  ) => void;
  /** The text of the current step so far. */
  readonly onLLMResponseUpdate?: (content: string) => void;
  readonly onLLMResponseComplete?: (content: string) => void;
  readonly onError?: (error: ChainError) => void;
}

export type ExecuteToolChainOptions = Omit<ToolChainOptions, "executor" | "firstResponse"> & {
  readonly callbacks?: ToolChainCallbacks;
};

/**
 * Carries a first answer of a model on: runs its calls and asks again until it answers. Never
 * rejects for what a model or a tool did.
 *
 * @example const result = await executeToolChain(executor, { message }, { model, contextMessages });
 */
export function executeToolChain(
  executor: ToolExecutor,
  firstResponse: FirstResponse,
  { callbacks = {}, onEvent, ...options }: ExecuteToolChainOptions,
): Promise<ToolChainResult> {
  const tell = teller(callbacks);
  return runToolChain({
    ...options,
    executor,
    firstResponse,
    onEvent: (event) => {
      onEvent?.(event);
      tell(event);
    },
  }).result;
}

function teller(callbacks: ToolChainCallbacks): (event: ChainEvent) => void {
  const names = new Map<string, { readonly name: string; readonly args: JsonObject }>();
  const texts = new Set<string>();
  let content = "";
  return (event) => {
    switch (event.type) {
      case "round.started":
        content = "";
        return;
      case "item.start":
        if (event.kind === "text") texts.add(event.itemId);
        return;
      case "item.delta":
        if (!texts.has(event.itemId)) return;
        content += event.delta;
        return callbacks.onLLMResponseUpdate?.(content);
      case "round.ended":
        return callbacks.onLLMResponseComplete?.(content);
      case "call.proposed":
        return void names.set(event.callId, { name: event.name, args: event.args ?? {} });
      case "call.started": {
        const call = names.get(event.callId);
        return callbacks.onToolCallStart?.(call?.name ?? "", call?.args ?? {}, event.callId);
      }
      case "call.settled":
        names.delete(event.callId);
        return callbacks.onToolCallComplete?.(
          { ...event.result, status: event.status },
          event.callId,
        );
      case "chain.ended":
        return event.error === undefined ? undefined : callbacks.onError?.(event.error);
      default:
        return undefined;
    }
  };
}
