import type { ModelSettings, ToolChoice, ToolDefinition } from "../../model/model.ts";
import type { ToolOffer } from "../../tool/tool-offer.ts";
import type { ChainError } from "../journal/chain-result.ts";
import type { ChatOption } from "../options/tool-chain-options.ts";

/** The tools of one request to the model, and its settings. */
interface RoundTools {
  readonly tools: readonly ToolDefinition[];
  readonly settings: ModelSettings;
  readonly error?: ChainError;
}

interface RoundOptions {
  readonly offer: ToolOffer;
  /** No more tools are offered in this turn. */
  readonly last: boolean;
  /** It is the first round of this chain. */
  readonly first: boolean;
  /** Whether the caller asked for a tool, by its id. Other tools are offered in every request. */
  readonly isAskedFor: (toolId: string) => boolean;
}

/**
 * Returns the tools and settings of this round. A choice that forces a call applies to the first
 * round only; otherwise the loop would never end. Only a tool that the caller asked for satisfies
 * it.
 */
export function roundTools(chatOption: ChatOption, options: RoundOptions): RoundTools {
  const { offer, last, first, isAskedFor } = options;
  const { definitions, names } = offer;
  // Usually neither is set, so all rounds share one object.
  if (chatOption.toolChoice === undefined && chatOption.parallelToolCalls === undefined)
    return { tools: last ? [] : definitions, settings: chatOption as ModelSettings };
  const { toolChoice, parallelToolCalls, ...settings } = chatOption;
  if (last) return { tools: [], settings };
  if (definitions.length === 0) return { tools: definitions, settings };
  const given = first || toolChoice === "none" ? toolChoice : undefined;
  const tools =
    given === "required"
      ? definitions.filter(({ function: { name } }) => {
          const toolId = names[name];
          return toolId === undefined || isAskedFor(toolId);
        })
      : definitions;
  const choice = resolved(given, names);
  if (choice === "missing") return { tools, settings, error: missing(given) };
  if (tools.length === 0) return { tools: definitions, settings };
  return {
    tools,
    settings: {
      ...settings,
      ...(choice !== undefined && { toolChoice: choice }),
      ...(parallelToolCalls !== undefined && { parallelToolCalls }),
    },
  };
}

/** Returns the choice with the tool's name in place of its id. */
function resolved(
  choice: ChatOption["toolChoice"],
  names: ToolOffer["names"],
): ToolChoice | "missing" | undefined {
  if (typeof choice !== "object" || choice.type === "function") return choice;
  const name = Object.keys(names).find((known) => names[known] === choice.toolId);
  return name === undefined ? "missing" : { type: "function", name };
}

function missing(choice: ChatOption["toolChoice"]): ChainError {
  const toolId = typeof choice === "object" && choice.type === "tool" ? choice.toolId : "";
  const message = `The tool choice names ${toolId}, which is not offered. Enable it, or choose another tool.`;
  return { code: "tool_choice_not_offered", message, phase: "before_send" };
}
