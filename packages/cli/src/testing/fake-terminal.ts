import type { ReadLine, Segment, Terminal } from "../terminal/terminal.ts";

/** A terminal with scripted input, whose output a test reads. */
export interface FakeTerminal extends Terminal {
  /** Returns the text that was written, in both channels. */
  text(): string;
  /** The text that a pipe would receive: only the answers. */
  answers(): string;
  interrupt(): void;
}

/**
 * @param script messages, and answers as `{ answer }`. A prompt waits if the next entry is not an
 * answer; messages never count as answers
 */
export function createFakeTerminal(
  script: readonly (string | { readonly answer: string })[],
  interactive = true,
): FakeTerminal {
  const lines = [...script];
  const written: Segment[] = [];
  const listeners = new Set<() => void>();
  let closed = false;

  return {
    interactive,
    formatted: interactive,
    columns: 80,
    readMessage() {
      const next = closed ? undefined : lines.shift();
      if (typeof next === "object")
        throw new Error(
          `A message was read, but the next entry of the script is the answer ${next.answer}.`,
        );
      return Promise.resolve<ReadLine>(
        next === undefined ? { type: "end" } : { type: "line", text: next },
      );
    },
    readAnswer(_prompt, { signal }) {
      const [next] = lines;
      if (typeof next === "object") {
        lines.shift();
        return Promise.resolve<ReadLine>({ type: "line", text: next.answer });
      }
      const { promise, resolve } = Promise.withResolvers<ReadLine>();
      if (signal.aborted) resolve({ type: "aborted" });
      signal.addEventListener("abort", () => resolve({ type: "aborted" }), { once: true });
      return promise;
    },
    write: (segments) => {
      written.push(...segments);
    },
    onInterrupt(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => {
      closed = true;
    },
    text: () => written.map(({ text }) => text).join(""),
    answers: () =>
      written
        .filter(({ channel }) => channel === "answer")
        .map(({ text }) => text)
        .join(""),
    interrupt: () => listeners.forEach((listener) => listener()),
  };
}
