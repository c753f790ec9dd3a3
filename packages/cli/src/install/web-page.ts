import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/**
 * Builds the page if it is stale and Capstan runs from its sources. The build runs in a separate
 * process, because it takes seconds of processor time and the server answers requests meanwhile.
 *
 * @throws Error if the build fails; the build has printed the reason
 */
export async function buildPageFromSource(): Promise<void> {
  const script = findBuildScript();
  if (script === undefined) return;
  const { isWebStale } = (await import(script)) as { readonly isWebStale: () => boolean };
  if (!isWebStale()) return;
  const child = spawn(process.execPath, [fileURLToPath(script)], { stdio: "inherit" });
  // A stopping server does not wait for the build.
  child.unref();
  const stop = () => child.kill();
  process.once("exit", stop);
  const [code] = (await once(child, "close")) as [number | null];
  process.off("exit", stop);
  if (code !== 0) throw new Error(`The build ended with ${code}.`);
}

/** Only the sources have this entry; a published package holds the built page. */
function findBuildScript(): string | undefined {
  try {
    return import.meta.resolve("@capstan/web/build");
  } catch {
    return undefined;
  }
}
