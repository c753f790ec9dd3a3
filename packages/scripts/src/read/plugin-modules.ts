import { join, relative, sep } from "node:path";
import type { ToolGroup } from "@capstan/core";
import { errorMessage } from "@capstan/core/host";
import { groupsOf } from "./module-groups.ts";
import { hiddenInFiles } from "../definition/hidden-characters.ts";
import type { ScannedFile } from "./scan-folder.ts";
import { readScriptFiles } from "./script-files.ts";
import type { ScriptProblem } from "../definition/script-function.ts";
import type { ScriptVersions } from "./script-versions.ts";
import type { FileContents } from "../definition/parsed-file.ts";
import { realpathSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

/**
 * The modules that may be imported. They run inside the server, so a user approves each version.
 */
export interface ModuleApprovals {
  approved(module: { readonly path: string; readonly contentHash: string }): boolean;
  /**
   * Calls back when an approval is given or revoked.
   *
   * @returns removes the listener
   */
  subscribe(listener: () => void): () => void;
}

/** A plugin module that was imported. */
export interface ToolModule {
  readonly path: string;
  readonly contentHash: string;
  readonly groups: readonly ToolGroup[];
}

/** The state of a plugin module. */
export interface LoadedModule {
  readonly path: string;
  readonly status: "live" | "stale" | "broken" | "unapproved";
  readonly module?: ToolModule;
  readonly problems: readonly ScriptProblem[];
}

/** Options of `loadModules`. */
export interface LoadModulesOptions {
  readonly previous: ReadonlyMap<string, ToolModule>;
  readonly approvals?: ModuleApprovals;
  readonly versions?: ScriptVersions;
}

/**
 * Imports the plugin modules whose current version is approved; no other module runs. A module that
 * fails keeps its last good version.
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
    // Revoking an approval also stops the version in use.
    return module !== undefined && approvals?.approved(module) === true
      ? { path, status: "stale", module, problems }
      : { path, status: "broken", problems };
  };
  let files: Awaited<ReturnType<typeof readScriptFiles>>;
  try {
    files = await readScriptFiles({ folder, entry, isPlugin });
  } catch (thrown) {
    return failed(`It cannot be read: ${errorMessage(thrown)}.`);
  }
  if (files.status === "refused") return failed(files.message);
  const { contents, contentHash } = files;
  const hidden = hiddenInFiles(contents, entry.replaceAll(sep, "/"));
  if (approvals?.approved({ path, contentHash }) !== true)
    return { path, status: "unapproved", problems: [notApproved, ...hidden] };
  const before = previous.get(path);
  if (before?.contentHash === contentHash)
    return { path, status: "live", module: before, problems: hidden };
  if (versions === undefined)
    return failed("Modules are loaded only from copies, and no folder for copies is configured.");
  const importError = outsideImport(contents);
  if (importError !== undefined) return failed(importError);
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

const notApproved: ScriptProblem = {
  severity: "warning",
  message:
    "It is not loaded: a module runs inside the server, so a user must approve its current version first.",
};

/**
 * Returns a relative import of a file that is not part of the module: it would run unapproved code.
 */
function outsideImport(contents: FileContents): string | undefined {
  for (const [name, bytes] of contents) {
    // Packages contain code for other platforms, too; their actual imports are checked when they
    // load.
    if (!/\.[mc]?[jt]s$/.test(name) || name.includes("node_modules/")) continue;
    const text = Buffer.from(bytes).toString("utf8");
    for (const [, specifier = ""] of text.matchAll(
      /(?:\bfrom\s*|\bimport\s*\(?\s*)["'](\.{1,2}\/[^"'\n]+|file:[^"'\n]+|\/[^"'\n]+)["']/g,
    )) {
      const target = new URL(specifier, `module:///${name}`);
      const inside = decodeURIComponent(target.pathname).slice(1);
      if (target.protocol === "module:" && contents.has(inside)) continue;
      return importProblem(name, specifier);
    }
  }
  return undefined;
}

/** The URLs of the folders of copies. */
const copies = new Set<string>();
let hooked = false;

/**
 * Imports a module from its copy. Everything that it imports, at once or later, must be part of the
 * copy, of Node.js, or this server's `@capstan/core`: no other code was approved.
 */
async function importCopy(options: {
  readonly copy: string;
  readonly entry: string;
}): Promise<{ readonly [name: string]: unknown }> {
  const copy = realpathSync(options.copy);
  copies.add(pathToFileURL(copy + sep).href);
  if (!hooked) {
    hooked = true;
    registerHooks({ resolve });
  }
  return (await import(pathToFileURL(join(copy, options.entry)).href)) as {
    readonly [name: string]: unknown;
  };
}

type Resolve = NonNullable<Parameters<typeof registerHooks>[0]["resolve"]>;

const resolve: Resolve = (specifier, context, next) => {
  const { parentURL } = context;
  const copy = [...copies].find((one) => parentURL?.startsWith(one) === true);
  if (copy === undefined || parentURL === undefined) return next(specifier, context);
  if (/^@capstan\/core(\/|$)/.test(specifier))
    return next(specifier, { ...context, parentURL: import.meta.url });
  const found = resolved(specifier, context, next);
  if (found?.url.startsWith("node:") === true || found?.url.startsWith(copy) === true) return found;
  throw new Error(
    importProblem(fileURLToPath(parentURL).slice(fileURLToPath(copy).length), specifier),
  );
};

/** Returns undefined if the module cannot be resolved. */
function resolved(...[specifier, context, next]: Parameters<Resolve>) {
  try {
    return next(specifier, context);
  } catch {
    return undefined;
  }
}

/** Returns the message for an import that an approval does not cover. */
function importProblem(name: string, specifier: string): string {
  const isPackage = !/^(\.{0,2}\/|[a-z]+:)/.test(specifier);
  return `${name} imports "${specifier}", which is not part of it. ${
    isPackage
      ? "Make it a folder with a main.ts, and install the package in that folder: its node_modules is approved with it."
      : 'Files that a single file imports must begin with "_"; or make it a folder with a main.ts.'
  }`;
}
