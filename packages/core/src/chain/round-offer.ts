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
  if (mayChange) return () => executor.offer(offerOptions(chain));
  const options = offerOptions(chain);
  return () => executor.offer(options);
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
