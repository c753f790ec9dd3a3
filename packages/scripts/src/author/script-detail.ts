import { createHash } from "node:crypto";
import { relative } from "node:path";
import type { ScriptDetail, ScriptFilesView, ScriptView } from "@capstan/contract";
import type { FileContents } from "../definition/parsed-file.ts";
import { readScriptFiles } from "../read/script-files.ts";
import { readScripts } from "../read/read-scripts.ts";
import { readSource } from "./source-file.ts";
import { scanFolder, type ScannedFile } from "../read/scan-folder.ts";
import type { Script } from "../definition/script-function.ts";
import type { ScriptServices } from "./script-services.ts";

/** Returns a file if a scan of the folders finds it now. */
export async function findScannedFile(
  folders: readonly string[],
  path: string,
): Promise<ScannedFile | undefined> {
  const scans = await Promise.all(folders.map((folder) => scanFolder(folder)));
  return scans.flatMap(({ files }) => files).find((file) => file.path === path);
}

/**
 * Reads a script from the file itself, with its declared permissions. Undefined if it cannot be
 * used.
 */
export async function readFromDisk(
  file: ScannedFile,
  parsers: ScriptServices["parsers"],
  signal?: AbortSignal,
): Promise<Script | undefined> {
  if (file.type !== "script") return undefined;
  const [outcome] = await readScripts([file], { parsers, ...(signal && { signal }) });
  return outcome?.status === "read" ? outcome.script : undefined;
}

/** Returns a file as it is on the disk, with its state in the library. */
export async function scriptDetail(
  view: ScriptView,
  path: string,
  {
    scripts,
    folders,
    signal,
  }: {
    readonly scripts: Pick<ScriptServices, "approvals" | "parsers">;
    readonly folders: readonly string[];
    readonly signal?: AbortSignal | undefined;
  },
): Promise<ScriptDetail> {
  const file = await findScannedFile(folders, path);
  const [text, script] = await Promise.all([
    readSource(path),
    file && readFromDisk(file, scripts.parsers, signal),
  ]);
  const approved = scripts.approvals.list().get(path);
  const hasNoErrors = script?.problems.every(({ severity }) => severity !== "error") === true;
  return {
    ...view,
    source: text.status === "read" ? text.source : null,
    source_hash: text.status === "read" ? text.hash : null,
    content_hash: hasNoErrors ? script.contentHash : null,
    files: script?.files ?? [],
    declared: script?.declared ?? null,
    approved:
      approved === undefined
        ? null
        : {
            content_hash: approved.contentHash,
            approved_at: approved.approvedAt,
            declared: approved.permissions,
          },
  };
}

/** Returns the files that an approval covers, in their current or their last approved version. */
export async function scriptFiles(
  path: string,
  version: "current" | "approved",
  {
    scripts,
    folders,
  }: {
    readonly scripts: Pick<ScriptServices, "approvals" | "versions">;
    readonly folders: readonly string[];
  },
): Promise<ScriptFilesView | undefined> {
  if (version === "approved") {
    const hash = scripts.approvals.list().get(path)?.contentHash;
    const contents = hash === undefined ? undefined : await scripts.versions.read(hash);
    return contents && hash !== undefined ? filesView(hash, contents) : undefined;
  }
  const file = await findScannedFile(folders, path);
  if (file === undefined) return undefined;
  const { folder, isPlugin } = file;
  const files = await readScriptFiles({ folder, entry: relative(folder, path), isPlugin });
  return files.status === "read" ? filesView(files.contentHash, files.contents) : undefined;
}

/** The maximum number of bytes that are shown, of one file and of all together. */
const maxBytes = { file: 500_000, all: 4_000_000 };

function filesView(contentHash: string, contents: FileContents): ScriptFilesView {
  let left = maxBytes.all;
  return {
    object: "script_files",
    content_hash: contentHash,
    files: [...contents].map(([name, bytes]) => {
      const isShown = bytes.length <= Math.min(maxBytes.file, left);
      if (isShown) left -= bytes.length;
      const hash = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
      return { name, bytes: bytes.length, hash, text: isShown ? textOf(bytes) : null };
    }),
  };
}

function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
