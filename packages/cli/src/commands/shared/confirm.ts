import { createInterface } from "node:readline/promises";
import { printNotice } from "../../arguments/command.ts";

/** Asks a yes/no question. Without a terminal the answer is no, and `otherwise` is printed. */
export async function confirm(question: string, otherwise: string): Promise<boolean> {
  if (!process.stdin.isTTY) {
    printNotice(otherwise);
    return false;
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}
