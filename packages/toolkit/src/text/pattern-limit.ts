import { maxPatternSize, patternSize } from "@capstan/core/host";

/**
 * Returns the reason why a pattern is too large, or `undefined`. Compiling a large pattern would
 * block the event loop.
 */
export function patternLimitProblem(pattern: string): string | undefined {
  const size = patternSize(pattern);
  if (size <= maxPatternSize) return undefined;
  if (size === Infinity) return "The groups of the pattern are nested too deeply. Use fewer.";
  return `The pattern has ${size} parts, because each repetition count copies its part; ${maxPatternSize} are allowed. Use smaller counts, or * and +.`;
}
