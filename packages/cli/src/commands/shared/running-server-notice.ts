import { readLock } from "@capstan/store";
import { commandTexts } from "../../texts/commands.ts";

/**
 * Returns a notice that the running server may differ from the files, because it keeps the last
 * good version of a broken file. Returns `undefined` if no server runs.
 */
export async function runningServerNotice(dataDir: string): Promise<string | undefined> {
  const holder = await readLock(dataDir);
  if (holder === undefined) return undefined;
  const where = holder.url === undefined ? "" : ` at ${holder.url}`;
  return commandTexts.connection.serverRuns(where);
}
