import { Writable } from "node:stream";

/**
 * The terminal as the line editor sees it. While the gate is shut, what a person types is not
 * shown: it would land in the middle of an answer. The editor shows it when it prompts again.
 */
export class GatedOutput extends Writable {
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
