import { CapstanError, errorMessage } from "../../base/errors.ts";
import type { OfferOptions } from "../../call/gate/offer-cache.ts";
import type { ToolExecutor } from "../../call/tool-executor.ts";
import type { ToolDefinition } from "../../model/tool-definition.ts";
import type { ToolOffer } from "../../tool/tool-offer.ts";
import { clientToolsProblem, groupsProblem } from "../options/options-problem.ts";
import type { ToolChainOptions } from "../options/tool-chain-options.ts";

/** Gives what is offered at the moment: switches, groups and a client's tools may change between rounds. */
export function roundOffer(chain: ToolChainOptions): () => ToolOffer {
  return () => {
    try {
      return chain.executor.offer(offerOptions(chain));
    } catch (thrown) {
      const why = errorMessage(thrown);
      const message = `groups, clientTools or allowTool cannot be asked what is offered: ${why}`;
      throw new CapstanError({ code: "invalid_options", message, cause: thrown });
    }
  };
}

function offerOptions(chain: ToolChainOptions): OfferOptions {
  const { executor, groups, clientTools, allowTool } = chain;
  return {
    ...(groups !== undefined && {
      groups: typeof groups === "function" ? checkGroups(groups(), executor) : groups,
    }),
    ...(clientTools !== undefined && {
      clientTools: typeof clientTools === "function" ? checkTools(clientTools()) : clientTools,
    }),
    ...(allowTool !== undefined && { allowTool }),
  };
}

/** Lists that were given as such were looked at when the chain began. */
function checkGroups(groups: readonly string[], executor: ToolExecutor): readonly string[] {
  const problem = Array.isArray(groups)
    ? groupsProblem(groups, executor)
    : "groups should give a list of groups' names.";
  if (problem === undefined) return groups;
  throw new Error(problem);
}

function checkTools(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
  const expected = clientToolsProblem(tools);
  if (expected === undefined) return tools;
  throw new Error(`clientTools should give ${expected}.`);
}

/** Asked every round, and mostly of the same offer. */
const known = new WeakMap<ToolOffer, boolean>();

/** Whether tools are offered that could take a value by its variable's name: others than a client's own. */
export function takesReferences(offer: ToolOffer): boolean {
  let takes = known.get(offer);
  if (takes === undefined) {
    takes = Object.keys(offer.names).length > 0;
    known.set(offer, takes);
  }
  return takes;
}
