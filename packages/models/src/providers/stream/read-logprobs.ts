import type { TokenLogprob } from "@capstan/core";
import type { LikelyToken } from "@capstan/core/host";

/**
 * Reads the tokens of an answer in the form of OpenAI's APIs. Invalid tokens are left out.
 *
 * @param most the maximum number of alternatives for a token
 */
export function readLogprobs(given: unknown, most: number): readonly TokenLogprob[] {
  return listOf(given).flatMap((entry) => {
    const known = likelyToken(entry);
    if (known === undefined) return [];
    const { top_logprobs: top } = entry as { readonly top_logprobs?: unknown };
    const others = listOf(top).flatMap((one) => likelyToken(one) ?? []);
    return [{ ...known, top: others.slice(0, most) }];
  });
}

function likelyToken(given: unknown): LikelyToken | undefined {
  if (typeof given !== "object" || given === null) return undefined;
  const { token, logprob, bytes } = given as { readonly [key in keyof LikelyToken]?: unknown };
  if (typeof token !== "string" || typeof logprob !== "number") return undefined;
  const isKnown = Array.isArray(bytes) && bytes.every((byte) => Number.isInteger(byte));
  return { token, logprob, ...(isKnown && { bytes: bytes as readonly number[] }) };
}

function listOf(given: unknown): readonly unknown[] {
  return Array.isArray(given) ? given : [];
}
