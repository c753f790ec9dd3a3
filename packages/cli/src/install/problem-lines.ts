import { type FileProblem, displayPath } from "@capstan/scripts";
import { printableLine } from "../terminal/printable.ts";

/**
 * Problems as compilers write them, `file:line:column: error: message`, which editors jump to.
 *
 * @param directory what paths are shown from, where they lie below it
 */
export function problemLines(
  problems: readonly FileProblem[],
  directory: string,
): readonly string[] {
  return problems.map(({ path, line, column, severity, message }) => {
    const place = [displayPath(path, directory), line, line === undefined ? undefined : column];
    const where = place.filter((part) => part !== undefined).join(":");
    // A name or a text of the script's own must not steer the terminal.
    return printableLine(`${where}: ${severity}: ${message}`);
  });
}
