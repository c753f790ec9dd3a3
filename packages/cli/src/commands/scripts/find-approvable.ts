import { relative, resolve } from "node:path";
import {
  type FileProblem,
  hiddenInFiles,
  languageParsers,
  readScriptFiles,
  readScripts,
  type Script,
} from "@capstan/scripts";
import type { Configuration } from "../../configuration/configuration.ts";
import { toolFilesAt } from "./tool-files-at.ts";

/** One file with all that an approval is about, read from the file itself. */
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
  if (another !== undefined)
    return refuse(`There are several files: name one, such as ${file.path}.`);
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
  // A module declares for itself, in code, once it is loaded: the word is on its content alone.
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
