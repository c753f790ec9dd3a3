import type { JsonObject } from "../base/json.ts";
import { isObject } from "../json/json-value.ts";

/** Returns arguments as the model wrote them; an empty object if they are not a JSON object. */
export function writtenArguments(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
