import { readFileSync } from "node:fs";

/** This package's version. */
export function packageVersion(): string {
  // From `src` and from `dist` it is the same way.
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
}
