/** The text of a document, or why it has none. */
export type DocumentText =
  | { readonly status: "read"; readonly text: string }
  | {
      readonly status: "failed";
      readonly cause: "unsupported" | "invalid" | "transient";
      readonly reason: string;
    };

/** The position of a part in its document. Lines count from 1. */
export interface PartPlace {
  readonly startLine: number;
  readonly endLine: number;
  readonly page?: number;
  readonly heading?: string;
}

/** A part that a search found, with its rank in each list, from 0. */
export interface RankedPart<Part> {
  readonly part: Part;
  readonly words: ReadonlySet<string>;
  readonly textRank?: number;
  readonly vectorRank?: number;
  readonly similarity?: number;
}

/** Reads, divides and ranks documents. The composition root supplies it. */
export interface DocumentReader {
  read(document: {
    readonly name: string;
    readonly mimeType: string;
    readonly bytes: Uint8Array;
    /** Documents of different users are read in round-robin order. */
    readonly user?: string;
    readonly signal: AbortSignal;
  }): Promise<DocumentText>;
  /** Yields the parts of a text, and `undefined` at points at which the caller can pause. */
  split(
    text: string,
    size: { readonly maxTokens: number; readonly overlapTokens: number },
  ): Iterable<{ readonly text: string; readonly place: PartPlace } | undefined>;
  /** Returns words in the form of the full-text index, `[a-z0-9]+`. */
  words(text: string, options?: { readonly isQuery?: boolean }): readonly string[];
  /** Merges the lists of full-text and vector search, the best first, with scores from 0 to 1. */
  rank<Part>(
    parts: readonly RankedPart<Part>[],
    queryWords: readonly string[],
  ): readonly { readonly part: Part; readonly score: number }[];
}

/** The reader of a server that cannot read documents. */
export const noDocuments: DocumentReader = {
  read: async () => ({
    status: "failed",
    cause: "unsupported",
    reason: "this server was started without a reader of documents",
  }),
  split: () => [],
  words: () => [],
  rank: () => [],
};
