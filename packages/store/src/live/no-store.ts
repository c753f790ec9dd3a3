import { CapstanError } from "@capstan/core";

/**
 * Who wants to read a store finds none.
 *
 * @param where a folder, or a database
 * @param otherBy what names another one
 */
export function noStore(where: string, otherBy: string): CapstanError {
  return new CapstanError({
    code: "no_store",
    message: `There is no store in ${where}: a server makes one at its first start. ${otherBy} names another.`,
  });
}
