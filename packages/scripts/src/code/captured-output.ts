import { StringDecoder } from "node:string_decoder";

/**
 * The number of characters kept at the beginning and at the end; those at the beginning are
 * streamed.
 */
const headLength = 256 * 1024;
const tailLength = 64 * 1024;

/**
 * Captures a program's output: streams it up to a limit, and keeps its beginning and end in bounded
 * memory.
 */
export class CapturedOutput {
  readonly #onText: (text: string) => void;
  readonly #decoders = { out: new StringDecoder("utf8"), err: new StringDecoder("utf8") };
  #head = "";
  #tail = "";
  #dropped = 0;

  constructor(onText: (text: string) => void) {
    this.#onText = onText;
  }

  push(chunk: Buffer, from: "out" | "err"): void {
    this.#add(this.#decoders[from].write(chunk));
  }

  add(text: string): void {
    this.#add(text);
  }

  finish(): string {
    this.#add(this.#decoders.out.end() + this.#decoders.err.end());
    if (this.#tail.length > tailLength) this.#cutTail();
    const left = this.#dropped;
    return left === 0
      ? this.#head + this.#tail
      : `${this.#head}\n[… ${left} characters omitted …]\n${this.#tail}`;
  }

  #add(text: string): void {
    if (text === "") return;
    const remaining = headLength - this.#head.length;
    const first = text.slice(0, remaining);
    if (first !== "") {
      this.#head += first;
      this.#onText(first);
    }
    this.#tail += text.slice(remaining);
    // Cuts the tail only at twice its length, because a cut for each piece would be expensive.
    if (this.#tail.length > 2 * tailLength) this.#cutTail();
  }

  #cutTail(): void {
    this.#dropped += this.#tail.length - tailLength;
    this.#tail = this.#tail.slice(-tailLength);
  }
}
