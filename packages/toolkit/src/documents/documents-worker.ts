import { answerWorker } from "@capstan/sandbox";
import { convertBytes } from "./convert-bytes.ts";
import type { DocumentKind } from "./document-kind.ts";

/** The input of the worker. */
export interface ConversionInput {
  readonly kind: DocumentKind;
  readonly bytes: Uint8Array;
}

await answerWorker(({ kind, bytes }: ConversionInput) => convertBytes(kind, bytes));
