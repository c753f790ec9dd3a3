import { CapstanError } from "@capstan/core/base";

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
