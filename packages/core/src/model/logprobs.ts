/** A token that the model could have written. */
export interface LikelyToken {
  readonly token: string;
  /** The natural logarithm of its probability. */
  readonly logprob: number;
  /** The token in UTF-8, which can be a part of a character. */
  readonly bytes?: readonly number[];
}

/** A token that the model wrote. */
export interface TokenLogprob extends LikelyToken {
  /** The most likely tokens at its position. */
  readonly top: readonly LikelyToken[];
}

/** Returns whether a value is a list of tokens with log probabilities. */
export function areLogprobs(value: unknown): value is readonly TokenLogprob[] {
  return Array.isArray(value) && value.every((one) => isLikely(one) && hasTop(one));
}

function hasTop(value: object): boolean {
  return "top" in value && Array.isArray(value.top) && value.top.every(isLikely);
}

function isLikely(value: unknown): value is LikelyToken {
  if (typeof value !== "object" || value === null) return false;
  const { token, logprob, bytes } = value as { readonly [key in keyof LikelyToken]?: unknown };
  const hasBytes = bytes === undefined || (Array.isArray(bytes) && bytes.every(isByte));
  return typeof token === "string" && Number.isFinite(logprob) && hasBytes;
}

function isByte(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) < 256;
}
