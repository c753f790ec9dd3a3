import { hiddenCharacters } from "../definition/hidden-characters.ts";
import { readPermissions } from "../definition/permissions.ts";
import type { ReadScriptsOptions } from "../read/read-scripts.ts";
import type {
  DeclaredPermissions,
  ScriptFunction,
  ScriptLanguage,
  ScriptProblem,
} from "../definition/script-function.ts";

/** The tools that a source text defines, and its problems. */
export interface CheckedSource {
  readonly functions: readonly ScriptFunction[];
  readonly declared: DeclaredPermissions;
  readonly problems: readonly ScriptProblem[];
}

/**
 * Reads the text of a script like a file in a tools folder, without running or saving it.
 *
 * @throws the signal's reason when it aborts
 */
export async function checkSource(
  parsers: ReadScriptsOptions["parsers"],
  { language, source }: { readonly language: ScriptLanguage; readonly source: string },
  signal: AbortSignal | undefined,
): Promise<CheckedSource> {
  const [parsed] = await parsers[language]([new TextEncoder().encode(source)], signal);
  const read = parsed ?? {
    problems: [{ severity: "error", message: "The reader returned no result. Try again." }],
  };
  const { declared, problems } = readPermissions(read);
  return {
    functions: read.functions ?? [],
    declared,
    problems: [...read.problems, ...problems, ...hiddenCharacters(source)],
  };
}
