import { createHmac, randomUUID } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import type {
  ScriptFunction,
  ScriptLanguage,
  ScriptProblem,
} from "../definition/script-function.ts";

/** Increment it when the reader's results change, so that older caches are ignored. */
const formatVersion = 4;

/**
 * The cached content of a file, without its permissions, because a cache is not trusted about them.
 */
export interface CachedDefinitions {
  readonly title: string;
  readonly rules: string;
  readonly functions: readonly ScriptFunction[];
  readonly problems: readonly ScriptProblem[];
}

/** Identifies the cached definitions of a script. */
export interface CacheKey {
  readonly language: ScriptLanguage;
  /** The script's file name. */
  readonly name: string;
  /** The hash of the script's bytes. */
  readonly sourceHash: string;
  /**
   * The secret of this installation. A cache that came with a script, or that a tool wrote, is not
   * signed with it.
   */
  readonly secret: string;
}

/** The format of a cache file: function definitions, with additional fields for each. */
interface CacheFile {
  readonly type: "PythonModule" | "PowerShellModule";
  readonly name: string;
  readonly scriptPath: string;
  readonly rulePrompt: string;
  readonly tools: readonly (Omit<
    ScriptFunction,
    "name" | "description" | "parameters" | "returns"
  > & {
    readonly type: "function";
    readonly function: Pick<ScriptFunction, "name" | "description" | "parameters">;
    readonly declaredReturnType?: NonNullable<ScriptFunction["returns"]>;
  })[];
  readonly problems: readonly ScriptProblem[];
  readonly formatVersion: number;
  readonly sourceHash: string;
}

/**
 * Returns the path of a script's cache: next to it, with its whole name, so that `a.py` and `a.ps1`
 * have different caches.
 */
export function cachePath(scriptPath: string): string {
  return `${scriptPath}.tool.json`;
}

/**
 * Reads a cache. Returns undefined if it is missing, truncated, in an older format, for other
 * content, or not written by this installation.
 */
export async function readCache(
  path: string,
  key: CacheKey,
): Promise<CachedDefinitions | undefined> {
  const found = await readFound(path, key.secret);
  if (found === undefined) return undefined;
  if (found.sourceHash !== key.sourceHash || found.scriptPath !== key.name) return undefined;
  if (found.type !== moduleType(key.language)) return undefined;
  return {
    title: found.name,
    rules: found.rulePrompt,
    problems: found.problems,
    functions: found.tools.map(
      ({ type: _type, function: definition, declaredReturnType, ...about }) => ({
        ...definition,
        ...about,
        ...(declaredReturnType !== undefined && { returns: declaredReturnType }),
      }),
    ),
  };
}

/** The signature, after the signed part. */
const signature = /,\n {2}"digest": "([0-9a-f]{64})"\n\}\n$/;

/**
 * Returns a cache with a valid signature. Its content is not validated further, because this
 * installation wrote it.
 */
async function readFound(path: string, secret: string): Promise<CacheFile | undefined> {
  const text = await readFile(path, "utf8").catch(() => "");
  const end = signature.exec(text);
  if (end === null || end[1] !== digestOf(text.slice(0, end.index), secret)) return undefined;
  const found = JSON.parse(text) as CacheFile;
  return found.formatVersion === formatVersion ? found : undefined;
}

function digestOf(signed: string, secret: string): string {
  return createHmac("sha256", secret).update(signed).digest("hex");
}

/** Writes a cache atomically. A read-only folder has no cache, which is not an error. */
export async function writeCache(
  path: string,
  key: CacheKey,
  { title, rules, functions, problems }: CachedDefinitions,
): Promise<void> {
  const content: CacheFile = {
    type: moduleType(key.language),
    name: title,
    scriptPath: key.name,
    rulePrompt: rules,
    tools: functions.map(({ name, description, parameters, returns, ...about }) => ({
      type: "function",
      function: { name, description, parameters },
      ...(returns !== undefined && { declaredReturnType: returns }),
      ...about,
    })),
    problems,
    formatVersion,
    sourceHash: key.sourceHash,
  };
  const signed = JSON.stringify(content, null, 2).slice(0, -"\n}".length);
  const text = `${signed},\n  "digest": "${digestOf(signed, key.secret)}"\n}\n`;
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    await writeFile(temporary, text, { flag: "wx" });
    await rename(temporary, path);
  } catch {
    await rm(temporary, { force: true }).catch(() => {});
  }
}

function moduleType(language: ScriptLanguage): CacheFile["type"] {
  return language === "python" ? "PythonModule" : "PowerShellModule";
}
