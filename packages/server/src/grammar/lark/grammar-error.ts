/** Thrown while a grammar is read. The message is for the author of the grammar. */
export class GrammarError extends Error {
  override readonly name = "GrammarError";

  constructor(message: string, line?: number) {
    super(line === undefined ? message : `line ${line}: ${message}`);
  }
}
