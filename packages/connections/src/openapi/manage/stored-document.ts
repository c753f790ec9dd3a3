import type { OperationList } from "../definition/operation.ts";

/** The stored operations of a document: plain JSON without secrets. */
export interface StoredDocument {
  readonly format: 1;
  /** The connection's `identityOfDocument`. Operations with another identity do not apply. */
  readonly identity: string;
  /** The digest of the document's text and of the settings with which it was read. */
  readonly source: string;
  readonly title: string;
  /** True if the document refers to other files, which can change without it. */
  readonly hasFiles?: true;
  /** The operations that the document describes now. */
  readonly listed: OperationList;
  /** The operations that a user accepted, if they differ from the listed ones. */
  readonly accepted?: OperationList;
  /** Problems of the document, for users. */
  readonly notes: readonly string[];
}

/** Reads a stored document; undefined if the text is not one. */
export function parseStoredDocument(text: string): StoredDocument | undefined {
  try {
    const stored = JSON.parse(text) as Partial<StoredDocument> | null;
    // Only this program writes the file, and tools cannot access it.
    return stored?.format === 1 &&
      typeof stored.identity === "string" &&
      Array.isArray(stored.listed?.operations)
      ? (stored as StoredDocument)
      : undefined;
  } catch {
    return undefined;
  }
}
