import { errorMessage } from "../errors/error-message.ts";
import type { OfferOptions } from "../executor/tool-executor.ts";
import type { ToolOffer } from "../tool/tool-offer.ts";
import type { ToolChainOptions } from "./tool-chain-options.ts";

/**
 * Gives what is offered at the moment: switches, groups and a client's tools may change between
 * rounds. Where the chain's options cannot, the executor is asked with the same object each time,
 * so that it works its answer out once.
 */
export function roundOffer(chain: ToolChainOptions): () => ToolOffer {
  const { executor, groups, clientTools, allowTool } = chain;
  const mayChange = [groups, clientTools, allowTool].some((given) => typeof given === "function");
  const fixed = mayChange ? undefined : offerOptions(chain);
  return () => {
    try {
      return executor.offer(fixed ?? offerOptions(chain));
    } catch (thrown) {
      const why = errorMessage(thrown);
      const message = `groups, clientTools or allowTool cannot be asked what is offered: ${why}`;
      throw new Error(message, { cause: thrown });
    }
  };
}

function offerOptions({ groups, clientTools, allowTool }: ToolChainOptions): OfferOptions {
  return {
    ...(groups !== undefined && { groups: typeof groups === "function" ? groups() : groups }),
    ...(clientTools !== undefined && {
      clientTools: typeof clientTools === "function" ? clientTools() : clientTools,
    }),
    ...(allowTool !== undefined && { allowTool }),
  };
}
