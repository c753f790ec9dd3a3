import { digest } from "@capstan/core/host";
import type { JsonObject } from "@capstan/core";

/** How long a repeat of a request finds the call of the first one, in ms. */
export const rememberedMs = 24 * 3_600_000;

/**
 * How long a repeat gets the result of a call that only reads, in ms. A later repeat is a new call.
 */
export const readMs = 60_000;

/** The maximum number of equal calls of one principal that are open at the same time. */
export const maxEqualCalls = 100;

/**
 * Returns the key of a call: calls of one principal with the same tool and arguments have the same
 * key.
 *
 * @param number the number of the call, if equal calls are open at the same time
 */
export function callKey(
  { toolId, args }: { readonly toolId: string; readonly args: JsonObject },
  number: number,
): { readonly id: string; readonly digest: string } {
  const same = digest({ toolId, args });
  return { id: `mcp_call_${same}${number === 0 ? "" : `_${number}`}`, digest: same };
}
