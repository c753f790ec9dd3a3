// A process that reads one document. A hostile document can exceed any limit, so the process is
// killed at the limits of time and memory.
import { readDocument } from "./read-document.ts";
import type { ReadOptions } from "./read-operations.ts";

/** The input of the process. */
export interface DocumentInput {
  readonly text: string;
  readonly options: ReadOptions;
}

process.once("message", (message) => {
  const { text, options } = (message as { readonly input: DocumentInput }).input;
  process.send?.(readDocument(text, options), () => process.disconnect?.());
});
