/** Takes bytes of a stream, and returns the data of the server-sent events that end in them. */
export type EventReader = (bytes: Uint8Array) => readonly string[];

/**
 * Creates a reader of server-sent events. The network may split the stream at any byte. Only data is
 * read: comments and other fields are ignored. An event without a blank line after it is incomplete,
 * so it is never returned.
 *
 * @example
 * const read = createEventReader();
 * read(Buffer.from("data: 1\n\nda")); // ["1"]
 * read(Buffer.from("ta: 2\n\n")); // ["2"]
 */
export function createEventReader(): EventReader {
  const decoder = new TextDecoder();
  /** The beginning of a line whose end has not arrived. */
  let line = "";
  let data: string | undefined;
  /** Whether the last line ended with a carriage return, to which a line feed may belong. */
  let isAfterReturn = false;

  return (bytes) => {
    const decoded = decoder.decode(bytes, { stream: true });
    if (decoded === "") return [];
    const text = isAfterReturn && decoded.startsWith("\n") ? decoded.slice(1) : decoded;
    const found: string[] = [];
    let from = 0;
    // Only the new text is searched, because an event can have megabytes.
    for (const { index, 0: end } of text.matchAll(lineEnds)) {
      line += text.slice(from, index);
      from = index + end.length;
      if (line === "" && data !== undefined) {
        found.push(data);
        data = undefined;
      } else if (line.startsWith("data:")) {
        const value = line.slice(line[5] === " " ? 6 : 5);
        data = data === undefined ? value : `${data}\n${value}`;
      }
      line = "";
    }
    line += text.slice(from);
    isAfterReturn = text.endsWith("\r");
    return found;
  };
}

const lineEnds = /\r\n|\n|\r/g;
