/** An image or a file that a tool returned. */
export interface ReturnedFile {
  /** The id under which the result refers to it. */
  readonly id: string;
  /** The tool's name for it, which is not checked. */
  readonly name: string;
  readonly mimeType: string;
  /** The bytes as Base64. */
  readonly data: string;
  readonly callId: string;
}

/** The outcome of storing a file. */
export type StoredFile =
  | { readonly status: "stored"; readonly sha256: string; readonly size: number }
  /** `reason` is shown to the model, for example that a quota is used up. */
  | { readonly status: "refused"; readonly reason: string };

/**
 * Stores a file that a tool returned. The call's record and the messages then contain only a
 * reference to it. If it throws, the model reads that the file was not stored, but the error itself
 * is lost: log it before you throw it.
 */
export type StoreFile = (file: ReturnedFile) => StoredFile | Promise<StoredFile>;
