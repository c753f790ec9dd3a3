import { createHash } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type JsonValue, type ToolError, type ToolContext, toolError } from "@capstan/core";
import { makeTemporaryFolder } from "@capstan/sandbox";

/** What one run of code is given as files: its text, and variables of the session. */
export interface CodeFolder {
  readonly path: string;
  readonly main: string;
  remove(): Promise<void>;
}

type VariableReader = Pick<ToolContext, "variables" | "readVariable">;

/** Where a program sees the folder. */
export const codeFolderInside = "/capstan";

/**
 * Writes code and the variables it names into a folder of its own: text is never pasted into
 * code, so nothing in a value can be taken for code. A variable is `vars/NAME`, its data, where
 * it has structure, `vars/NAME.json`.
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

/** Bytes of a name as it is: with an ending it is still a file's. */
const longestName = 200;

/**
 * The file of a variable, another for every name. What is no letter, digit, `_` or `-` is written as
 * in an address, `%2E`; a name that would be too long ends in its digest.
 */
export function fileName(name: string): string {
  const written = name.toWellFormed().replaceAll(/[^\p{L}\p{N}_-]/gu, percentEncoded);
  if (Buffer.byteLength(written) <= longestName) return written;
  const digest = createHash("sha256").update(written).digest("hex").slice(0, 32);
  return `${Buffer.from(written).subarray(0, 120).toString().replaceAll("\ufffd", "")}~${digest}`;
}

function percentEncoded(character: string): string {
  return Buffer.from(character).toString("hex").toUpperCase().replaceAll(/../g, "%$&");
}

/** The values of variables by their names, with their structure where they have one. */
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
