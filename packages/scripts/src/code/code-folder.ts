import { createHash } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type JsonValue, type ToolError, type ToolContext, toolError } from "@capstan/core";
import { makeTemporaryFolder } from "@capstan/sandbox";

/** The files for one run of code: its text, and variables of the session. */
export interface CodeFolder {
  readonly path: string;
  readonly main: string;
  remove(): Promise<void>;
}

type VariableReader = Pick<ToolContext, "variables" | "readVariable">;

/** The path of the folder in the sandbox. */
export const codeFolderInside = "/capstan";

/**
 * Writes code and the variables that it uses into a new folder. Values are never pasted into code,
 * so no part of a value can run as code. A variable is the file `vars/NAME`, and its data, if it is
 * structured, is `vars/NAME.json`.
 */
export async function makeCodeFolder(options: {
  readonly main: string;
  readonly code: string;
  readonly context: VariableReader;
  readonly names: readonly string[];
}): Promise<CodeFolder | ToolError> {
  const { main, code, context, names } = options;
  const path = makeTemporaryFolder();
  const remove = () => rm(path, { recursive: true, force: true });
  try {
    await mkdir(join(path, "vars"));
    await writeFile(join(path, main), code);
    for (const name of names) {
      const found = await context.readVariable(name);
      if (found === undefined) {
        await remove();
        return toolError(context.variables.missingVariable(name));
      }
      const { text, data } = found.value;
      const file = join(path, "vars", fileName(name));
      await writeFile(file, text);
      if (data !== undefined) await writeFile(`${file}.json`, JSON.stringify(data));
    }
    return { path, main: join(path, main), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** The longest name in bytes that is kept; with an extension it is still a valid file name. */
const maxNameBytes = 200;

/**
 * Returns the file name of a variable, different for every name. Characters other than letters,
 * digits, `_` and `-` are percent-encoded, as in `%2E`. A name that is too long ends with its
 * digest.
 */
export function fileName(name: string): string {
  const written = name.toWellFormed().replaceAll(/[^\p{L}\p{N}_-]/gu, percentEncoded);
  if (Buffer.byteLength(written) <= maxNameBytes) return written;
  const digest = createHash("sha256").update(written).digest("hex").slice(0, 32);
  return `${Buffer.from(written).subarray(0, 120).toString().replaceAll("\ufffd", "")}~${digest}`;
}

function percentEncoded(character: string): string {
  return Buffer.from(character).toString("hex").toUpperCase().replaceAll(/../g, "%$&");
}

/** Returns the values of variables by name, as data if they are structured. */
export async function readVariableValues(
  names: readonly string[],
  context: VariableReader,
): Promise<{ readonly [name: string]: JsonValue } | ToolError> {
  const values: [string, JsonValue][] = [];
  for (const name of names) {
    const found = await context.readVariable(name);
    if (found === undefined) return toolError(context.variables.missingVariable(name));
    values.push([name, found.value.data ?? found.value.text]);
  }
  return Object.fromEntries(values);
}
