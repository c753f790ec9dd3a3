import {
  displayPath,
  type FileProblem,
  type ScriptApprovalBook,
  type ToolLibrary,
} from "@capstan/scripts";
import { type Invocation, printJson, printNotice } from "../../arguments/command.ts";
import { problemLines } from "../../install/check-tools.ts";
import { openScripts } from "../../install/open-scripts.ts";
import { printableLine } from "../../terminal/printable.ts";
import { type Style, styleFor } from "../../terminal/style.ts";
import { readConfiguration } from "../shared/read-configuration.ts";
import { runningServerNotice } from "../shared/running-server-notice.ts";
import { scriptTexts } from "../../texts/scripts.ts";

const texts = scriptTexts.list;

/** Lists the script files of the configuration's folders. */
export async function listScripts({ values }: Invocation): Promise<number> {
  const configuration = await readConfiguration(values);
  const scripts = await openScripts({ configuration, reserved: [], watch: false });
  const { library, approvals } = scripts;
  try {
    const beside = await runningServerNotice(configuration.dataDir);
    if (beside !== undefined) printNotice(beside);
    const files = listedFiles(library, approvals);
    if (values["json"] === true) {
      printJson(files);
      return 0;
    }
    const style = styleFor(process.stdout);
    process.stdout.write(renderList(files, configuration.scripts.folders, style));
    const problems = library.files.flatMap((file) => file.problems);
    for (const line of problemLines(problems, process.cwd())) printNotice(line);
    return 0;
  } finally {
    await scripts.close();
  }
}

/** A file of tools, as the command prints it. */
interface ListedFile {
  readonly path: string;
  readonly status: "live" | "stale" | "broken" | "unapproved";
  readonly approved: boolean;
  readonly groups: readonly {
    readonly id: string;
    readonly title: string;
    readonly tools: readonly {
      readonly name: string;
      readonly description: string;
      readonly parameters: object;
    }[];
  }[];
  readonly problems: readonly FileProblem[];
}

function listedFiles(
  { files, groups }: Pick<ToolLibrary, "files" | "groups">,
  approvals: Pick<ScriptApprovalBook, "approved">,
): readonly ListedFile[] {
  return files.map(({ path, status, groupIds, problems, script }) => ({
    path,
    status,
    // A module is loaded only after its approval.
    approved: script === undefined ? groupIds.length > 0 : approvals.approved(script) !== undefined,
    groups: groups
      .filter(({ name }) => groupIds.includes(name))
      .map(({ name, title = name, tools }) => ({
        id: name,
        title,
        tools: tools.map(({ definition }) => ({
          name: definition.function.name,
          description: definition.function.description ?? "",
          parameters: definition.function.parameters ?? { type: "object" },
        })),
      })),
    problems,
  }));
}

/** Formats the list of files as text. */
export function renderList(
  files: readonly ListedFile[],
  folders: readonly string[],
  style: Style,
): string {
  const places = folders.map((folder) => displayPath(folder, process.cwd())).join(", ");
  if (files.length === 0) return `${texts.none(places)}\n`;
  return files.map((file) => `${fileLines(file, style).join("\n")}\n`).join("\n");
}

function fileLines(file: ListedFile, style: Style): readonly string[] {
  const isAsking = !file.approved && (file.status === "live" || file.status === "stale");
  const notes = [
    ...(file.status === "live" ? [] : [texts.states[file.status]]),
    ...(isAsking ? [texts.needsApproval] : []),
  ];
  const note = notes.length === 0 ? "" : style.yellow(` (${notes.join(", ")})`);
  return [
    `${style.bold(printableLine(displayPath(file.path, process.cwd())))}${note}`,
    ...file.groups.flatMap(({ id, tools }) =>
      tools.map(
        ({ name, description }) =>
          `  ${id}.${name}${style.dim(`  ${printableLine(firstLine(description))}`)}`,
      ),
    ),
  ];
}

function firstLine(description: string): string {
  const [line = ""] = description.split("\n", 1);
  return line.length <= 100 ? line : `${line.slice(0, 99).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
