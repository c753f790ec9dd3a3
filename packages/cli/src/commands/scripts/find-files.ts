import { realpath, stat } from "node:fs/promises";
import { basename, dirname, relative, resolve } from "node:path";
import {
  type FileProblem,
  hiddenInFiles,
  languageParsers,
  readScriptFiles,
  readScripts,
  type Scan,
  scanFolder,
  type Script,
} from "@capstan/scripts";
import { CommandFailure, type Invocation } from "../../arguments/command.ts";
import { argumentTexts } from "../../texts/arguments.ts";
import type { Configuration } from "../../configuration/configuration.ts";
import { scriptTexts } from "../../texts/scripts.ts";

const texts = scriptTexts.find;

/** Returns the only operand of a command. @throws CommandFailure if there is none, or several */
export function onlyOperand({ positionals }: Invocation, what: string, example: string): string {
  const [operand, ...more] = positionals;
  if (operand !== undefined && more.length === 0) return operand;
  throw new CommandFailure(argumentTexts.oneOperand(what, example), 2);
}

/**
 * Returns the tool files at a path: a file, a plugin folder, or a folder of tools. The path is
 * resolved in the working directory, then in the configured folders.
 *
 * @returns an empty list and a problem if there are none
 */
export async function toolFilesAt(path: string, folders: readonly string[]): Promise<Scan> {
  for (const place of [".", ...folders]) {
    const whole = resolve(place, path);
    const found = await stat(whole).catch(() => undefined);
    // The user may name a path with links; links inside a tools folder are rejected.
    if (found !== undefined) return filesAt(await realpath(whole), found.isDirectory());
  }
  return nothing(resolve(path), texts.noPath);
}

async function filesAt(whole: string, isFolder: boolean): Promise<Scan> {
  const isMain = /^main\.[a-z0-9]+$/.test(basename(whole));
  const around = isFolder || !isMain ? dirname(whole) : dirname(dirname(whole));
  const scan = await scanFolder(around);
  const files = scan.files.filter((file) =>
    isFolder ? file.isPlugin && file.folder === whole : file.path === whole,
  );
  const problems = scan.problems.filter((problem) => problem.path.startsWith(whole));
  if (files.length > 0) return { files, problems };
  if (!isFolder)
    return problems.length > 0 ? { files, problems } : nothing(whole, texts.noToolFile);
  const inside = await scanFolder(whole);
  return inside.files.length + inside.problems.length > 0 ? inside : nothing(whole, texts.noTools);
}

function nothing(path: string, message: string): Scan {
  return { files: [], problems: [{ path, severity: "error", message }] };
}

/** A file with the content and the permissions that an approval covers. Read without the cache. */
export type Approvable =
  | {
      readonly status: "found";
      readonly path: string;
      readonly script: Script;
      readonly problems: readonly FileProblem[];
    }
  | {
      readonly status: "refused";
      readonly path: string;
      readonly problems: readonly FileProblem[];
    };

export async function findApprovable(
  path: string,
  { folders, python }: Configuration["scripts"],
): Promise<Approvable> {
  const { files, problems } = await toolFilesAt(path, folders);
  const [file, another] = files;
  if (file === undefined) return { status: "refused", path: resolve(path), problems };
  const refuse = (message: string): Approvable => ({
    status: "refused",
    path: file.path,
    problems: [{ path: file.path, severity: "error", message }],
  });
  if (another !== undefined) return refuse(texts.several(file.path));
  if (file.type === "script") {
    const parsers = languageParsers({ python });
    const [outcome] = await readScripts([file], { parsers });
    if (outcome?.status !== "read") {
      const found = outcome?.problems ?? [];
      return {
        status: "refused",
        path: file.path,
        problems: found.map((problem) => ({ ...problem, path: file.path })),
      };
    }
    const { script } = outcome;
    const found = script.problems.map((problem) => ({ ...problem, path: file.path }));
    return { status: "found", path: file.path, script, problems: found };
  }
  const { folder, isPlugin, name } = file;
  const made = await readScriptFiles({ folder, entry: relative(folder, file.path), isPlugin });
  if (made.status === "refused") return refuse(made.message);
  // A module declares its tools in code after loading, so the approval covers its content alone.
  const script: Script = {
    path: file.path,
    language: "python",
    groupId: name,
    title: name,
    rules: "",
    functions: [],
    problems: [],
    declared: { file: {}, functions: {} },
    files: [...made.contents.keys()],
    folder,
    contentHash: made.contentHash,
  };
  const hidden = hiddenInFiles(made.contents, relative(folder, file.path));
  const found = hidden.map((problem) => ({ ...problem, path: file.path }));
  return { status: "found", path: file.path, script, problems: found };
}
