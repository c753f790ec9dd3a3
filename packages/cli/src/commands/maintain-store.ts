import { backupStore, checkStore, vacuumStore } from "@capstan/store";
import { formatMegabytes } from "./format-megabytes.ts";

export interface MaintainStoreOptions {
  readonly wish: "check" | "backup" | "vacuum";
  readonly dataDir: string;
  /** Where a backup goes. */
  readonly to?: string;
  /** @default standard output */
  readonly say?: (line: string) => void;
}

/** Runs the `capstan db` actions and prints their results. @returns the exit code */
export async function maintainStore({
  wish,
  dataDir,
  to,
  say = print,
}: MaintainStoreOptions): Promise<number> {
  switch (wish) {
    case "check": {
      const { runs, bytes, problems } = await checkStore(dataDir);
      for (const problem of problems) say(problem);
      if (problems.length > 0) {
        say("Stop the server, keep a copy of the folder, and go back to your last backup.");
        return 1;
      }
      say(`Sound: ${runs} runs, ${formatMegabytes(bytes)}.`);
      return 0;
    }
    case "backup": {
      if (to === undefined) {
        say("Where to? Name a file: capstan db backup --to FILE");
        return 2;
      }
      const { bytes } = await backupStore(dataDir, to);
      say(
        `Written: ${to}, ${formatMegabytes(bytes)}. It has all that was said; keep it as you keep that.`,
      );
      return 0;
    }
    case "vacuum": {
      const { before, after } = await vacuumStore(dataDir);
      say(`From ${formatMegabytes(before)} to ${formatMegabytes(after)}.`);
      return 0;
    }
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
