import type { JsonObject } from "@capstan/core";
import type { SearchObject } from "@capstan/store";

/** The stored data of a vector store. */
export interface StoreData extends JsonObject {
  readonly name: string | null;
  readonly description: string | null;
  readonly metadata: { readonly [key: string]: string };
  readonly days: number | null;
  /** In ms since the epoch. */
  readonly lastActiveAt: number;
}

/** The size of the parts of a file, in tokens. */
export interface Chunking extends JsonObject {
  readonly maxTokens: number;
  readonly overlapTokens: number;
}

/** The stored data of a file of a vector store. */
export interface StoreFileData extends JsonObject {
  readonly attributes: { readonly [key: string]: string | number | boolean };
  readonly chunking: Chunking;
  readonly error: { readonly code: string; readonly message: string } | null;
  /** The model of the file's vectors. */
  readonly embedding: string | null;
}

/** Returns the data of a stored vector store. */
export function storeData({ data }: Pick<SearchObject, "data">): StoreData {
  return data as StoreData;
}

/** Returns the data of a stored file of a vector store. */
export function storeFileData({ data }: Pick<SearchObject, "data">): StoreFileData {
  return data as StoreFileData;
}

const dayMs = 24 * 60 * 60 * 1_000;

/** Returns when a vector store expires, in ms since the epoch, or null. */
export function expiryOf({ days, lastActiveAt }: StoreData): number | null {
  return days === null ? null : lastActiveAt + days * dayMs;
}
