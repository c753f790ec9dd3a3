import { ApiError } from "@capstan/client";
import { printable } from "../terminal/printable.ts";
import type { Style } from "../terminal/style.ts";
import { notice, type Terminal } from "../terminal/terminal.ts";

/** How approval requests are answered: by the user at the terminal, or, without a terminal, all in the same way. */
export type ApprovalMode = "ask" | "refuse" | "allow";

/**
 * The result of a prompt. `left`: the user left, and the request stays pending. `gone`: the request
 * was answered elsewhere, or cannot be answered any more.
 */
export type Asked = "answered" | "gone" | "left";

export interface AskOptions {
  readonly mode: ApprovalMode;
  readonly terminal: Terminal;
  readonly style: Style;
  /** Aborts when the request is answered elsewhere, or its run ends. */
  readonly signal: AbortSignal;
}

/**
 * Reads lines until one is an answer.
 *
 * @param take returns the outcome of a line, or `undefined` to read another
 */
export async function readAnswers<T>(
  { terminal, signal }: AskOptions,
  prompt: string,
  take: (line: string) => Promise<T | undefined>,
): Promise<T | "gone" | "left"> {
  for (;;) {
    const read = await terminal.readAnswer(prompt, { signal });
    if (read.type !== "line") return read.type === "end" ? "left" : "gone";
    const taken = await take(read.text);
    if (taken !== undefined) return taken;
  }
}

/**
 * Sends an answer. Returns `undefined` if the server rejected it and the user can give another
 * one.
 */
export async function send<T>(
  { terminal, style, signal }: AskOptions,
  request: () => Promise<T>,
): Promise<T | "gone" | undefined> {
  try {
    return await request();
  } catch (error) {
    if (signal.aborted) return "gone";
    if (!(error instanceof ApiError)) throw error;
    terminal.write(notice(style.red(printable(error.message))));
    // The request is gone or was answered, so no further answer has an effect.
    return error.status === 404 || error.status === 409 || error.status === 0 ? "gone" : undefined;
  }
}

export function indent(text: string): string {
  return text.replaceAll(/^/gm, "  ");
}
