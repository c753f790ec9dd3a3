/** Text to show: a part of the model's answer, or a notice. */
export interface Segment {
  readonly channel: "answer" | "notice";
  readonly text: string;
}

/** A line that the user sent. */
export interface Line {
  readonly type: "line";
  readonly text: string;
  /** The parts of the text that were pasted. @default none */
  readonly pasted?: readonly string[];
}

export type ReadLine =
  | Line
  /** The input has ended. */
  | { readonly type: "end" }
  /** The signal aborted first. */
  | { readonly type: "aborted" };

/**
 * Returns the words that can replace the last word of a line.
 *
 * @example await complete("/mo") // { candidates: ["/model "], word: "/mo" }
 */
export type Complete = (
  line: string,
) => Promise<{ readonly candidates: readonly string[]; readonly word: string }>;

/** The terminal of a chat: reads lines and writes text. Tests pass their own. */
export interface Terminal {
  /** Whether the terminal can prompt a user. */
  readonly interactive: boolean;
  /** Whether answers are shown to a user, not written to a file or a pipe as they are. */
  readonly formatted: boolean;
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

/** A message that the user wrote. */
export interface Message {
  readonly text: string;
  /** The parts of the text that were pasted. */
  readonly pasted: readonly string[];
}

/**
 * Reads the next message. A line that ends with a backslash continues in the next one.
 *
 * @returns `undefined` if the input has ended
 */
export async function readMessage(
  terminal: Terminal,
  prompt: string,
): Promise<Message | undefined> {
  let text = "";
  const pasted: string[] = [];
  for (let next = prompt; ; next = "… ") {
    const read = await terminal.readMessage(next);
    if (read.type !== "line") return text === "" ? undefined : { text, pasted };
    pasted.push(...(read.pasted ?? []));
    if (!read.text.endsWith("\\")) return { text: text + read.text, pasted };
    text += `${read.text.slice(0, -1)}\n`;
  }
}
