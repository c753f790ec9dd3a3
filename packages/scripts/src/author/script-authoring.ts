import { realpath } from "node:fs/promises";
import { sep } from "node:path";
import { isToolError } from "@capstan/core";
import type { AuthoringOutcome, ScriptAuthoring } from "@capstan/contract";
import { checkSource } from "./check-source.ts";
import { createSource, saveSource } from "./source-file.ts";
import { DeletedFiles } from "./deleted-files.ts";
import { readScriptName } from "./script-name.ts";
import { templates } from "./script-templates.ts";
import type { ScriptServices } from "./script-services.ts";
import { findScannedFile, readFromDisk, scriptDetail, scriptFiles } from "./script-detail.ts";
import {
  functionView,
  isEditable,
  languageOf,
  problemView,
  scriptId,
  scriptViews,
} from "./script-view.ts";

/**
 * Creates the operations on tool files for their authors. Every path comes from a scan of the
 * folders; a request names a file by an id that does not contain its path.
 *
 * @param options.deleted a folder for deleted files, in the data directory
 */
export async function createScriptAuthoring(options: {
  readonly scripts: Pick<
    ScriptServices,
    "library" | "approvals" | "parsers" | "versions" | "values" | "listValues"
  >;
  readonly folders: readonly string[];
  readonly deleted: string;
}): Promise<ScriptAuthoring> {
  const { scripts, folders } = options;
  const { library, approvals, parsers } = scripts;
  const deleted = new DeletedFiles(options.deleted);
  /** Listeners that are also notified of changed values. */
  const ofValues = new Set<() => void>();
  const tellOfValues = () => {
    for (const listener of ofValues) listener();
  };
  const write = createSerialQueue();
  const parse = createSerialQueue();
  const rootsNow = () => Promise.all(folders.map((folder) => realpath(folder).catch(() => folder)));
  let roots = await rootsNow();
  const views = () => scriptViews(library, approvals, roots);
  const pathOf = (id: string) => library.files.find(({ path }) => scriptId(path) === id)?.path;

  const read: ScriptAuthoring["read"] = async (id, signal) => {
    const path = pathOf(id);
    const view = views().find((one) => one.id === id);
    if (path === undefined || view === undefined) return undefined;
    return scriptDetail(view, path, { scripts, folders, signal });
  };
  /** Returns the file once the library has read the change. */
  const after = async (path: string): Promise<AuthoringOutcome> => {
    await library.refresh();
    const script = await read(scriptId(path));
    return script === undefined ? { status: "not_found" } : { status: "done", script };
  };
  /** Returns the path of a script that may be changed here. */
  const writable = (
    id: string,
  ):
    | { readonly status: "found"; readonly path: string }
    | Exclude<AuthoringOutcome, { readonly status: "done" }> => {
    const path = pathOf(id);
    if (path === undefined) return { status: "not_found" };
    if (isEditable(path)) return { status: "found", path };
    return invalid(
      "id",
      `${path} is a module, which runs inside the server: change it in the folder, and approve it with \`capstan scripts approve\`.`,
    );
  };

  return {
    list: views,
    read,
    async files(id, version) {
      const path = pathOf(id);
      return path === undefined ? undefined : scriptFiles(path, version, { scripts, folders });
    },
    async check({ name, source }, signal) {
      const language = languageOf(name);
      if (language === "module") return invalid("name", "expected a name with .py or .ps1.");
      const checked = await parse(() => checkSource(parsers, { language, source }, signal), signal);
      return {
        object: "script_check",
        tools: checked.functions.map((one) => functionView("", one, "ask-always")),
        declared: checked.declared,
        problems: checked.problems.map(problemView),
      };
    },
    async create(name) {
      const named = readScriptName(name);
      if (named.status === "refused") return invalid("name", named.message);
      const [folder] = folders;
      if (folder === undefined || named.kind === "ts")
        return {
          status: "invalid",
          field: "name",
          message:
            folder === undefined
              ? "there is no folder for tools: name one in scripts.folders of the configuration."
              : "a module runs inside the server: create it with `capstan scripts new`.",
        };
      const { stem, kind } = named;
      const written = await write(() =>
        createSource({ folder, name: `${stem}.${kind}`, source: templates[kind](stem) }),
      );
      if (written.status === "conflict") return written;
      if (written.status === "refused") return invalid("name", written.message);
      roots = await rootsNow();
      return after(written.path);
    },
    async save(id, { source, basedOn }) {
      const found = writable(id);
      if (found.status !== "found") return found;
      const { path } = found;
      const written = await write(async () =>
        (await findScannedFile(folders, path)) === undefined
          ? ({ status: "conflict", message: "The file was deleted meanwhile." } as const)
          : saveSource({ path, source, basedOn }),
      );
      if (written.status === "conflict") return written;
      if (written.status === "refused") return invalid("source", written.message);
      return after(path);
    },
    async remove(id) {
      const found = writable(id);
      if (found.status !== "found") return found;
      const removed = await write(() => deleted.remove(found.path));
      if (removed.status === "refused") return { status: "conflict", message: removed.message };
      await library.refresh();
      return { status: "removed" };
    },
    async restore(id) {
      const current = await rootsNow();
      const matches = (path: string) =>
        scriptId(path) === id &&
        isEditable(path) &&
        current.some((root) => path.startsWith(root + sep));
      const restored = await write(() => deleted.restore(matches));
      if (restored === undefined) return { status: "not_found" };
      if (restored.status !== "written") return { status: "conflict", message: restored.message };
      return after(restored.path);
    },
    async approve(id, contentHash) {
      const found = writable(id);
      if (found.status !== "found") return found;
      const { path } = found;
      const file = await findScannedFile(folders, path);
      const script = file && (await readFromDisk(file, parsers));
      if (script === undefined)
        return { status: "conflict", message: "It cannot be read. Fix it first." };
      if (script.contentHash !== contentHash)
        return {
          status: "conflict",
          message: "It has changed since it was shown. Read it again before you approve it.",
        };
      const approval = approvals.approve(script);
      return isToolError(approval)
        ? { status: "conflict", message: approval.message }
        : after(path);
    },
    async revoke(id) {
      const path = pathOf(id);
      if (path === undefined) return { status: "not_found" };
      approvals.revoke(path);
      return after(path);
    },
    values: scripts.listValues,
    setValue(name, value) {
      const problem = scripts.values.set(name, value);
      if (problem !== undefined) return invalid(problem.field, problem.message);
      const view = scripts.listValues().find((one) => one.name === name);
      if (view === undefined)
        throw new Error(`The value ${name} was stored, but the list does not contain it.`);
      tellOfValues();
      return { status: "done", value: view };
    },
    removeValue(name) {
      const isRemoved = scripts.values.remove(name);
      if (isRemoved) tellOfValues();
      return isRemoved;
    },
    subscribe(listener) {
      ofValues.add(listener);
      const end = library.subscribe(listener);
      return () => {
        ofValues.delete(listener);
        end();
      };
    },
  };
}

/**
 * Creates a queue that runs one task at a time. It skips tasks whose signal was aborted while they
 * waited.
 *
 * @example
 * const write = createSerialQueue();
 * await write(() => save(file));
 */
function createSerialQueue(): <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work, signal) => {
    const task = last.then(() => {
      signal?.throwIfAborted();
      return work();
    });
    last = task.catch(() => {});
    return task;
  };
}

function invalid<Field extends string>(field: Field, message: string) {
  return { status: "invalid", field, message } as const;
}
