import type { Terminal } from "./terminal.ts";

/**
 * The next message: a line that ends with a backslash goes on in the next one.
 *
 * @returns undefined where the input has ended
 */
export async function readMessage(terminal: Terminal, prompt: string): Promise<string | undefined> {
  let text = "";
  for (let next = prompt; ; next = "… ") {
    const read = await terminal.readMessage(next);
    if (read.type !== "line") return text === "" ? undefined : text;
    if (!read.text.endsWith("\\")) return text + read.text;
    text += `${read.text.slice(0, -1)}\n`;
  }
}
