/**
 * Yields the server-sent events of a stream without the empty lines that end them. Searches each
 * piece once, because an event can have many pieces.
 *
 * @example for await (const event of splitEvents(["data: 1\n", "\ndata: 2\n\n"])) console.log(event);
 */
export async function* splitEvents(
  pieces: Iterable<string> | AsyncIterable<string>,
): AsyncGenerator<string, void, undefined> {
  let parts: string[] = [];
  let last = "";
  for await (const piece of pieces) {
    if (piece === "") continue;
    let from = 0;
    // The first of the two line ends can be in the piece before.
    if (last === "\n" && piece.startsWith("\n")) {
      yield parts.join("").slice(0, -1);
      [parts, from] = [[], 1];
    }
    for (let at = piece.indexOf("\n\n", from); at !== -1; at = piece.indexOf("\n\n", from)) {
      yield parts.join("") + piece.slice(from, at);
      [parts, from] = [[], at + 2];
    }
    if (from < piece.length) parts.push(piece.slice(from));
    last = from < piece.length ? piece.slice(-1) : "";
  }
}
