import { join, relative } from "node:path";
import type { ToolExecutor, ToolGroup } from "@capstan/core";
import { errorMessage } from "@capstan/core/host";
import { loadModules, type ModuleApprovals, type ToolModule } from "../read/plugin-modules.ts";
import {
  readScripts,
  type ReadScriptsOptions,
  type ScriptFile,
  type ScriptOutcome,
} from "../read/read-scripts.ts";
import { type FileProblem, scanFolder, type ScannedFile } from "../read/scan-folder.ts";
import type {
  RunScriptFunction,
  Script,
  ApprovedContents,
  ScriptProblem,
} from "../definition/script-function.ts";
import { scriptGroup } from "./script-group.ts";
import type { ScriptVersions } from "../read/script-versions.ts";
import { FolderWatch } from "./watch-folders.ts";

/** Options of `openToolLibrary`. */
export interface ToolLibraryOptions {
  /** The absolute paths of the tools folders. A missing folder may be created later. */
  readonly folders: readonly string[];
  /** The ids of groups from other sources, which no file can use. */
  readonly reserved?: readonly string[];
  readonly parsers: ReadScriptsOptions["parsers"];
  readonly run: RunScriptFunction;
  /** Without it, declared permissions have no effect. */
  readonly approvals?: ApprovedContents;
  /**
   * Returns which plugin modules are imported. Without it none are, because they run inside the
   * server.
   */
  readonly modules?: ModuleApprovals;
  /**
   * Checks the packages that scripts need. Without it missing packages are only found by a call.
   */
  readonly needs?: ScriptNeeds;
  readonly versions?: ScriptVersions;
  /**
   * Returns the hashes of approved contents whose copies are kept, in addition to those in use.
   * @default none
   */
  readonly alsoKept?: () => readonly string[];
  /** The secret that authenticates caches next to scripts. @default no caches */
  readonly cacheSecret?: string;
  /** Whether to watch the folders. @default true */
  readonly watch?: boolean;
  readonly signal?: AbortSignal;
}

/** Checks the requirements of scripts before their calls. */
export interface ScriptNeeds {
  /** Returns the missing packages with advice, or undefined if nothing is missing. */
  missing(script: Script): Promise<string | undefined>;
  /**
   * Calls back when missing packages may have been installed.
   *
   * @returns removes the listener
   */
  subscribe(listener: () => void): () => void;
}

/** One file of the library, and its state. */
export interface LibraryFile {
  readonly path: string;
  /**
   * `live`: its tools are those of the file. `stale`: the file is broken, and its last good version
   * is used. `broken`: it has no tools. `unapproved`: a module that waits for a user's approval.
   */
  readonly status: "live" | "stale" | "broken" | "unapproved";
  readonly groupIds: readonly string[];
  readonly problems: readonly FileProblem[];
  readonly script?: Script;
}

/**
 * Opens a library of the tools in folders. It reads them at the start and after each change.
 *
 * @example
 * const library = await openToolLibrary({ folders: ["/srv/tools"], parsers, run });
 * library.subscribe(() => show(library.files));
 */
export async function openToolLibrary(options: ToolLibraryOptions): Promise<ToolLibrary> {
  const library = new ToolLibrary(options);
  await library.open();
  return library;
}

/** The tools of folders, kept up to date with their files. See `openToolLibrary`. */
export class ToolLibrary {
  /** The current groups in order: folders as configured, files by name. */
  groups: readonly ToolGroup[] = [];
  /** The approved versions of the files: models see no other part of a file. */
  readonly offered: ChangingGroups;
  #offered: readonly ToolGroup[] = [];
  /** The approved versions of files that were changed since, by path. */
  #approved: ReadonlyMap<string, Script> = new Map();
  files: readonly LibraryFile[] = [];
  readonly #options: ToolLibraryOptions;
  readonly #listeners = new Set<() => void>();
  /** The last good version of each file, by path. */
  #scripts: ReadonlyMap<string, Script> = new Map();
  #modules: ReadonlyMap<string, ToolModule> = new Map();
  /**
   * The group of each script; followers of the library are only notified of groups that changed.
   */
  #groups: ReadonlyMap<Script, ScriptGroup> = new Map();
  #watch: FolderWatch | undefined;
  #watchProblems: readonly string[] = [];
  #endApprovals: (() => void) | undefined;
  #updating: Promise<void> | undefined;
  #again: Promise<void> | undefined;
  #closed = false;

  constructor(options: ToolLibraryOptions) {
    this.#options = options;
    const offered = () => this.#offered;
    this.offered = {
      get groups() {
        return offered();
      },
      subscribe: (listener) => this.subscribe(listener),
    };
  }

  async open(): Promise<void> {
    const { folders, approvals, modules, needs, versions, alsoKept, watch = true } = this.#options;
    const changed = () => void this.refresh().catch(() => {});
    const ends = [approvals?.subscribe(changed), modules?.subscribe(changed)];
    if (watch) ends.push(needs?.subscribe(changed));
    this.#endApprovals = () => ends.forEach((end) => end?.());
    if (watch) {
      this.#watch = new FolderWatch({
        folders,
        onChange: changed,
        onProblem: (message) => void (this.#watchProblems = [...this.#watchProblems, message]),
      });
      // Watches first and then reads, so that no change is missed.
      await this.#watch.follow();
    }
    await this.refresh();
    // Only when a server starts: later, calls may still use the copy of an old version.
    if (!watch) return;
    const kept = [...this.#scripts.values(), ...this.#modules.values()];
    const used = kept.map(({ contentHash }) => contentHash);
    await versions?.prune(new Set([...used, ...(alsoKept?.() ?? [])]));
  }

  /** Reads the folders again. Calls during a refresh share the next one. */
  refresh(): Promise<void> {
    if (this.#updating === undefined) {
      this.#updating = this.#update().finally(() => (this.#updating = undefined));
      return this.#updating;
    }
    this.#again ??= this.#updating
      .catch(() => {})
      .then(() => {
        this.#again = undefined;
        return this.refresh();
      });
    return this.#again;
  }

  /**
   * Calls back after every change.
   *
   * @returns removes the listener
   */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#watch?.close();
    this.#endApprovals?.();
    this.#listeners.clear();
    await (this.#again ?? this.#updating)?.catch(() => {});
  }

  async #update(): Promise<void> {
    if (this.#closed) return;
    const { folders } = this.#options;
    const scans = await Promise.all(folders.map((folder) => scanFolder(folder)));
    const found = uniquePaths(scans.flatMap(({ files }) => files));
    const scripts = await this.#readScripts(found.filter((file) => file.type === "script"));
    const modules = await this.#readModules(found.filter((file) => file.type === "module"));
    const read = new Map([...scripts, ...modules].map((file) => [file.path, file]));
    const inOrder = found.flatMap(({ path }) => read.get(path) ?? []);
    const reserved = this.#options.reserved ?? [];
    const { groups, files } = withUniqueIds(inOrder, reserved);
    const approved = inOrder.map((file) => ({ ...file, groups: file.offered }));
    const { groups: offered } = withUniqueIds(approved, reserved);
    if (this.#closed) return;
    this.#offered = offered;
    this.#scripts = new Map(
      scripts.flatMap(({ path, script }) => (script === undefined ? [] : [[path, script]])),
    );
    this.groups = groups;
    this.files = [
      ...files,
      ...scans.flatMap(({ problems }) => problems).map(problemFile),
      ...this.#watchProblems.map((message) =>
        problemFile({ path: folders[0] ?? "", severity: "warning", message }),
      ),
    ];
    for (const listener of this.#listeners) notify(listener);
  }

  async #readScripts(files: readonly ScriptFile[]): Promise<readonly ReadFile[]> {
    const { parsers, versions, cacheSecret, signal } = this.#options;
    const outcomes = await readScripts(files, {
      parsers,
      previous: this.#scripts,
      ...(versions && { versions }),
      ...(cacheSecret !== undefined && { cacheSecret }),
      ...(signal && { signal }),
    });
    const groupsByScript = new Map<Script, ScriptGroup>();
    const needs = await Promise.all(outcomes.map((outcome) => this.#needsOf(outcome)));
    const approved = await Promise.all(
      outcomes.map((outcome, index) => this.#approvedScript(files[index], outcome)),
    );
    this.#approved = new Map(
      approved.flatMap((script) => (script === undefined ? [] : [[script.path, script]])),
    );
    const groupOf = (script: Script): ToolGroup => {
      const one = this.#groupOf(script);
      groupsByScript.set(script, one);
      return one.group;
    };
    const read = outcomes.map((outcome, index): ReadFile => {
      const path = outcome.status === "read" ? outcome.script.path : outcome.path;
      const approvedScript = approved[index];
      // After a restart, the last good version of a broken file is the approved one.
      const script =
        outcome.status === "read" ? outcome.script : (this.#scripts.get(path) ?? approvedScript);
      const own = outcome.status === "read" ? outcome.script.problems : outcome.problems;
      const problems = [...own, ...(needs[index] ?? [])].map((problem) => ({ ...problem, path }));
      const offered = approvedScript === undefined ? [] : [groupOf(approvedScript)];
      if (script === undefined) return { path, status: "broken", groups: [], offered, problems };
      if (outcome.status === "read" && isWithoutTools(script))
        return { path, status: "broken", script, groups: [], offered, problems };
      const status = outcome.status === "read" ? "live" : "stale";
      const groups = script === approvedScript ? offered : [groupOf(script)];
      return { path, status, script, problems, groups, offered };
    });
    this.#groups = groupsByScript;
    return read;
  }

  /**
   * Returns the approved version of a script, whatever its file contains now; without approvals,
   * the current version.
   */
  async #approvedScript(
    file: ScriptFile | undefined,
    outcome: ScriptOutcome,
  ): Promise<Script | undefined> {
    if (file === undefined) return undefined;
    const { path } = file;
    const { approvals, versions, parsers, signal } = this.#options;
    const now = outcome.status === "read" ? outcome.script : this.#scripts.get(path);
    if (approvals === undefined) return now;
    const contentHash = approvals.contentOf(path);
    const known = [now, this.#approved.get(path)].find((one) => one?.contentHash === contentHash);
    if (known !== undefined || contentHash === undefined) return known;
    const contents = await versions?.read(contentHash);
    if (versions === undefined || contents === undefined) return undefined;
    const folder = await versions.keep(contentHash, contents);
    const copy = { ...file, folder, path: join(folder, relative(file.folder, path)) };
    const [read] = await readScripts([copy], { parsers, ...(signal && { signal }) });
    if (read?.status !== "read" || read.script.contentHash !== contentHash) return undefined;
    return { ...read.script, path };
  }

  async #needsOf(outcome: ScriptOutcome): Promise<readonly ScriptProblem[]> {
    if (outcome.status === "broken") return [];
    const message = await this.#options.needs?.missing(outcome.script);
    return message === undefined ? [] : [{ severity: "warning", message }];
  }

  #groupOf(script: Script): ScriptGroup {
    const { run, approvals } = this.#options;
    const approved = approvals?.approved(script);
    const permissions = JSON.stringify(approved ?? null);
    const before = this.#groups.get(script);
    return before?.permissions === permissions
      ? before
      : { permissions, group: scriptGroup(script, { run, approved }) };
  }

  async #readModules(files: readonly ScannedFile[]): Promise<readonly ReadFile[]> {
    const { modules, versions } = this.#options;
    const loaded = await loadModules(files, {
      previous: this.#modules,
      ...(modules && { approvals: modules }),
      ...(versions && { versions }),
    });
    this.#modules = new Map(
      loaded.flatMap(({ module }) => (module === undefined ? [] : [[module.path, module]])),
    );
    return loaded.map(({ path, status, module, problems }) => ({
      path,
      status,
      groups: module?.groups ?? [],
      // The module is imported once it is approved.
      offered: module?.groups ?? [],
      problems: problems.map((problem) => ({ ...problem, path })),
    }));
  }
}

interface ScriptGroup {
  readonly group: ToolGroup;
  /** The permissions that the group was created with, as JSON. */
  readonly permissions: string;
}

interface ReadFile extends Omit<LibraryFile, "groupIds"> {
  readonly groups: readonly ToolGroup[];
  readonly offered: readonly ToolGroup[];
}

/** Returns whether errors leave the file without tools. A file without functions is just empty. */
function isWithoutTools({ functions, problems }: Script): boolean {
  return functions.length === 0 && problems.some(({ severity }) => severity === "error");
}

/** If two groups have the same id, the first one keeps it, and the other file gets an error. */
function withUniqueIds(
  files: readonly ReadFile[],
  reserved: readonly string[],
): { readonly groups: readonly ToolGroup[]; readonly files: readonly LibraryFile[] } {
  const owners = new Map(reserved.map((id) => [id, "a built-in group"]));
  const kept: ToolGroup[] = [];
  const shownFiles = files.map(({ groups, offered: _offered, ...file }): LibraryFile => {
    const problems = [...file.problems];
    const groupIds: string[] = [];
    for (const group of groups) {
      const owner = owners.get(group.name);
      if (owner === undefined) {
        owners.set(group.name, file.path);
        groupIds.push(group.name);
        kept.push(group);
        continue;
      }
      problems.push({
        path: file.path,
        severity: "error",
        message: `Its group id "${group.name}" belongs to ${owner}. Rename this file.`,
      });
    }
    const hasLostGroups = groups.length > 0 && groupIds.length === 0;
    return { ...file, ...(hasLostGroups && { status: "broken" }), groupIds, problems };
  });
  return { groups: kept, files: shownFiles };
}

/** Folders may contain each other. */
function uniquePaths(files: readonly ScannedFile[]): readonly ScannedFile[] {
  return [...new Map(files.map((file) => [file.path, file])).values()];
}

function problemFile(problem: FileProblem): LibraryFile {
  return { path: problem.path, status: "broken", groupIds: [], problems: [problem] };
}

/** A listener that throws must not undo the change. */
function notify(listener: () => void): void {
  try {
    listener();
  } catch (thrown) {
    process.emitWarning(`A listener of the tool library failed: ${errorMessage(thrown)}`);
  }
}

/** Groups that can change while a server runs. */
export interface ChangingGroups {
  readonly groups: readonly ToolGroup[];
  subscribe(listener: () => void): () => void;
}

/**
 * Keeps an executor's groups up to date with a library: registers new groups and removes old ones
 * while the executor is in use. Running calls end normally.
 *
 * @param options.isOn returns whether a new group is enabled
 * @returns stops following
 */
export function followLibrary(
  library: ChangingGroups,
  executor: ToolExecutor,
  options: { readonly isOn: (group: string) => boolean },
): () => void {
  let registered = new Map<string, ToolGroup>();
  const follow = (to: ToolExecutor) => {
    const libraryGroups = new Map(library.groups.map((group) => [group.name, group]));
    for (const [name, group] of registered)
      if (libraryGroups.get(name) !== group) to.unregisterToolGroup(name);
    for (const [name, group] of libraryGroups) {
      if (registered.get(name) === group) continue;
      to.registerToolGroup(group);
      // A group that existed before keeps its switch.
      if (!registered.has(name)) to.toggleGroupEnabled(name, options.isOn(name));
    }
    registered = libraryGroups;
  };
  follow(executor);
  // Sessions do not report their end, so the library must not keep their executor in memory.
  const kept = new WeakRef(executor);
  const end = library.subscribe(() => {
    const present = kept.deref();
    if (present === undefined) end();
    else follow(present);
  });
  return end;
}
