import { Session } from "node:inspector/promises";

/**
 * Returns the source files of the packages, and the number of their functions, that `work` enters on
 * the main thread. Uses V8's precise coverage; functions that it inlines are counted.
 */
export async function entered(
  work: () => Promise<unknown>,
): Promise<{ readonly files: ReadonlySet<string>; readonly functions: number }> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  // Reads the counts of the functions on the stack, so that they start at 0.
  await session.post("Profiler.takePreciseCoverage");
  await work();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  session.disconnect();
  const files = new Set<string>();
  let count = 0;
  for (const { url, functions } of result) {
    if (!/\/packages\/[^/]+\/src\//.test(url)) continue;
    // The function at offset 0 is the module.
    const ran = functions.filter(
      ({ ranges: [range] }) => range !== undefined && range.count > 0 && range.startOffset > 0,
    );
    if (ran.length > 0) files.add(url);
    count += ran.length;
  }
  return { files, functions: count };
}
