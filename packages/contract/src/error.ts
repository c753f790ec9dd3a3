/** The body of every error response. `param` and `code` are always strings. */
export interface ErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string;
    readonly code: string;
  };
}
