import { CapstanError } from "../errors/capstan-error.ts";
import { errorMessage } from "../errors/error-message.ts";
import type { OfferOptions } from "../executor/tool-executor.ts";
import type { ToolDefinition } from "../tool/tool-definition.ts";
import type { ToolOffer } from "../tool/tool-offer.ts";
import { clientToolsProblem } from "./options-problem.ts";
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
      throw new CapstanError({ code: "invalid_options", message, cause: thrown });
    }
  };
}

function offerOptions({ groups, clientTools, allowTool }: ToolChainOptions): OfferOptions {
  return {
    ...(groups !== undefined && { groups: typeof groups === "function" ? groups() : groups }),
    ...(clientTools !== undefined && {
      clientTools: typeof clientTools === "function" ? sound(clientTools()) : clientTools,
    }),
    ...(allowTool !== undefined && { allowTool }),
  };
}

/** A list that was given as such was looked at when the chain began. */
function sound(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
  const expected = clientToolsProblem(tools);
  if (expected === undefined) return tools;
  throw new Error(`clientTools should give ${expected}.`);
}
