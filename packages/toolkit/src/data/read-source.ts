import type { JsonValue, ToolContext } from "@capstan/core";
import { fileRoots, type FileToolsOptions } from "../files/file-roots.ts";
import { openPath } from "../files/open-path.ts";
import { formatBytes } from "../text/format-bytes.ts";
import { DataProblem } from "./data-problem.ts";

/** The maximum size of a file, and of all tables of a query together. */
export const maxBytes = 50 * 1024 * 1024;

/** Data as bytes of a file, a text, or a value. */
export type SourceData =
  | { readonly kind: "bytes"; readonly name: string; readonly bytes: Uint8Array }
  | { readonly kind: "text"; readonly name: string; readonly text: string }
  | { readonly kind: "value"; readonly name: string; readonly value: JsonValue };

/** The source of data: exactly one field is given. */
export interface Source {
  readonly file?: string | undefined;
  readonly variable?: string | undefined;
  readonly data?: unknown;
}

/** The parts of a call's context that sources need. */
export type SourceContext = Pick<ToolContext, "readVariable" | "variables" | "denied">;

/**
 * Reads a file inside the roots, a variable, or the given value.
 *
 * @throws DataProblem, FileError
 */
export async function readSource(
  { file, variable, data }: Source,
  options: FileToolsOptions,
  { readVariable, variables, denied }: SourceContext,
): Promise<SourceData> {
  if ([file, variable, data].filter((one) => one !== undefined).length !== 1)
    throw new DataProblem("unclear_source", "Give exactly one of file, variable or data.");
  if (file !== undefined) {
    await using opened = await openPath(await fileRoots(options, denied()), file);
    const { stats, shown, handle } = opened;
    if (!stats.isFile()) throw new DataProblem("invalid_data", `"${shown}" is not a file.`);
    if (stats.size > maxBytes)
      throw new DataProblem(
        "too_large",
        `"${shown}" has ${formatBytes(stats.size)}; files up to ${formatBytes(maxBytes)} can be queried.`,
      );
    return { kind: "bytes", name: shown, bytes: await handle.readFile() };
  }
  if (variable !== undefined) {
    const found = await readVariable(variable);
    if (found === undefined)
      throw new DataProblem("variable_not_found", variables.missingVariable(variable).message);
    const { data: value, text } = found.value;
    return value === undefined || typeof value === "string"
      ? { kind: "text", name: variable, text: value ?? text }
      : { kind: "value", name: variable, value };
  }
  return typeof data === "string"
    ? { kind: "text", name: "data", text: data }
    : { kind: "value", name: "data", value: data as JsonValue };
}
