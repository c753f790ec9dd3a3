/**
 * A list entry whose stored row is corrupt. It has no effect, and the API shows none of its fields.
 */
export interface CorruptView {
  readonly object: "corrupt";
  readonly id: string;
  readonly error: { readonly code: "entry_corrupt"; readonly message: string };
}

/** Every list of the API, in OpenAI's form. */
export interface ListView<T> {
  readonly object: "list";
  readonly data: readonly T[];
  readonly has_more: boolean;
  readonly first_id: string | null;
  readonly last_id: string | null;
}
