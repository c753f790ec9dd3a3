import { readLock } from "@capstan/store";

/**
 * What is to be said where a list is made of files, and a server that runs here may have other ones:
 * of a file that is broken it has the last good version. Undefined where none runs.
 */
export async function runningServerNotice(dataDir: string): Promise<string | undefined> {
  const holder = await readLock(dataDir);
  if (holder === undefined) return undefined;
  const where = holder.url === undefined ? "" : ` at ${holder.url}`;
  return `A server runs here${where}. This is what the files say now; it may still have the last good version of one that is broken, and the configuration that it was started with.`;
}
