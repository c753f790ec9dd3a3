import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { chmod, lstat, open, readdir, rm, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import {
  type ContentPart,
  type ContentParts,
  contentParts,
  isToolError,
  type ToolContext,
  type ToolError,
  toolError,
  type ToolFile,
} from "@capstan/core";
import { isContentParts, type ToolReturn } from "@capstan/core/host";
import { makeTemporaryFolder } from "@capstan/sandbox";
import { mimeTypeOf } from "./mime-types.ts";

/** The path of the workspace in the sandbox. */
export const workspaceInside = "/workspace";

/** The quota of a workspace, in bytes and files. */
export const workspaceQuota = { bytes: 64 * 1024 * 1024, files: 200 };

/** How often the size of a workspace is measured while code runs, in ms. */
const measureMs = 200;

/** New and changed files of a workspace. */
export interface WorkspaceFiles {
  /** The files, as parts of the result. */
  readonly parts: readonly ContentPart[];
  /** Sentences about files that were left out. */
  readonly notes: readonly string[];
}

/** A folder with the files of a conversation, for one run of code at a time. */
export interface Workspace {
  readonly path: string;
  /**
   * Adds the newest files that a call may read, within the quota. The names of files are not
   * trusted: each becomes the name of a file in this folder.
   */
  fill(context: Pick<ToolContext, "files" | "signal">): Promise<void>;
  /** Aborts when code exceeds the quota. Call `stop` when the code has ended. */
  watch(): { readonly signal: AbortSignal; stop(): void };
  /** Reads new and changed files. No program that can write here may be running. */
  changes(): Promise<WorkspaceFiles>;
  /** Deletes all files. */
  empty(): Promise<void>;
  remove(): Promise<void>;
}

/** Creates an empty workspace. */
export function createWorkspace(): Workspace {
  const path = makeTemporaryFolder();
  const given = new Map<string, string>();
  return {
    path,
    async fill({ files, signal }) {
      let bytes = 0;
      for (const file of files.toReversed()) {
        const name = plainName(file.name);
        // The workspace already has the newest file of this name.
        if (given.has(name)) continue;
        if (given.size >= workspaceQuota.files / 2) break;
        if (bytes + (file.size ?? 0) > workspaceQuota.bytes / 2) continue;
        const content = await readGiven(file, signal);
        if (content === undefined || bytes + content.length > workspaceQuota.bytes / 2) continue;
        bytes += content.length;
        given.set(name, digestOf(content));
        await addFile(join(path, name), content);
      }
    },
    watch: () => watchQuota(path),
    changes: () => changedFiles(path, given),
    async empty() {
      given.clear();
      for (const name of await readdir(path)) await removeAll(join(path, name));
    },
    remove: () => removeAll(path),
  };
}

/** Creates a workspace with the newest files that a call may read. */
export async function makeWorkspace(
  context: Pick<ToolContext, "files" | "signal">,
): Promise<Workspace> {
  const workspace = createWorkspace();
  try {
    await workspace.fill(context);
    return workspace;
  } catch (error) {
    await workspace.remove();
    throw error;
  }
}

/** Removes a file, or a folder with everything in it, whatever permissions code has set. */
async function removeAll(path: string): Promise<void> {
  // A command that is stopped may still write for a moment.
  const options = { recursive: true, force: true, maxRetries: 10, retryDelay: 100 } as const;
  try {
    await rm(path, options);
  } catch {
    await openFolders(path);
    await rm(path, options);
  }
}

/** Makes folders accessible again, so that they can be removed. Links are not followed. */
async function openFolders(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isDirectory() !== true) return;
  await chmod(path, 0o700);
  for (const name of await readdir(path)) await openFolders(join(path, name));
}

/**
 * Adds a file that programs of other users can change. It fails if code has made a file or a link of
 * this name before, because a link could lead out of the folder.
 */
async function addFile(path: string, content: Uint8Array): Promise<void> {
  try {
    await writeFile(path, content, { flag: "wx" });
    await chmod(path, 0o666);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/**
 * Returns the result of code with its files. A file that the result contains already is not repeated.
 *
 * @param text the text of the value, if it has files
 */
export function withFiles<Value extends ToolReturn>(
  value: Value,
  text: string,
  { parts, notes }: WorkspaceFiles,
): Value | ContentParts {
  if (parts.length === 0 || isToolError(value)) return value;
  const own = isContentParts(value) ? value.parts : [];
  const known = new Set(own.map(dataOf));
  const added = parts.filter((part) => !known.has(dataOf(part)));
  const texts = [...(own.length === 0 && text !== "" ? [text] : []), ...notes];
  const said: readonly ContentPart[] =
    texts.length === 0 ? [] : [{ type: "text", text: texts.join("\n") }];
  return contentParts([...own, ...said, ...added]);
}

function dataOf(part: ContentPart): string | undefined {
  return "source" in part && part.source.type === "base64" ? part.source.data : undefined;
}

/** The error of code that exceeded the quota. */
export function workspaceFull(): ToolError {
  const megabytes = workspaceQuota.bytes / 1024 / 1024;
  return toolError({
    code: "workspace_full",
    message: `The code was stopped, because $WORKSPACE had more than ${megabytes} MB or ${5 * workspaceQuota.files} files. Its files were not kept. Write less there.`,
  });
}

/** Returns the bytes of a file, or undefined if they are not stored any more. */
async function readGiven(file: ToolFile, signal: AbortSignal): Promise<Uint8Array | undefined> {
  try {
    return await file.read(signal);
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

/** Returns the name of a file in a folder. */
function plainName(name: string): string {
  const plain = name
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\]/gu, "_")
    .slice(0, 80);
  return plain === "" || plain === "." || plain === ".." ? "file" : plain;
}

function digestOf(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

function watchQuota(path: string): { readonly signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const measure = async () => {
    let bytes = 0;
    let count = 0;
    for await (const { size } of filesIn(path, { most: 10 * workspaceQuota.files })) {
      bytes += size;
      count += 1;
    }
    if (bytes > workspaceQuota.bytes || count > 5 * workspaceQuota.files)
      controller.abort(new Error("The workspace is full."));
    else if (timer !== undefined) timer = setTimeout(() => void measure(), measureMs);
  };
  timer = setTimeout(() => void measure(), measureMs);
  return {
    signal: controller.signal,
    stop: () => {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}

interface FoundFile {
  readonly name: string;
  readonly size: number;
}

/** Yields the regular files of a folder and its subfolders. Links are not followed. */
async function* filesIn(
  path: string,
  { most }: { readonly most: number },
): AsyncGenerator<FoundFile> {
  const folders = [""];
  let seen = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = await readdir(join(path, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (++seen > most) return;
      const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) folders.push(name);
      if (!entry.isFile()) continue;
      // Code may delete it meanwhile.
      const found = await lstat(join(path, name)).catch(() => undefined);
      if (found?.isFile() === true) yield { name, size: found.size };
    }
  }
}

async function changedFiles(path: string, given: ReadonlyMap<string, string>) {
  const parts: ContentPart[] = [];
  const notes: string[] = [];
  let bytes = 0;
  for await (const { name, size } of filesIn(path, { most: 10 * workspaceQuota.files })) {
    if (parts.length >= workspaceQuota.files || bytes + size > workspaceQuota.bytes) {
      notes.push(
        `[More files than the workspace's quota (${workspaceQuota.files} files, ${workspaceQuota.bytes} bytes): the others were not kept.]`,
      );
      break;
    }
    const content = await readRegular(join(path, name));
    if (content === undefined || content.length === 0) continue;
    if (given.get(name) === digestOf(content)) continue;
    bytes += content.length;
    const mimeType = mimeTypeOf(extname(name));
    const source = { type: "base64", data: content.toString("base64") } as const;
    const isPicture = /^image\/(?:png|jpeg|gif|webp)$/.test(mimeType);
    parts.push({ type: isPicture ? "image" : "file", name, mimeType, source });
  }
  return { parts, notes };
}

/**
 * Reads a file that code made. It is not read through a symbolic or hard link, which could lead to
 * a file that the code itself cannot read.
 */
async function readRegular(path: string): Promise<Buffer | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const found = await file.stat();
    const isOwn = found.isFile() && found.nlink === 1 && found.size <= workspaceQuota.bytes;
    return isOwn ? await file.readFile() : undefined;
  } finally {
    await file.close();
  }
}
