/** A text that users, developers or models read, with its position. */
export interface Passage {
  /** The path from the root. */
  readonly file: string;
  /** 1-based, of its first line. */
  readonly line: number;
  readonly kind: "document" | "comment" | "message" | "commit";
  /** Without markup; code is `code`, and line breaks are spaces. */
  readonly text: string;
}
