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

/** Tokens as the provider counted them; 0 where it did not. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens?: number;
  readonly reasoningTokens?: number;
  /** Not all is the provider's count: the loop counted what was missing, as a limit needs it. */
  readonly estimated?: true;
}
