import { existsSync } from "node:fs";

/** Builds the page where this runs from the repository and the page is stale; a package has it built. */
export async function buildPageFromSource(): Promise<void> {
  const script = new URL("../../../scripts/build-web.ts", import.meta.url);
  if (!import.meta.url.endsWith(".ts") || !existsSync(script)) return;
  const { buildWebIfStale } = (await import(script.href)) as {
    readonly buildWebIfStale: () => Promise<unknown>;
  };
  await buildWebIfStale();
}
