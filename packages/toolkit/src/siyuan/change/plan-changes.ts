import { applyEdits, type Edit } from "../../edit/text/apply-edits.ts";
import { FileError } from "../../files/file-roots.ts";
import { hasIds, plainText, withContainerText, withLeafText } from "../blocks/attribute-lists.ts";
import {
  type BlockSpot,
  inParallel,
  readChildren,
  readKramdowns,
  readSpot,
} from "../blocks/read-blocks.ts";
import { isContainer, typeName } from "../kernel/block-types.ts";
import type { AskKernel } from "../kernel/kernel.ts";
import { noBlock, refused } from "../kernel/kernel-error.ts";
import type { BlockEdit } from "./parse-diff.ts";

/** Where new blocks are inserted. */
export type InsertPlace =
  | { readonly nextID: string }
  | { readonly previousID: string }
  | { readonly prependTo: string }
  | { readonly appendTo: string };

/** A planned write, with all the texts that it needs. */
export type PlannedStep =
  | {
      readonly do: "update";
      readonly spot: BlockSpot;
      /** `before`: the current kramdown. `data`: the kramdown to write. */
      readonly before: string;
      readonly data: string;
    }
  | { readonly do: "delete"; readonly spot: BlockSpot; readonly before: string }
  | {
      readonly do: "insert";
      readonly spot: BlockSpot;
      readonly place: InsertPlace;
      readonly data: string;
    };

/** The maximum number of edits in one call. */
const mostEdits = 100;
/** The types of blocks whose text configures a view, so that it cannot be edited. */
const views: ReadonlySet<string> = new Set(["av", "iframe", "widget", "video", "audio"]);

/** A block that a diff edits. */
interface Edited {
  readonly spot: BlockSpot;
  readonly kramdown: string;
  readonly edits: readonly BlockEdit[];
}

/**
 * Reads all blocks that a diff names, checks every edit, and returns the writes: updates, then
 * inserted blocks, then deleted ones. Writes nothing.
 *
 * @throws KernelError
 */
export async function planChanges(
  ask: AskKernel,
  edits: readonly BlockEdit[],
): Promise<readonly PlannedStep[]> {
  if (edits.length > mostEdits)
    throw refused("too_many_edits", `A diff has at most ${mostEdits} edits, not ${edits.length}.`);
  const ids = [...new Set(edits.map(({ id }) => id))];
  const kramdowns = await readKramdowns(ask, ids);
  const missing = ids.filter((_, at) => kramdowns[at] === "");
  if (missing[0] !== undefined) throw noBlock(missing.join('", "'));
  const spots = await inParallel(ids, (id) => readSpot(ask, id));
  const blocks = spots.map((spot, at) => ({
    spot,
    kramdown: kramdowns[at] ?? "",
    edits: edits.filter(({ id }) => id === spot.id),
  }));
  for (const block of blocks) checkEdits(block);
  const updates: PlannedStep[] = [];
  const inserts: PlannedStep[] = [];
  const deletes: (PlannedStep & { do: "delete" })[] = [];
  for (const block of blocks) {
    const changed = await changedText(block);
    if (changed?.do === "update") updates.push(changed);
    if (changed?.do === "delete") deletes.push(changed);
    inserts.push(...(await insertedBlocks(ask, block)));
  }
  const steps = [...updates, ...inserts, ...deletes];
  if (steps.length === 0)
    throw refused("no_change", "The edits change nothing: each replacement equals its text.");
  checkNesting(steps);
  await checkEmptied(ask, deletes);
  return steps;
}

/** Rejects edits that the kernel would ignore or carry out in another way. */
function checkEdits({ spot, edits }: Edited): void {
  const { id, type } = spot;
  const kinds = new Set(edits.map((edit) => edit.do));
  if (
    type === "d" &&
    ["search", "replace", "delete", "before", "after"].some((one) =>
      kinds.has(one as BlockEdit["do"]),
    )
  )
    throw refused(
      "document",
      `${id} is a document. Edit its blocks, which getBlockContent lists; a document takes only PREPEND and APPEND.`,
    );
  if (views.has(type) && (kinds.has("search") || kinds.has("replace")))
    throw refused(
      "no_text",
      `${id} is a block of type ${typeName(type)}, which has no text to edit.`,
    );
  const whole = edits.filter((edit) => edit.do === "replace" || edit.do === "delete");
  if (whole.length > 1 || (whole.length === 1 && kinds.has("search")))
    throw refused(
      "conflicting_edits",
      `The edits of ${id} exclude each other: give either SEARCH blocks, one REPLACE or one DELETE.`,
    );
  if (kinds.has("delete") && edits.length > 1)
    throw refused("conflicting_edits", `${id} is deleted, so it takes no other edit. Use REPLACE.`);
  for (const edit of edits) {
    const text = edit.do === "search" ? edit.replace : edit.do === "delete" ? "" : edit.markdown;
    if (hasIds(text))
      throw refused(
        "attribute_list",
        `The text for ${id} has an attribute list with an id, such as {: id="…"}. Leave these out: blocks keep their ids and attributes.`,
      );
  }
}

/** Joins all edits of a block's text. An empty text deletes the block. */
async function changedText({
  spot,
  kramdown,
  edits,
}: Edited): Promise<Exclude<PlannedStep, { readonly do: "insert" }> | undefined> {
  const [only] = edits;
  if (only?.do === "delete") return { do: "delete", spot, before: kramdown };
  const before = plainText(kramdown);
  const searches = edits.flatMap((edit) => (edit.do === "search" ? [edit] : []));
  const replaced = edits.find((edit) => edit.do === "replace");
  const after =
    replaced?.do === "replace"
      ? replaced.markdown
      : searches.length > 0
        ? searched(spot.id, before, searches)
        : before;
  if (after.trimEnd() === before.trimEnd()) return undefined;
  if (after.trim() === "") return { do: "delete", spot, before: kramdown };
  checkListText(spot.type === "i" ? "l" : spot.type, spot.id, after);
  const data = isContainer(spot.type)
    ? await withContainerText(kramdown, after)
    : withLeafText(kramdown, after);
  return { do: "update", spot, before: kramdown, data };
}

function searched(id: string, text: string, edits: readonly Edit[]): string {
  try {
    return applyEdits(text, edits).text;
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const shown = text.length > 1500 ? `${text.slice(0, 1500)}…` : text;
    switch (error.data.code) {
      case "no_match":
        throw refused(
          "no_match",
          `A SEARCH text does not occur in block ${id}. Copy it exactly from the text of the block:\n${shown}`,
        );
      case "ambiguous_match":
        throw refused(
          "ambiguous_match",
          `A SEARCH text occurs several times in block ${id}. Add lines or words before or after it:\n${shown}`,
        );
      case "overlapping_edits":
        throw refused(
          "overlapping_edits",
          `Two SEARCH texts of block ${id} overlap. Put both changes into one SEARCH block.`,
        );
      default:
        throw refused(error.data.code, `Block ${id}: ${error.data.message}`);
    }
  }
}

const listItem = /^\s*([*+-]|\d+[.)])( |$)/;

/** A list holds only list items, and the kernel reports no error for other blocks. */
function checkListText(type: string, id: string, text: string): void {
  if (type !== "l" || listItem.test(text)) return;
  throw refused(
    "list_items_only",
    `A list holds only list items, so the text for ${id} must begin with a marker such as "* " or "1. ".`,
  );
}

/** Returns the inserts among a block's edits, in the order of the writes. */
async function insertedBlocks(
  ask: AskKernel,
  { spot, edits }: Edited,
): Promise<readonly PlannedStep[]> {
  const steps: PlannedStep[] = [];
  for (const edit of edits) {
    if (edit.do === "search" || edit.do === "replace" || edit.do === "delete") continue;
    const { markdown } = edit;
    const place = await placeOf(ask, spot, edit.do);
    const isInside = "prependTo" in place || "appendTo" in place;
    const holder = isInside ? spot.type : (spot.container?.type ?? "");
    checkListText(holder, spot.id, markdown);
    const step = { do: "insert", spot, place, data: markdown } as const;
    // Each insert goes right after the same block, so the last one must be written first.
    if (edit.do === "after" || edit.do === "prepend") steps.unshift(step);
    else steps.push(step);
  }
  return steps;
}

/**
 * Returns where new blocks are inserted. A heading holds no blocks, so the blocks of its section
 * follow it.
 *
 * @throws KernelError `no_container`
 */
export async function placeOf(
  ask: AskKernel,
  { id, type }: BlockSpot,
  where: "before" | "after" | "prepend" | "append",
): Promise<InsertPlace> {
  if (where === "before") return { nextID: id };
  if (where === "after") return { previousID: id };
  if (type === "h") {
    const section = where === "append" ? await readChildren(ask, id) : [];
    return { previousID: section.at(-1)?.id ?? id };
  }
  if (!isContainer(type))
    throw refused(
      "no_container",
      `${id} is a ${typeName(type)}, which holds no blocks. Use AFTER or BEFORE.`,
    );
  return where === "prepend" ? { prependTo: id } : { appendTo: id };
}

/**
 * A diff cannot change both a block and a block in it, because one write would replace the other's.
 */
function checkNesting(steps: readonly PlannedStep[]): void {
  const rewritten = new Set(steps.flatMap((step) => (step.do === "insert" ? [] : [step.spot.id])));
  for (const { spot } of steps) {
    const outer = spot.ancestors.find((id) => rewritten.has(id));
    if (outer !== undefined)
      throw refused(
        "conflicting_edits",
        `${spot.id} is in ${outer}, and the diff changes both. Make both changes in ${outer}, or in two calls.`,
      );
  }
}

/** An empty list or quote would stay as a broken block. */
async function checkEmptied(
  ask: AskKernel,
  deletes: readonly (PlannedStep & { do: "delete" })[],
): Promise<void> {
  const holders = new Set(
    deletes.flatMap(({ spot: { container } }) =>
      container === undefined || container.type === "d" ? [] : [container.id],
    ),
  );
  for (const holder of holders) {
    const children = await readChildren(ask, holder);
    if (children.every(({ id }) => deletes.some(({ spot }) => spot.id === id)))
      throw refused(
        "empty_container",
        `The diff deletes every block in ${holder}. Delete ${holder} itself instead.`,
      );
  }
}
