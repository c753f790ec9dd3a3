import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * Builds the page where this runs from the repository and the page is stale; a package has it
 * built. In a process of its own: a build takes seconds of a processor, and requests are answered
 * meanwhile.
 *
 * @throws Error where the build fails; it has said why
 */
export async function buildPageFromSource(): Promise<void> {
  const script = new URL("../../../../scripts/build-web.ts", import.meta.url);
  if (!import.meta.url.endsWith(".ts") || !existsSync(script)) return;
  const { isWebStale } = (await import(script.href)) as { readonly isWebStale: () => boolean };
  if (!isWebStale()) return;
  const child = spawn(process.execPath, [fileURLToPath(script)], { stdio: "inherit" });
  // A server that stops does not wait for the build.
  child.unref();
  const stop = () => child.kill();
  process.once("exit", stop);
  const [code] = (await once(child, "close")) as [number | null];
  process.off("exit", stop);
  if (code !== 0) throw new Error(`The build ended with ${code}.`);
}
