import { createHash } from "node:crypto";
import { errorMessage } from "@capstan/core/host";
import { basename, relative, sep } from "node:path";
import {
  type CachedDefinitions,
  type CacheKey,
  cachePath,
  readCache,
  writeCache,
} from "./definition-cache.ts";
import { hiddenInFiles } from "../definition/hidden-characters.ts";
import type { FileContents, ParsedFile } from "../definition/parsed-file.ts";
import { readPermissions } from "../definition/permissions.ts";
import type { ScannedFile } from "./scan-folder.ts";
import { readScriptFiles } from "./script-files.ts";
import type { ScriptVersions } from "./script-versions.ts";
import type {
  DeclaredPermissions,
  Script,
  ScriptFunction,
  ScriptLanguage,
  ScriptProblem,
} from "../definition/script-function.ts";

/** A script found by a scan of a folder. */
export type ScriptFile = Extract<ScannedFile, { readonly type: "script" }>;

/** Reads sources of one language, in order, without running them. */
export type ParseSources = (
  sources: readonly Uint8Array[],
  signal: AbortSignal | undefined,
) => Promise<readonly ParsedFile[]>;

/** Options of `readScripts`. */
export interface ReadScriptsOptions {
  readonly parsers: { readonly [language in ScriptLanguage]: ParseSources };
  /**
   * The secret of this installation, which authenticates its caches. Without it every file is read
   * again, with its declared permissions.
   */
  readonly cacheSecret?: string;
  /** Scripts from an earlier read, by path; those with the same content are reused. */
  readonly previous?: ReadonlyMap<string, Script>;
  /**
   * Keeps copies of the files of scripts; `folder` is then the copy. Without it, `folder` is the
   * script's own folder.
   */
  readonly versions?: ScriptVersions;
  readonly signal?: AbortSignal;
}

/** The result of reading one script. */
export type ScriptOutcome =
  | { readonly status: "read"; readonly script: Script }
  /** The script cannot be used; the problems say why. */
  | {
      readonly status: "broken";
      readonly path: string;
      readonly problems: readonly ScriptProblem[];
    };

/** The maximum size of a script file in bytes, more than anyone writes by hand. */
export const maxSourceBytes = 2 * 1024 * 1024;

/**
 * Reads script files without running them: from the cache next to them if it fits their bytes,
 * otherwise with their language's parser, all files of a language together.
 *
 * @returns one result for each file, in order
 * @throws the signal's reason when it aborts
 */
export async function readScripts(
  files: readonly ScriptFile[],
  options: ReadScriptsOptions,
): Promise<readonly ScriptOutcome[]> {
  const { signal, parsers } = options;
  const loaded = await Promise.all(files.map((file) => load(file, options)));
  signal?.throwIfAborted();
  const parsed = new Map<Loaded, ParsedFile>();
  const parseAll = async (language: ScriptLanguage) => {
    const fresh = loaded.filter(
      (one) => one.file.language === language && one.status === "loaded" && !one.cached,
    ) as readonly Extract<Loaded, { readonly status: "loaded" }>[];
    if (fresh.length === 0) return;
    const results = await parsers[language](
      fresh.map(({ source }) => source),
      signal,
    );
    for (const [index, one] of fresh.entries()) {
      const result = results[index];
      if (result !== undefined) parsed.set(one, result);
    }
  };
  await Promise.all((["python", "powershell"] as const).map(parseAll));
  const finished = loaded.map((one) =>
    finish(one, parsed.get(one), options).catch((thrown): ScriptOutcome => {
      const message = `Its definitions cannot be cached: ${errorMessage(thrown)}.`;
      return { status: "broken", path: one.file.path, problems: [{ severity: "error", message }] };
    }),
  );
  return Promise.all(finished);
}

type Loaded =
  | {
      readonly status: "loaded";
      readonly file: ScriptFile;
      readonly source: Uint8Array;
      readonly key: CacheKey;
      readonly contents: FileContents;
      readonly contentHash: string;
      readonly cached?: CachedDefinitions;
    }
  | { readonly status: "unchanged"; readonly file: ScriptFile; readonly script: Script }
  | { readonly status: "refused"; readonly file: ScriptFile; readonly message: string };

async function load(file: ScriptFile, options: ReadScriptsOptions): Promise<Loaded> {
  const { path, folder, isPlugin, language } = file;
  const { cacheSecret: secret = "", previous } = options;
  try {
    const entry = relative(folder, path);
    const made = await readScriptFiles({ folder, entry, isPlugin });
    if (made.status === "refused") return { ...made, file };
    const { contents, contentHash } = made;
    const before = previous?.get(path);
    if (before?.contentHash === contentHash) return { status: "unchanged", file, script: before };
    const source = contents.get(entry);
    if (source === undefined)
      return { status: "refused", file, message: "The file no longer exists." };
    if (source.length > maxSourceBytes)
      return {
        status: "refused",
        file,
        message: `It is larger than ${maxSourceBytes / 1024 / 1024} MB. Keep data in a separate file.`,
      };
    const sourceHash = createHash("sha256").update(source).digest("hex");
    const key = { language, name: basename(path), sourceHash, secret };
    const cached = secret !== "" ? await readCache(cachePath(path), key) : undefined;
    return {
      status: "loaded",
      file,
      source,
      key,
      contents,
      contentHash,
      ...(cached && { cached }),
    };
  } catch (thrown) {
    const { code = "error" } = thrown as NodeJS.ErrnoException;
    return { status: "refused", file, message: `It cannot be read (${code}).` };
  }
}

async function finish(
  loaded: Loaded,
  parsed: ParsedFile | undefined,
  { versions }: ReadScriptsOptions,
): Promise<ScriptOutcome> {
  const { file } = loaded;
  const { path, language, groupId } = file;
  if (loaded.status === "refused")
    return { status: "broken", path, problems: [{ severity: "error", message: loaded.message }] };
  if (loaded.status === "unchanged") return { status: "read", script: loaded.script };
  const { cached, contents, contentHash, key } = loaded;
  // Includes the private files, which the cache does not cover.
  const hidden = hiddenInFiles(contents, relative(file.folder, path).replaceAll(sep, "/"));
  const fresh = parsed?.functions && define(file, parsed, parsed.functions);
  const found = cached ?? fresh?.definitions;
  if (found === undefined)
    return { status: "broken", path, problems: [...(parsed?.problems ?? [notRead]), ...hidden] };
  const folder = (await versions?.keep(contentHash, contents)) ?? file.folder;
  if (fresh !== undefined && key.secret !== "")
    await writeCache(cachePath(path), key, fresh.definitions);
  const script: Script = {
    path,
    language,
    groupId,
    folder,
    files: [...contents.keys()],
    contentHash,
    ...found,
    problems: [...found.problems, ...hidden],
    ...(fresh && { declared: fresh.declared }),
  };
  return { status: "read", script };
}

const notRead: ScriptProblem = {
  severity: "error",
  message: "Its reader returned no result for it.",
};

const noTools: ScriptProblem = {
  severity: "warning",
  message: "It defines no tools: it has no public top-level function.",
};

function define(
  file: ScriptFile,
  parsed: ParsedFile,
  functions: readonly ScriptFunction[],
): { readonly definitions: CachedDefinitions; readonly declared: DeclaredPermissions } {
  const { declared, problems } = readPermissions(parsed);
  const bounded = functions.map(boundedDescription);
  const misnamed = functions.filter(({ name }) => !toolName.test(name));
  const title = typeof parsed.title === "string" ? parsed.title.trim() : "";
  return {
    declared,
    definitions: {
      title: title === "" ? file.name : title,
      rules: parsed.rules ?? "",
      functions: bounded
        .map((one) => one.function)
        .filter(({ name }) => toolName.test(name))
        .map(({ returns, ...rest }) => ({ ...rest, ...(returns != null && { returns }) })),
      problems: [
        ...parsed.problems,
        ...problems,
        ...bounded.flatMap(({ problem = [] }) => problem),
        ...(functions.length === 0 ? [noTools] : []),
        ...misnamed.map(({ name, line }): ScriptProblem => ({
          severity: "error",
          line,
          message: `${name} is not a name that providers accept: rename it to 1 to 64 of the characters a-z, A-Z, 0-9, _ and -.`,
        })),
      ],
    },
  };
}

const toolName = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * The maximum length of a tool's description in characters, because every request to the model
 * contains it.
 */
const maxDescriptionChars = 2_000;

/** Returns a function with a description of limited length, and a problem if it was shortened. */
function boundedDescription(one: ScriptFunction): {
  readonly function: ScriptFunction;
  readonly problem?: ScriptProblem;
} {
  const { name, description, line } = one;
  if (description.length <= maxDescriptionChars) return { function: one };
  // Removes half of a surrogate pair at the end.
  const begin = description.slice(0, maxDescriptionChars - 1).replace(/[\uD800-\uDBFF]$/, "");
  return {
    function: { ...one, description: `${begin}…` },
    problem: {
      severity: "warning",
      line,
      message: `The description of ${name} has ${description.length} characters, and a model gets the first ${maxDescriptionChars}. Shorten it: its purpose, and its arguments.`,
    },
  };
}
