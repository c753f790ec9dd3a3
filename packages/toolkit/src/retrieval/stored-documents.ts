/** A part of a document that a search found. */
export interface DocumentHit {
  /** The name or the path of the file. */
  readonly document: string;
  /** The id of a stored file. */
  readonly fileId?: string;
  /** From 0 to 1. */
  readonly score: number;
  readonly text: string;
  readonly page?: number;
  readonly startLine?: number;
  readonly endLine?: number;
  readonly heading?: string;
  readonly attributes?: { readonly [key: string]: string | number | boolean };
}

/** The vector stores and files of users. The server supplies it. */
export interface StoredDocuments {
  /** Searches vector stores of a user. */
  search(query: {
    readonly owner: string;
    readonly storeIds: readonly string[];
    readonly query: string;
    /** A condition on attributes, in the form of OpenAI's API. */
    readonly filters: unknown;
    readonly limit: number;
    readonly minScore: number;
    readonly signal: AbortSignal;
  }): Promise<
    | { readonly status: "found"; readonly hits: readonly DocumentHit[] }
    | { readonly status: "failed"; readonly code: string; readonly message: string }
  >;
  /** Returns a file of a user, or undefined if there is none. */
  readFile(file: {
    readonly owner: string;
    readonly id: string;
  }): Promise<
    | { readonly name: string; readonly mimeType: string; readonly read: () => Promise<Uint8Array> }
    | undefined
  >;
}
