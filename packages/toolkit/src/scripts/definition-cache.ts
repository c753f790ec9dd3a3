import { createHmac, randomUUID } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { z } from "zod";
import type { ScriptFunction, ScriptLanguage, ScriptProblem } from "./script-function.ts";

/** Grows whenever a file would be read differently: older caches are then made anew. */
const formatVersion = 2;

/** What is cached of a file: all but its permissions, about which a cache is not believed. */
export interface CachedDefinitions {
  readonly title: string;
  readonly rules: string;
  readonly functions: readonly ScriptFunction[];
  readonly problems: readonly ScriptProblem[];
}

export interface CacheKey {
  readonly language: ScriptLanguage;
  /** The script's own file name. */
  readonly name: string;
  /** Of the script's own bytes. */
  readonly sourceHash: string;
  /** Of this installation: a cache that comes with a script, or was written by a tool, is not believed. */
  readonly secret: string;
}

const problem = z.object({
  severity: z.enum(["error", "warning"]),
  message: z.string(),
  line: z.int().optional(),
  column: z.int().optional(),
});

const typed = z.object({ type: z.string(), note: z.string().optional() });

const cacheFile = z.object({
  type: z.enum(["PythonModule", "PowerShellModule"]),
  name: z.string(),
  scriptPath: z.string(),
  rulePrompt: z.string(),
  tools: z.array(
    z.object({
      type: z.literal("function"),
      function: z.object({
        name: z.string(),
        description: z.string(),
        parameters: z.record(z.string(), z.unknown()),
      }),
      declaredReturnType: typed.optional(),
      raises: z.array(typed),
      hasFormat: z.boolean(),
      isAsync: z.boolean(),
      wantsContext: z.boolean(),
      line: z.int(),
    }),
  ),
  problems: z.array(problem),
  formatVersion: z.literal(formatVersion),
  sourceHash: z.string(),
  digest: z.string(),
});

type CacheFile = z.infer<typeof cacheFile>;

/** Where a script's cache lies: beside it, under its whole name, so that `a.py` and `a.ps1` have one each. */
export function cachePath(scriptPath: string): string {
  return `${scriptPath}.tool.json`;
}

/** Undefined where there is none, or it is of another file, older, cut off, or not written by this installation. */
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
    problems: found.problems as readonly ScriptProblem[],
    functions: found.tools.map(({ function: definition, declaredReturnType, ...tool }) => {
      const { type: _type, ...about } = tool;
      return {
        ...definition,
        ...about,
        ...(declaredReturnType !== undefined && { returns: declaredReturnType }),
      } as ScriptFunction;
    }),
  };
}

async function readFound(path: string, secret: string): Promise<CacheFile | undefined> {
  try {
    const raw = JSON.parse(await readFile(path, "utf8")) as { readonly digest?: unknown };
    const { digest, ...content } = raw;
    if (digest !== digestOf(content, secret)) return undefined;
    return cacheFile.safeParse(raw).data;
  } catch {
    return undefined;
  }
}

function digestOf(content: object, secret: string): string {
  return createHmac("sha256", secret).update(JSON.stringify(content)).digest("hex");
}

/** Writes it whole or not at all. A folder that takes no files has no cache, which is no error. */
export async function writeCache(
  path: string,
  key: CacheKey,
  { title, rules, functions, problems }: CachedDefinitions,
): Promise<void> {
  const content = {
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
  const text = `${JSON.stringify({ ...content, digest: digestOf(content, key.secret) }, null, 2)}\n`;
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
