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

/**
 * Returns the error for reading a store that does not exist.
 *
 * @param where the folder or the database
 * @param otherBy the option or variable that names another one
 */
export function missingStoreError(where: string, otherBy: string): CapstanError {
  return new CapstanError({
    code: "no_store",
    message: `There is no store in ${where}: a server makes one at its first start. ${otherBy} names another.`,
  });
}
