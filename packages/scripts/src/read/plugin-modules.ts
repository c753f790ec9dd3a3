import { relative, sep } from "node:path";
import type { ToolGroup } from "@capstan/core";
import { errorMessage } from "@capstan/core/host";
import { groupsOf } from "./module-groups.ts";
import { hiddenInFiles } from "../definition/hidden-characters.ts";
import { importCopy, noPart } from "./import-copy.ts";
import type { ScannedFile } from "./scan-folder.ts";
import { readScriptFiles } from "./script-files.ts";
import type { ScriptProblem } from "../definition/script-function.ts";
import type { ScriptVersions } from "./script-versions.ts";
import type { FileContents } from "../definition/parsed-file.ts";

/** Which modules may be imported. They run inside the server, so a person says so for each content. */
export interface ModuleApprovals {
  approved(module: { readonly path: string; readonly contentHash: string }): boolean;
  /** Calls back when an approval is given or taken back; returns what ends it. */
  subscribe(listener: () => void): () => void;
}

/** A plugin module that was imported. */
export interface ToolModule {
  readonly path: string;
  readonly contentHash: string;
  readonly groups: readonly ToolGroup[];
}

export interface LoadedModule {
  readonly path: string;
  readonly status: "live" | "stale" | "broken" | "unapproved";
  readonly module?: ToolModule;
  readonly problems: readonly ScriptProblem[];
}

export interface LoadModulesOptions {
  readonly previous: ReadonlyMap<string, ToolModule>;
  readonly approvals?: ModuleApprovals;
  readonly versions?: ScriptVersions;
}

/**
 * Imports plugin modules that a person approved as they are; of the others nothing is run. A
 * module that fails keeps its last good version.
 */
export function loadModules(
  files: readonly ScannedFile[],
  options: LoadModulesOptions,
): Promise<readonly LoadedModule[]> {
  return Promise.all(files.map((file) => loadModule(file, options)));
}

async function loadModule(
  file: ScannedFile,
  { previous, approvals, versions }: LoadModulesOptions,
): Promise<LoadedModule> {
  const { path, folder, isPlugin } = file;
  const entry = relative(folder, path);
  const failed = (message: string): LoadedModule => {
    const problems = [{ severity: "error", message }] as const;
    const module = previous.get(path);
    // Whoever takes back an approval means the version that is in use too.
    return module !== undefined && approvals?.approved(module) === true
      ? { path, status: "stale", module, problems }
      : { path, status: "broken", problems };
  };
  let made: Awaited<ReturnType<typeof readScriptFiles>>;
  try {
    made = await readScriptFiles({ folder, entry, isPlugin });
  } catch (thrown) {
    return failed(`It cannot be read: ${errorMessage(thrown)}.`);
  }
  if (made.status === "refused") return failed(made.message);
  const { contents, contentHash } = made;
  const hidden = hiddenInFiles(contents, entry.replaceAll(sep, "/"));
  if (approvals?.approved({ path, contentHash }) !== true)
    return { path, status: "unapproved", problems: [waits, ...hidden] };
  const before = previous.get(path);
  if (before?.contentHash === contentHash)
    return { path, status: "live", module: before, problems: hidden };
  if (versions === undefined) return failed("Modules are only loaded where copies are kept.");
  const stranger = outsideImport(contents);
  if (stranger !== undefined) return failed(stranger);
  try {
    const copy = await versions.keep(contentHash, contents);
    const exports = await importCopy({ copy, entry });
    const found = await groupsOf(exports, file.name);
    if (found.status === "refused") return failed(found.message);
    return {
      path,
      status: "live",
      module: { path, contentHash, groups: found.groups },
      problems: hidden,
    };
  } catch (thrown) {
    return failed(`It cannot be imported: ${errorMessage(thrown)}`);
  }
}

const waits: ScriptProblem = {
  severity: "warning",
  message:
    "It is not loaded: a module runs inside the server, so a person approves it first, as it is now.",
};

/** A relative import of what is not part of the module would run what nobody approved. */
function outsideImport(contents: FileContents): string | undefined {
  for (const [name, bytes] of contents) {
    // Packages have code for other places too; what they really import is seen when they do.
    if (!/\.[mc]?[jt]s$/.test(name) || name.includes("node_modules/")) continue;
    const text = Buffer.from(bytes).toString("utf8");
    for (const [, specifier = ""] of text.matchAll(
      /(?:\bfrom\s*|\bimport\s*\(?\s*)["'](\.{1,2}\/[^"'\n]+|file:[^"'\n]+|\/[^"'\n]+)["']/g,
    )) {
      const target = new URL(specifier, `module:///${name}`);
      const inside = decodeURIComponent(target.pathname).slice(1);
      if (target.protocol === "module:" && contents.has(inside)) continue;
      return noPart(name, specifier);
    }
  }
  return undefined;
}
