import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after } from "node:test";
import type { ParsedFile } from "../definition/parsed-file.ts";
import type { ParseSources, ReadScriptsOptions } from "../read/read-scripts.ts";
import type { ScriptFunction } from "../definition/script-function.ts";

/** Creates a folder for tools, which is deleted after the tests. */
export async function toolFolder(files: { readonly [name: string]: string } = {}): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "capstan-tools-")));
  after(() => rm(folder, { recursive: true, force: true }));
  await put(folder, files);
  return folder;
}

/** Writes files into a folder, and creates their parents. */
export async function put(
  folder: string,
  files: { readonly [name: string]: string },
): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

/**
 * Returns parsers of a language of one line: the names of its functions. `broken` is an error in
 * line 3, and `permissions {…}` declares permissions.
 */
export function fakeParsers(): ReadScriptsOptions["parsers"] & { readonly read: string[] } {
  const read: string[] = [];
  const parse: ParseSources = (sources) =>
    Promise.resolve(
      sources.map((bytes) => {
        const source = new TextDecoder().decode(bytes);
        read.push(source);
        return parseLine(source);
      }),
    );
  return { python: parse, powershell: parse, read };
}

function parseLine(source: string): ParsedFile {
  if (source.includes("broken"))
    return { problems: [{ severity: "error", message: "It is broken.", line: 3 }] };
  const [names = "", permissions = "{}"] = source.split("permissions");
  return {
    rules: "Rules.",
    functions: names
      .split(" ")
      .flatMap((name) => (name.trim() === "" ? [] : fakeFunction(name.trim()))),
    declared: { file: JSON.parse(permissions) as Record<string, never>, functions: {} },
    problems: [],
  };
}

/** Returns a function of a script without parameters. */
export function fakeFunction(name: string): ScriptFunction {
  return {
    name,
    description: `Does ${name}.`,
    parameters: { type: "object", properties: {}, additionalProperties: false },
    raises: [],
    hasFormat: false,
    wantsContext: false,
    line: 1,
  };
}
