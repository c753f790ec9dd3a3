import { createHash } from "node:crypto";
import { basename, dirname, extname, relative, sep } from "node:path";
import type { Tool, ToolGroup } from "@capstan/core";
import type { ScriptProblemView, ScriptToolView, ScriptView } from "@capstan/contract";
import type { LibraryFile, ToolLibrary } from "../library/tool-library.ts";
import type { ScriptApprovalBook } from "../approve/script-approvals.ts";
import type { ScriptFunction, ScriptProblem } from "../definition/script-function.ts";

/**
 * Returns a file's id. It depends on the path only, so that it stays when the content changes, and
 * it contains no part of the path.
 */
export function scriptId(path: string): string {
  return `script_${createHash("sha256").update(path).digest("base64url").slice(0, 22)}`;
}

/** Returns the files of a library for the page. */
export function scriptViews(
  { files, groups }: Pick<ToolLibrary, "files" | "groups">,
  approvals: Pick<ScriptApprovalBook, "approved" | "list">,
  roots: readonly string[],
): readonly ScriptView[] {
  const approved = approvals.list();
  return byPath(files).map((file): ScriptView => {
    const { path, status, groupIds, problems, script } = file;
    const own = groups.filter(({ name }) => groupIds.includes(name));
    const { folder, name } = placeOf(path, roots);
    const isCurrent =
      script === undefined ? own.length > 0 : approvals.approved(script) !== undefined;
    return {
      id: scriptId(path),
      object: "script",
      name,
      folder: displayPath(folder, process.cwd()),
      language: languageOf(path),
      status,
      title: script?.title ?? own[0]?.title ?? name,
      groups: groupIds,
      tools: own.flatMap((group) => group.tools.map((tool) => toolView(group, tool, file))),
      problems: problems.map(problemView),
      approval:
        isCurrent && status === "live" ? "current" : approved.has(path) ? "outdated" : "none",
      editable: isEditable(path),
    };
  });
}

/** Returns whether a file is a script, which the page can change and approve. */
export function isEditable(path: string): boolean {
  return languageOf(path) !== "module" && /\.(py|ps1)$/.test(path);
}

/** Returns the language of a file by its extension. */
export function languageOf(name: string): ScriptView["language"] {
  const extension = extname(name);
  return extension === ".py" ? "python" : extension === ".ps1" ? "powershell" : "module";
}

/** Returns a function as a tool of its group, with the permissions of an unapproved file. */
export function functionView(
  group: string,
  { name, description, parameters, returns, line, hasFormat }: ScriptFunction,
  execution: string,
): ScriptToolView {
  return {
    id: `${group}.${name}`,
    name,
    description,
    parameters,
    ...(returns != null && { returns }),
    line,
    has_format: hasFormat,
    execution,
  };
}

/** Returns a problem in the form of the API. */
export function problemView({ severity, message, line, column }: ScriptProblem): ScriptProblemView {
  return {
    severity,
    message,
    ...(line !== undefined && { line }),
    ...(column !== undefined && { column }),
  };
}

/** Problems of a folder are reported separately from its files: one entry for each path. */
function byPath(files: readonly LibraryFile[]): readonly LibraryFile[] {
  const merged = new Map<string, LibraryFile>();
  for (const file of files) {
    const before = merged.get(file.path);
    merged.set(
      file.path,
      before === undefined ? file : { ...before, problems: [...before.problems, ...file.problems] },
    );
  }
  return [...merged.values()];
}

function toolView(group: ToolGroup, tool: Tool, { script }: LibraryFile): ScriptToolView {
  const { name, description = "", parameters = { type: "object" } } = tool.definition.function;
  const policy = tool.permission?.executionPolicy ?? "ask-once";
  const execution = typeof policy === "function" ? "depends" : policy;
  const known = script?.functions.find((one) => one.name === name);
  if (known !== undefined) return functionView(group.name, known, execution);
  return {
    id: `${group.name}.${name}`,
    name,
    description,
    parameters,
    ...(tool.declaredReturnType && { returns: tool.declaredReturnType }),
    has_format: tool.formatForLLM !== undefined,
    execution,
  };
}

function placeOf(path: string, roots: readonly string[]) {
  const root = roots.find((one) => path.startsWith(one + sep));
  const folder = root ?? dirname(path);
  return { folder, name: relative(folder, path).replaceAll(sep, "/") || basename(path) };
}

/** Returns the path relative to the directory if it is inside, otherwise the whole path. */
export function displayPath(path: string, directory: string): string {
  const inside = relative(directory, path);
  return inside === "" || inside.startsWith("..") ? path : inside;
}
