import type { Terminal } from "./terminal.ts";

/** Returns a terminal that writes notices to a stream, and no answers, so that standard output has only JSON. */
export function onlyNotices(terminal: Terminal, stream: NodeJS.WritableStream): Terminal {
  return {
    ...terminal,
    formatted: false,
    write(segments) {
      for (const { channel, text } of segments) if (channel === "notice") stream.write(text);
    },
  };
}
