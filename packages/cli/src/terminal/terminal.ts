/** Text to show: the model's answer, or what is said around it. */
export interface Segment {
  readonly channel: "answer" | "notice";
  readonly text: string;
}

export type ReadLine =
  | { readonly type: "line"; readonly text: string }
  /** No more lines will come. */
  | { readonly type: "end" }
  /** The signal aborted first. */
  | { readonly type: "aborted" };

/** The terminal of a chat: reads lines and writes text. Tests pass their own. */
export interface Terminal {
  /** Whether a user can be asked. */
  readonly interactive: boolean;
  /** Its width now. */
  readonly columns: number;
  /** The next message; lines typed while an answer was running come first. */
  readMessage(prompt: string): Promise<ReadLine>;
  /**
   * The answer to a question. Only what is typed after it was asked counts.
   *
   * @param prefill text that is there to be changed
   */
  readAnswer(prompt: string, options: { signal: AbortSignal; prefill?: string }): Promise<ReadLine>;
  write(segments: readonly Segment[]): void;
  /** Tells of Ctrl+C; returns what ends it. */
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
