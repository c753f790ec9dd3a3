/** Every error of the API. `param` and `code` are always text. */
export interface ErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string;
    readonly code: string;
  };
}
