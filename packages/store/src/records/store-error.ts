import { CapstanError } from "@capstan/core/base";
import { type ErrorData, errorDataOf } from "./error-data.ts";

/**
 * Returns the error for a failure of the database, with advice.
 *
 * @param what the failed action, as the beginning of a sentence: `Writing to the store`
 */
export function storeError(action: string, thrown: unknown): CapstanError {
  if (CapstanError.isInstance(thrown)) return thrown;
  return new CapstanError({ ...errorDataOf(action, thrown), cause: thrown });
}

/** Returns the error that the thread of the writer or the reader posted. */
export function receivedError(data: ErrorData): CapstanError {
  return new CapstanError(data);
}

/**
 * Returns the error for reading a store that does not exist.
 *
 * @param location the folder or the database
 * @param otherBy the option or variable that names another one
 */
export function missingStoreError(location: string, otherBy: string): CapstanError {
  return new CapstanError({
    code: "no_store",
    message: `There is no store in ${location}: a server creates one at its first start. ${otherBy} names another.`,
  });
}
