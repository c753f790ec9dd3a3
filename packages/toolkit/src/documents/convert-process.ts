// A process that converts one document. A library can exceed any limit on a hostile document, so
// the process is killed at the limits of time and memory.
import { convertBytes } from "./convert-bytes.ts";
import type { DocumentKind } from "./document-kind.ts";

/** The input of the process. */
export interface ConversionInput {
  readonly kind: DocumentKind;
  readonly bytes: Uint8Array;
}

process.once("message", (message) => {
  const { kind, bytes } = (message as { readonly input: ConversionInput }).input;
  void convertBytes(kind, bytes).then((answer) =>
    process.send?.(answer, () => process.disconnect?.()),
  );
});
