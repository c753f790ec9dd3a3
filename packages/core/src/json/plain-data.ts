import { shortJson } from "./short-json.ts";
import type { JsonValue } from "../base/json.ts";

const describedChars = 1_000;

/**
 * What a tool says beside its result, as what can be written down: JSON as it is, and anything
 * else (a cycle, a BigInt) as a short text of it. A record must never fail for what a tool put in.
 */
export function plainData(value: unknown): JsonValue {
  try {
    const text: string | undefined = JSON.stringify(value);
    return text === undefined ? null : (JSON.parse(text) as JsonValue);
  } catch {
    return shortJson(value, describedChars);
  }
}
