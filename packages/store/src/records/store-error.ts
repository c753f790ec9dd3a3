import { CapstanError } from "@capstan/core/base";
import { type ErrorData, errorDataOf } from "./error-data.ts";

/**
 * What went wrong with the database, with what to do about it.
 *
 * @param what what was being done, as the beginning of a sentence: `Writing to the store`
 */
export function storeError(what: string, thrown: unknown): CapstanError {
  if (CapstanError.isInstance(thrown)) return thrown;
  return new CapstanError({ ...errorDataOf(what, thrown), cause: thrown });
}

/** An error that came from the writer's or the reader's thread. */
export function receivedError(data: ErrorData): CapstanError {
  return new CapstanError(data);
}
