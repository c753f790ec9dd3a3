import {
  type AsyncCompleter,
  type CompleterResult,
  createInterface,
  type Interface,
} from "node:readline";
import { Writable } from "node:stream";
import { callbackify } from "node:util";
import { chatTexts } from "../texts/chat.ts";
import { bracketedPaste, PasteInput } from "./paste-input.ts";
import type { Complete, Line, ReadLine, Terminal } from "./terminal.ts";

interface Streams {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly error: NodeJS.WriteStream;
}

/** The maximum number of buffered lines that were typed ahead. A pipe is paused instead. */
const typedAhead = 100;

/**
 * The process's own terminal. If standard output is not a terminal (a file, a pipe), it receives
 * only the answers, and all other text goes to standard error.
 */
export function createNodeTerminal(
  { input, output, error }: Streams,
  { complete }: { readonly complete?: Complete } = {},
): Terminal {
  const interactive = input.isTTY && output.isTTY;
  const gate = new GatedOutput(output);
  const keys = interactive ? new PasteInput(input, (): boolean => lines.line === "") : undefined;
  const lines: Interface = createInterface({
    input: keys ?? input,
    terminal: interactive,
    ...(interactive && { output: gate, historySize: 200 }),
    ...(complete && { completer: completerOf(complete) }),
  });
  if (interactive) output.write(bracketedPaste.on);
  // A recalled line would have the markers of its pastes without their texts.
  lines.on("history", (history: string[]) => {
    if (/\[pasted \d|⏎/.test(history[0] ?? "")) history.shift();
  });
  const queue: Line[] = [];
  let leftOut = 0;
  let ended = false;
  let reader: ((read: ReadLine) => void) | undefined;

  lines.on("line", (typed) => {
    const read = keys?.expand(typed) ?? typedLine(typed);
    if (read.type === "edited marker") {
      output.write(`${chatTexts.session.editedMarker}\n`);
      lines.prompt();
      lines.write(typed);
      return;
    }
    if (reader) return reader(read);
    if (!interactive || queue.length < typedAhead) queue.push(read);
    else leftOut++;
    if (!interactive) lines.pause();
  });
  lines.on("close", () => {
    ended = true;
    reader?.({ type: "end" });
  });

  function clearLine(): void {
    lines.write(null, { ctrl: true, name: "e" });
    lines.write(null, { ctrl: true, name: "u" });
  }

  function nextLine(prompt: string, signal?: AbortSignal, prefill?: string): Promise<ReadLine> {
    if (ended) return Promise.resolve({ type: "end" });
    if (signal?.aborted === true) return Promise.resolve({ type: "aborted" });
    const { promise, resolve } = Promise.withResolvers<ReadLine>();
    // Settle synchronously: the same chunk of a pipe or a paste can contain lines for later reads.
    const settle = (read: ReadLine) => {
      reader = undefined;
      gate.open = false;
      signal?.removeEventListener("abort", abort);
      resolve(read);
    };
    const abort = () => {
      // Discard the typed text, which answered a request that is gone.
      clearLine();
      gate.write("\n");
      settle({ type: "aborted" });
    };
    reader = settle;
    signal?.addEventListener("abort", abort, { once: true });
    lines.resume();
    if (interactive) {
      gate.open = true;
      lines.setPrompt(prompt);
      // Start a prompt with an empty line, because text that was typed earlier must not answer it.
      if (signal) clearLine();
      lines.prompt(true);
      if (prefill !== undefined) lines.write(prefill);
    }
    return promise;
  }

  return {
    interactive,
    formatted: output.isTTY,
    get columns() {
      // Some terminals report a width of 0.
      return output.columns || 80;
    },
    async readMessage(prompt) {
      if (leftOut > 0) {
        error.write(`${chatTexts.session.linesLeftOut(leftOut, typedAhead)}\n`);
        leftOut = 0;
      }
      const typed = queue.shift();
      if (typed === undefined) return nextLine(prompt);
      if (interactive) output.write(`${prompt}${typed.text}\n`);
      return typed;
    },
    readAnswer: (prompt, { signal, prefill }) => nextLine(prompt, signal, prefill),
    write(segments) {
      for (const { channel, text } of segments) {
        (channel === "answer" || output.isTTY ? output : error).write(text);
      }
      // The text moved the old prompt up, so print the prompt again.
      if (reader && interactive) lines.prompt(true);
    },
    onInterrupt(listener) {
      const interrupt = () => {
        if (reader && interactive) clearLine();
        listener();
      };
      // In raw mode, the line editor handles Ctrl+C; otherwise it is a signal.
      const source = interactive ? lines : process;
      source.on("SIGINT", interrupt);
      return () => {
        source.off("SIGINT", interrupt);
      };
    },
    close() {
      lines.close();
      keys?.detach();
      if (interactive) output.write(bracketedPaste.off);
    },
  };
}

const typedLine = (text: string): Line => ({ type: "line", text });

/** Adapts a completion to the line editor. If it fails, nothing is completed. */
function completerOf(complete: Complete): AsyncCompleter {
  return callbackify(async (line: string): Promise<CompleterResult> => {
    try {
      const { candidates, word } = await complete(line);
      return [[...candidates], word];
    } catch {
      return [[], line];
    }
  });
}

/**
 * The output of the line editor. While an answer is written, typed text is not shown, because it
 * would appear in the middle of the answer. The editor shows it when it prompts again.
 */
class GatedOutput extends Writable {
  open = false;
  readonly #terminal: NodeJS.WriteStream;

  constructor(terminal: NodeJS.WriteStream) {
    super({ decodeStrings: false });
    this.#terminal = terminal;
    terminal.on("resize", () => this.emit("resize"));
  }

  get columns(): number {
    return this.#terminal.columns;
  }

  override _write(chunk: string | Uint8Array, _encoding: string, done: () => void): void {
    if (this.open) this.#terminal.write(chunk);
    done();
  }
}
