import type { PreviewContext, ToolError } from "@capstan/core";
import { FileError, returnFileErrors } from "../../files/file-roots.ts";
import { countOf, formatBytes } from "../../text/format-bytes.ts";
import { sha256 } from "./sha256.ts";
import type { ChangeContext } from "./change-context.ts";
import {
  checkExpected,
  checkKept,
  checkKind,
  isSameContent,
  type Operation,
} from "./apply-operations.ts";
import { changeContext, type Plan } from "./make-change.ts";
import { type EditToolsOptions, existing, openTarget, type Target } from "./open-target.ts";
import { readTarget } from "./read-target.ts";
import { runDiff } from "../text/run-edit-job.ts";
import { decodeText, largestEdit, type TextContent } from "../text/text-content.ts";

/** Returns a preview of a call: the diff of each file, and one line for each other operation. */
export function previewChange(
  options: EditToolsOptions,
  context: Omit<PreviewContext, "files">,
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
      const { content, expects, texts } = operation;
      const isKnown = typeof expects === "object" && "content" in expects;
      const before = isKnown ? expects.content : await readTarget(target);
      return await diffOf(target, { before, after: content, texts, owner: context.owner });
    }
    case "remove": {
      await using target = await openTarget(roots, operation.path, {
        ...protection,
        follow: false,
      });
      const stats = existing(target, operation.path);
      checkKind(target);
      if (!stats.isDirectory())
        return `Removes ${target.shown} (${formatBytes(Number(stats.size))}).`;
      const { entries, bytes } = await context.checkFolder(target, operation.path);
      checkKept(bytes, operation.path);
      return `Removes the folder ${target.shown} with ${countOf(entries, "entry", "entries")} (${formatBytes(bytes)}).`;
    }
    case "move": {
      await using from = await openTarget(roots, operation.from, { ...protection, follow: false });
      if (existing(from, operation.from).isDirectory())
        await context.checkFolder(from, operation.from);
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
      return `Restores ${operation.path}.`;
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

async function diffOf(
  { shown }: Target,
  {
    before,
    after,
    texts,
    owner,
  }: {
    readonly owner: ChangeContext["owner"];
    readonly before: Uint8Array;
    readonly after: Uint8Array;
    readonly texts: Extract<Operation, { readonly do: "write" }>["texts"];
  },
): Promise<string> {
  if (isSameContent(before, after)) return `${shown} does not change.`;
  const [old, fresh] =
    texts === undefined
      ? [textOf(before, shown), textOf(after, shown)]
      : [texts.before, texts.after];
  if (old === undefined || fresh === undefined) {
    const sizes = `${formatBytes(before.length)} to ${formatBytes(after.length)}`;
    const [was, is] = [before, after].map((content) => sha256(content).slice(0, 32));
    return `Replaces ${shown}, ${sizes} (SHA-256 ${was} to ${is}).`;
  }
  const hunks = await runDiff(old.text, fresh.text, owner);
  const encodings = [old, fresh].map(({ encoding, hasMark }) =>
    hasMark ? `${encoding} with a byte order mark` : encoding,
  );
  const [from, to] = encodings;
  return [
    shown,
    ...(from === to ? [] : [`Changes the encoding from ${from} to ${to}.`]),
    ...(hunks === undefined ? [] : [hunks]),
  ].join("\n");
}

function textOf(bytes: Uint8Array, shown: string): TextContent | undefined {
  if (bytes.length > largestEdit) return undefined;
  try {
    return decodeText(bytes, shown);
  } catch {
    return undefined;
  }
}
