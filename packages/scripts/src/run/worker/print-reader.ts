import { StringDecoder } from "node:string_decoder";

/** The number of characters of a call's output that are passed on; the rest is only counted. */
const kept = 256 * 1024;

/**
 * Reads the output of a worker: text as it arrives, and the mark that the worker prints after each
 * call, which shows that the call's output is complete.
 */
export class PrintReader {
  readonly #mark: Buffer;
  readonly #onText: (text: string) => void;
  readonly #onMark: () => void;
  #decoder = new StringDecoder("utf8");
  #rest: Buffer = Buffer.alloc(0);
  #passed = 0;
  #dropped = 0;

  constructor(options: {
    /** The mark, which begins with a NUL. */
    readonly mark: string;
    readonly onText: (text: string) => void;
    readonly onMark: () => void;
  }) {
    this.#mark = Buffer.from(options.mark);
    this.#onText = options.onText;
    this.#onMark = options.onMark;
  }

  push(chunk: Buffer): void {
    let data = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const at = data.indexOf(this.#mark);
      if (at < 0) break;
      this.#pass(data.subarray(0, at));
      this.#finish();
      data = data.subarray(at + this.#mark.length);
    }
    const from = this.#beginOfMark(data);
    this.#pass(data.subarray(0, from));
    this.#rest = data.subarray(from);
  }

  /** Returns the position of an incomplete mark, or the end if there is none. */
  #beginOfMark(data: Buffer): number {
    for (let at = Math.max(0, data.length - this.#mark.length + 1); at < data.length; at++) {
      const tail = data.subarray(at);
      if (tail[0] === 0 && this.#mark.subarray(0, tail.length).equals(tail)) return at;
    }
    return data.length;
  }

  #pass(data: Buffer): void {
    if (data.length === 0) return;
    if (this.#passed >= kept) {
      this.#dropped += data.length;
      return;
    }
    const text = this.#decoder.write(data.subarray(0, kept - this.#passed));
    this.#dropped += Math.max(0, data.length - (kept - this.#passed));
    this.#passed += data.length;
    if (text !== "") this.#onText(text);
  }

  #finish(): void {
    const end = this.#decoder.end();
    if (end !== "") this.#onText(end);
    if (this.#dropped > 0)
      this.#onText(`\n[${this.#dropped} more bytes of output were omitted.]\n`);
    this.#passed = 0;
    this.#dropped = 0;
    this.#onMark();
  }
}
