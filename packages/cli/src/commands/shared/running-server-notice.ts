import { readLock } from "@capstan/store";

/**
 * Returns a notice that the running server may differ from the files, because it keeps the last
 * good version of a broken file. Undefined if no server runs.
 */
export async function runningServerNotice(dataDir: string): Promise<string | undefined> {
  const holder = await readLock(dataDir);
  if (holder === undefined) return undefined;
  const where = holder.url === undefined ? "" : ` at ${holder.url}`;
  return `A server runs here${where}. This is what the files say now; it may still have the last good version of one that is broken, and the configuration that it was started with.`;
}
