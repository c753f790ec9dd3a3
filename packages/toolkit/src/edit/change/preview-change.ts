import { readdir, readFile } from "node:fs/promises";
import type { PreviewContext, ToolError } from "@capstan/core";
import { FileError, returnFileErrors } from "../../files/file-roots.ts";
import { countOf, formatBytes } from "../../text/format-bytes.ts";
import { checkExpected, type ChangeContext, type Operation } from "./apply-operations.ts";
import { changeContext, type Plan } from "./make-change.ts";
import { type EditToolsOptions, existing, openTarget, type Target } from "./open-target.ts";
import { decodeText } from "../text/text-content.ts";

/** Larger texts are not compared by line, in bytes. */
const largestDiff = 2 * 1024 * 1024;
/** Unchanged lines around a change. */
const around = 3;

/** Returns what a call would change: the diff of each file, and one line for each other operation. */
export function previewChange(
  options: EditToolsOptions,
  context: PreviewContext,
  plan: Plan,
): Promise<string | ToolError> {
  return returnFileErrors(async () => {
    const change = await changeContext(options, context);
    const operations = await plan(change);
    const moved = new Map<string, string>();
    const effects: string[] = [];
    for (const operation of operations) {
      effects.push(await effectOf(operation, change, moved));
      if (operation.do === "move") moved.set(operation.to, operation.from);
    }
    return effects.join("\n");
  });
}

/** @param moved paths that do not exist yet, because an earlier operation moves a file there */
async function effectOf(
  operation: Operation,
  context: ChangeContext,
  moved: ReadonlyMap<string, string>,
): Promise<string> {
  const { roots } = context;
  const protection = { protected: context.protected };
  switch (operation.do) {
    case "write": {
      const path = moved.get(operation.path) ?? operation.path;
      await using target = await openIfFolder(path, context, true);
      if (target === undefined) return `Creates ${operation.path} and its folder.`;
      const size = await checkExpected(target, operation.path, operation.expects);
      if (size === undefined) return `Creates ${target.shown}.`;
      return await diffOf(target, await readFile(target.at), operation.content);
    }
    case "remove": {
      await using target = await openTarget(roots, operation.path, {
        ...protection,
        follow: false,
      });
      const stats = existing(target, operation.path);
      if (!stats.isDirectory())
        return `Removes ${target.shown} (${formatBytes(Number(stats.size))}).`;
      await context.checkFolder(target.real, operation.path);
      const entries = await readdir(target.at, { recursive: true });
      return `Removes the folder ${target.shown} with ${countOf(entries.length, "entry", "entries")}.`;
    }
    case "move": {
      await using from = await openTarget(roots, operation.from, { ...protection, follow: false });
      if (existing(from, operation.from).isDirectory())
        await context.checkFolder(from.real, operation.from);
      await using to = await openIfFolder(operation.to, context, false);
      if (to?.stats !== undefined)
        throw new FileError("exists", `"${to.shown}" exists already. Nothing was changed.`);
      return `Moves ${from.shown} to ${to?.shown ?? operation.to}.`;
    }
    case "folder": {
      await using target = await openIfFolder(operation.path, context, true);
      const isThere = target?.stats?.isDirectory() === true;
      return isThere ? `${operation.path} exists.` : `Creates the folder ${operation.path}.`;
    }
    case "restore":
      return `Brings back ${operation.path}.`;
    case "prune":
      return `Removes the folder ${operation.path} if it is empty.`;
  }
}

/** Opens a target, or returns `undefined` if its folder does not exist yet. */
async function openIfFolder(
  path: string,
  context: ChangeContext,
  follow: boolean,
): Promise<Target | undefined> {
  try {
    return await openTarget(context.roots, path, { protected: context.protected, follow });
  } catch (error) {
    if (error instanceof FileError && error.data.code === "no_folder") return undefined;
    throw error;
  }
}

async function diffOf({ shown }: Target, before: Uint8Array, after: Uint8Array): Promise<string> {
  const sizes = `${formatBytes(before.length)} to ${formatBytes(after.length)}`;
  const texts = [before, after].map((bytes) => textOf(bytes, shown));
  const [old, fresh] = texts;
  if (old === undefined || fresh === undefined) return `Replaces ${shown}, ${sizes}.`;
  const { createTwoFilesPatch } = await import("diff");
  const patch = createTwoFilesPatch(shown, shown, old, fresh, "", "", {
    context: around,
    timeout: 1_000,
  });
  if (patch === undefined) return `Replaces most of ${shown}, ${sizes}.`;
  // Without the header, which has the same name twice.
  const hunks = /^@@[^]*/m.exec(patch)?.[0].trimEnd();
  return hunks === undefined ? `${shown} stays as it is.` : `${shown}\n${hunks}`;
}

function textOf(bytes: Uint8Array, shown: string): string | undefined {
  if (bytes.length > largestDiff) return undefined;
  try {
    return decodeText(bytes, shown).text;
  } catch {
    return undefined;
  }
}
