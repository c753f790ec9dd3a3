import type { ModelSettings } from "../../model/model.ts";

/** A request's settings in this round. A forced choice holds for the first step only; else the loop would never end. */
export function roundSettings(
  chatOption: ModelSettings,
  now: { readonly last: boolean; readonly first: boolean; readonly tools: number },
): ModelSettings {
  // Mostly neither is given, and the settings are the same every round.
  if (chatOption.toolChoice === undefined && chatOption.parallelToolCalls === undefined)
    return chatOption;
  const { toolChoice, parallelToolCalls, ...settings } = chatOption;
  if (now.last || now.tools === 0) return settings;
  const choice = now.first ? toolChoice : toolChoice === "none" ? "none" : undefined;
  return {
    ...settings,
    ...(choice !== undefined && { toolChoice: choice }),
    ...(parallelToolCalls !== undefined && { parallelToolCalls }),
  };
}
