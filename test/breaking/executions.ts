import { appendFileSync } from "node:fs";
import { readFile } from "node:fs/promises";

/** A recorded execution of a tool: its start or its end. */
export interface Execution {
  readonly step: "begun" | "ended";
  /** The call's idempotency key. */
  readonly key: string;
  readonly tool: string;
}

/** Appends a line in one write, so that lines of several processes do not mix. */
export function noteExecution(file: string, { step, key, tool }: Execution): void {
  appendFileSync(file, `${step} ${key} ${tool}\n`);
}

/** Returns all recorded lines in order, without an incomplete last line. */
export async function readExecutions(file: string): Promise<readonly Execution[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.split("\n").flatMap((line): Execution[] => {
    const [, step, key = "", tool = ""] = /^(begun|ended) (\S+) (\S+)$/.exec(line) ?? [];
    return step === "begun" || step === "ended" ? [{ step, key, tool }] : [];
  });
}
