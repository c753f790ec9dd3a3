// A process that reads one document. A hostile document can exceed any limit, so the process is
// killed at the limits of time and memory.
import { type DocumentOptions, readDocument } from "./read-document.ts";

/** The input of the process. */
export interface DocumentInput {
  readonly text: string;
  readonly options: DocumentOptions;
}

process.once("message", (message) => {
  const { text, options } = (message as { readonly input: DocumentInput }).input;
  process.send?.(readDocument(text, options), () => process.disconnect?.());
});
