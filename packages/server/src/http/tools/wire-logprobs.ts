import type { JsonObject, TokenLogprob } from "@capstan/core";
import type { LikelyToken } from "@capstan/core/host";

/** Returns a token and its alternatives in the form of OpenAI's APIs. */
export function wireLogprob({ top, ...token }: TokenLogprob): JsonObject {
  return { ...likelyToken(token), top_logprobs: top.map(likelyToken) };
}

function likelyToken({ token, logprob, bytes }: LikelyToken): JsonObject {
  return { token, logprob, bytes: bytes === undefined ? [...Buffer.from(token)] : [...bytes] };
}
