/** Text to show: a part of the model's answer, or a notice. */
export interface Segment {
  readonly channel: "answer" | "notice";
  readonly text: string;
}

export type ReadLine =
  | { readonly type: "line"; readonly text: string }
  /** The input has ended. */
  | { readonly type: "end" }
  /** The signal aborted first. */
  | { readonly type: "aborted" };

/** The terminal of a chat: reads lines and writes text. Tests pass their own. */
export interface Terminal {
  /** Whether the terminal can prompt a user. */
  readonly interactive: boolean;
  /** The current width. */
  readonly columns: number;
  /** Reads the next message. Lines that were typed during an answer come first. */
  readMessage(prompt: string): Promise<ReadLine>;
  /**
   * Reads the answer to a prompt. Text that was typed before the prompt is ignored.
   *
   * @param prefill the initial text, which the user can edit
   */
  readAnswer(prompt: string, options: { signal: AbortSignal; prefill?: string }): Promise<ReadLine>;
  write(segments: readonly Segment[]): void;
  /** Calls the listener on Ctrl+C. Returns a function that removes it. */
  onInterrupt(listener: () => void): () => void;
  close(): void;
}

/** Returns a line that is not part of the answer. */
export function notice(text: string): readonly Segment[] {
  return [{ channel: "notice", text: `${text}\n` }];
}

/**
 * Reads the next message. A line that ends with a backslash continues in the next one.
 *
 * @returns `undefined` if the input has ended
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
