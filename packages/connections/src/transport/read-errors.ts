import type { Readable } from "node:stream";
import { outputLimit } from "./message-budget.ts";

/** The output of a program other than messages. */
export interface ProgramNoise {
  /** The number of lines on standard output other than messages. */
  lines: number;
  /** The end of its standard error, at most 4 kB. */
  stderr: string;
}

/** The maximum number of lines that are reported per second. */
const mostLines = 100;
/** The maximum length of a line, in characters. */
const longestLine = 2_000;

/**
 * Reads the standard error of a program, at a limited rate.
 *
 * @param options.onLine receives at most 100 lines per second, truncated to 2,000 characters
 */
export function readErrors(
  stderr: Readable,
  options: { readonly noise: ProgramNoise; readonly onLine: (line: string) => void },
): void {
  const { noise, onLine } = options;
  const limit = outputLimit();
  let [second, lines, dropped] = [0, 0, 0];
  const report = (line: string) => {
    const now = Math.floor(performance.now() / 1_000);
    if (now !== second) [second, lines] = [now, 0];
    if (++lines > mostLines) {
      dropped += 1;
      return;
    }
    if (dropped > 0) onLine(`(${dropped} lines left out: more than ${mostLines} in a second)`);
    dropped = 0;
    onLine(line.slice(0, longestLine));
  };
  stderr.setEncoding("utf8");
  stderr.on("data", (text: string) => {
    noise.stderr = (noise.stderr + text).slice(-4_096);
    for (const line of text.slice(0, 20_000).split("\n").slice(0, 20))
      if (line.trim() !== "") report(line);
    const wait = limit.take({ bytes: text.length, values: 0 });
    if (wait === undefined) return;
    stderr.pause();
    void wait.then(() => stderr.resume());
  });
}
