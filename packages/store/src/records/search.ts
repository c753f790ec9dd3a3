import type { JsonObject } from "@capstan/core";

/** A vector store, a file of a vector store, or a batch of files. */
export type SearchObjectKind = "store" | "file" | "batch";

/** A vector store, a file of it, or a batch of files, with its data. */
export interface SearchObject {
  /** The id of a store or a batch; of a file the ids of its store and the file (`storeFileId`). */
  readonly id: string;
  readonly owner: string;
  readonly kind: SearchObjectKind;
  /** The vector store of a file or a batch. */
  readonly parentId: string | null;
  readonly batchId: string | null;
  readonly fileId: string | null;
  readonly status: "in_progress" | "completed" | "cancelled" | "failed";
  /** The bytes of the indexed parts of a file. */
  readonly bytes: number;
  /** How often the files of a store have changed. */
  readonly revision: number;
  readonly data: JsonObject;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly createdSeq: number;
}

/** A part of an indexed file. */
export interface SearchChunk {
  readonly text: string;
  /** The words of the text in their indexed form: `[a-z0-9]+`, separated by spaces. */
  readonly words: string;
  /** The place in the document, for example its page or lines. */
  readonly place: JsonObject;
  /** The vector of an embedding model, in the caller's own form. */
  readonly vector?: string;
}

/** A stored part of an indexed file. */
export interface StoredChunk extends SearchChunk {
  /** The number of the part in the database. */
  readonly n: number;
  readonly fileId: string;
  /** The number of the part in its file, from 0. */
  readonly position: number;
}

/** The number of files of a vector store in each status, and their indexed bytes. */
export interface FileCount {
  readonly parentId: string;
  readonly status: SearchObject["status"];
  readonly files: number;
  readonly bytes: number;
}

/** The file id of a hidden row that means all files of a store. */
export const wholeStore = "";

/** Returns the id of a file in a vector store. */
export function storeFileId(storeId: string, fileId: string): string {
  return `${storeId}/${fileId}`;
}
