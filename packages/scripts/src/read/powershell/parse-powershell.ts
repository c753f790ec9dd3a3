import { runInProcess, workerModule } from "@capstan/sandbox";
import { type ParsedFile, unreadableFile } from "../../definition/parsed-file.ts";

const timeoutMs = 30_000;
const heapMb = 512;
const memoryMb = 1_024;

/**
 * Parses PowerShell files, all in one process. It does not need PowerShell.
 *
 * @returns one result for each source, in order
 * @throws the signal's reason when it aborts
 */
export async function parsePowerShell(
  sources: readonly Uint8Array[],
  signal: AbortSignal = new AbortController().signal,
): Promise<readonly ParsedFile[]> {
  const outcome = await runInProcess<readonly ParsedFile[]>({
    module: workerModule("powershell-process", import.meta.url),
    input: { sources },
    timeoutMs,
    heapMb,
    memoryMb,
    signal,
  });
  if (outcome.status === "done") return outcome.value;
  if (sources.length > 1) {
    // One of the sources causes the failure. Halving the list finds it, so that the others are
    // read.
    const half = sources.length >> 1;
    const [first, second] = [sources.slice(0, half), sources.slice(half)];
    return [...(await parsePowerShell(first, signal)), ...(await parsePowerShell(second, signal))];
  }
  const why =
    outcome.status === "failed" ? outcome.message : `it took longer than ${timeoutMs / 1000} s`;
  return [unreadableFile(`It could not be read: ${why}.`)];
}
