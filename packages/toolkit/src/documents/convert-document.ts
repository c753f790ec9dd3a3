import { runInProcess, runInSlot, workerModule } from "@capstan/sandbox";
import { documentKind } from "./document-kind.ts";
import type { ConvertedDocument } from "./convert-bytes.ts";
import type { ConversionInput } from "./convert-process.ts";

/** A document to convert. */
export interface DocumentInput {
  readonly name: string;
  readonly mimeType: string;
  readonly bytes: Uint8Array;
  /**
   * The owner of the job. The queue alternates between users. @default one user for all such
   * documents
   */
  readonly user?: string | undefined;
  readonly signal: AbortSignal;
}

const maxBytes = 50 * 1024 * 1024;
const timeoutMs = 30_000;
const heapMb = 512;
const memoryMb = 1_024;
const atOnce = 2;

/** Returns whether a file is a document that `convertDocument` can convert. */
export function isConvertible(file: { readonly name: string; readonly mimeType: string }): boolean {
  return documentKind(file) !== undefined;
}

/**
 * Converts a PDF, DOCX, XLSX, PPTX, EPUB or HTML document to Markdown. It is parsed in its
 * own process with limits on size, time and memory, because documents are not trusted.
 *
 * @throws the signal's reason when it aborts
 * @example
 * const { signal } = new AbortController();
 * const bytes = new TextEncoder().encode("<h1>Hello</h1>");
 * await convertDocument({ name: "a.html", mimeType: "text/html", bytes, signal });
 */
export async function convertDocument(input: DocumentInput): Promise<ConvertedDocument> {
  const { bytes, signal } = input;
  const kind = documentKind(input);
  if (kind === undefined) return failed("its type is not a document that can be converted");
  if (bytes.length > maxBytes)
    return failed(`it has ${bytes.length} bytes; at most ${maxBytes} are converted`);
  const outcome = await runInSlot({ pool: "documents", atOnce, user: input.user, signal }, () =>
    runInProcess<ConvertedDocument>({
      module: workerModule("convert-process", import.meta.url),
      input: { kind, bytes } satisfies ConversionInput,
      timeoutMs,
      heapMb,
      memoryMb,
      signal,
    }),
  );
  if (outcome.status === "busy")
    return failed("too many documents are in the queue", { isTransient: true });
  if (outcome.status === "timed_out")
    return failed(`its conversion took over ${timeoutMs / 1_000} s`, { isTransient: true });
  // Errors of a process that crashed can contain paths of the server.
  if (outcome.status === "failed")
    return failed("its conversion needed too much memory or crashed", { isTransient: true });
  return outcome.value;
}

function failed(reason: string, more: { readonly isTransient?: boolean } = {}): ConvertedDocument {
  return { status: "failed", reason, ...more };
}
