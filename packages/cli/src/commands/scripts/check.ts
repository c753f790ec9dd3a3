import { relative } from "node:path";
import {
  type DeclaredPermissions,
  type FileProblem,
  hiddenInFiles,
  languageParsers,
  readScriptFiles,
  readScripts,
  type ScannedFile,
  scanFolder,
  type ScriptFunction,
  scriptGroup,
  type ScriptProblem,
} from "@capstan/scripts";
import { type Invocation, printJson, printNotice } from "../../arguments/command.ts";
import { checkSchemas, problemLines } from "../../install/check-tools.ts";
import { formatCount } from "../../terminal/style.ts";
import { readConfiguration } from "../shared/read-configuration.ts";
import { toolFilesAt } from "./find-files.ts";
import { scriptTexts } from "../../texts/scripts.ts";

const texts = scriptTexts.check;

/** Prints the problems of scripts. The exit code is 1 if there is an error. */
export async function checkScripts({ values, positionals }: Invocation): Promise<number> {
  const { scripts } = await readConfiguration(values);
  const checked = await checkPaths(positionals, scripts);
  const problems = checked.flatMap((file) => file.problems);
  const tools = checked.reduce((sum, { functions }) => sum + functions.length, 0);
  if (values["json"] === true) printJson(checked);
  else {
    for (const line of problemLines(problems, process.cwd())) process.stdout.write(`${line}\n`);
    const wrong =
      problems.length === 0 ? texts.noProblems : formatCount(problems.length, "problem");
    printNotice(
      [formatCount(checked.length, "file"), formatCount(tools, "tool"), wrong].join(", "),
    );
  }
  return problems.some(({ severity }) => severity === "error") ? 1 : 0;
}

/** The result of checking one file. */
export interface CheckedFile {
  readonly path: string;
  readonly group?: string;
  readonly title?: string;
  readonly functions: readonly ScriptFunction[];
  /** Its declared permissions, which apply after a user approved the file. */
  readonly declared?: DeclaredPermissions;
  readonly content_hash?: string;
  readonly problems: readonly FileProblem[];
}

/** Reads the files of paths, or of the folders, without the cache and without running them. */
export async function checkPaths(
  paths: readonly string[],
  options: { readonly folders: readonly string[]; readonly python?: string | undefined },
): Promise<readonly CheckedFile[]> {
  const { folders, python } = options;
  const scans = await Promise.all(
    paths.length === 0
      ? folders.map((folder) => scanFolder(folder))
      : paths.map((path) => toolFilesAt(path, folders)),
  );
  const files = scans.flatMap((scan) => scan.files);
  const scripts = files.filter((file) => file.type === "script");
  const parsers = languageParsers({ python });
  const outcomes = await readScripts(scripts, { parsers });
  return [
    ...outcomes.map((outcome): CheckedFile => {
      if (outcome.status === "broken") {
        const { path, problems } = outcome;
        return { path, functions: [], problems: problems.map((one) => ({ ...one, path })) };
      }
      const { path, groupId, title, functions, declared, contentHash, problems } = outcome.script;
      const run = () => Promise.reject(new Error("A checked script is not run."));
      const schemas = checkSchemas([scriptGroup(outcome.script, { run, approved: undefined })]);
      return {
        path,
        group: groupId,
        title,
        functions,
        ...(declared !== undefined && { declared }),
        content_hash: contentHash,
        problems: [
          ...problems.map((one) => ({ ...one, path })),
          ...schemas.map((message) => ({ path, severity: "warning" as const, message })),
        ],
      };
    }),
    ...(await Promise.all(files.filter((file) => file.type === "module").map(checkModule))),
    ...scans
      .flatMap((scan) => scan.problems)
      .map((problem): CheckedFile => ({ path: problem.path, functions: [], problems: [problem] })),
  ];
}

/** Returns the problems of a module that are visible without running it: hidden text. */
async function checkModule({ path, folder, isPlugin, name }: ScannedFile): Promise<CheckedFile> {
  const entry = relative(folder, path);
  const made = await readScriptFiles({ folder, entry, isPlugin });
  const problems: readonly ScriptProblem[] =
    made.status === "refused"
      ? [{ severity: "error", message: made.message }]
      : [moduleUnchecked, ...hiddenInFiles(made.contents, entry)];
  return { path, title: name, functions: [], problems: problems.map((one) => ({ ...one, path })) };
}

const moduleUnchecked: ScriptProblem = {
  severity: "warning",
  message: texts.moduleUnchecked,
};
