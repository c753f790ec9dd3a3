import { readFileSync } from "node:fs";

/** This package's version. */
export function packageVersion(): string {
  // The path is the same from `src` and from `dist`.
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
}
