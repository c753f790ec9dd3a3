import type { Usage } from "./model.ts";

/** Nothing was used. */
export const noUsage: Usage = { inputTokens: 0, outputTokens: 0 };

/** What both used together. */
export function addUsage(a: Usage, b: Usage): Usage {
  const cached = (a.cachedInputTokens ?? 0) + (b.cachedInputTokens ?? 0);
  const reasoning = (a.reasoningTokens ?? 0) + (b.reasoningTokens ?? 0);
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    ...(cached > 0 && { cachedInputTokens: cached }),
    ...(reasoning > 0 && { reasoningTokens: reasoning }),
    ...((a.estimated ?? b.estimated) && { estimated: true }),
  };
}
