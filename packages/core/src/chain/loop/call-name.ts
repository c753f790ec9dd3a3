import { isPlainName } from "../../base/id.ts";

/** What every provider takes as a function's name, even where the model wrote none. */
export function callName(name: string): string {
  if (isPlainName(name)) return name;
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "unnamed";
}
