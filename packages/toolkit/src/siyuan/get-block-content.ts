import { defineTool, type Tool } from "@capstan/core";
import { z } from "zod";
import { plainText } from "./blocks/attribute-lists.ts";
import { readChildren, readKramdown, readKramdowns, readSpot } from "./blocks/read-blocks.ts";
import { isContainer, typeName } from "./kernel/block-types.ts";
import type { AskKernel } from "./kernel/kernel.ts";
import { refused, returnKernelErrors } from "./kernel/kernel-error.ts";
import { blockId, idParameter } from "./kernel/replies.ts";
import { kernelErrors, reads, type SiyuanAccess } from "./siyuan-options.ts";

/** The maximum number of blocks in a result, and the number of characters after which it ends. */
const mostBlocks = 200;
const mostCharacters = 20_000;

const parameters = z.object({
  blockId: idParameter.describe("A document, a heading with its section, a list, or one block."),
  slice: z
    .string()
    .max(200)
    .default("BEGIN:+50")
    .describe(
      "Which blocks: `ID:+20` the 20 after a block, `ID:-20` the 20 before it, `ID:ID` from one to another, `0:20` by position, with BEGIN and END.",
    ),
  showIds: z
    .boolean()
    .default(true)
    .describe("Each block after a line `@@id@@ (type)`, as applyBlockDiff needs."),
});

interface BlockContent {
  readonly documentId: string;
  readonly documentTitle: string;
  readonly blocks: readonly { readonly id: string; readonly type: string; readonly text: string }[];
  /** The position of the first block among all blocks, from 0. */
  readonly first: number;
  readonly total: number;
}

/** `getBlockContent`: reads the Markdown of blocks. */
export function getBlockContent({ ask }: SiyuanAccess): Tool {
  return defineTool({
    name: "getBlockContent",
    description: "Reads blocks of SiYuan as Markdown, in their order, a page at a time.",
    parameters,
    examples: [
      {
        title: "The next 20 blocks after a block.",
        args: { blockId: "20260101120000-plan000", slice: "20260102000000-first00:+20" },
      },
    ],
    errors: {
      ...kernelErrors,
      no_such_block: "the block does not exist",
      invalid_slice: "the slice cannot be read, or its blocks are not in this block",
    },
    ...reads,
    DEFAULT_OUTPUT_LIMIT_CHAR: mostCharacters + 5_000,
    declaredReturnType: {
      type: "{documentId, documentTitle, blocks: {id, type, text}[], first, total}",
    },
    formatForLLM: (content: BlockContent, args) => format(content, args.showIds),
    execute: (args, context) => returnKernelErrors(() => read(ask(context), args)),
  });
}

async function read(
  ask: AskKernel,
  { blockId: id, slice }: z.infer<typeof parameters>,
): Promise<BlockContent> {
  const spot = await readSpot(ask, id);
  const holds = isContainer(spot.type) || spot.type === "h";
  const children = holds ? await readChildren(ask, id) : [];
  // The section of a heading begins with the heading itself.
  const all =
    spot.type === "h" || !holds ? [{ id, type: spot.type, subType: "" }, ...children] : children;
  const [from, to] = rangeOf(
    slice,
    all.map((one) => one.id),
  );
  const chosen = all.slice(from, Math.min(to, from + mostBlocks));
  if (!holds) await readKramdown(ask, id);
  const kramdowns = await readKramdowns(
    ask,
    chosen.map((one) => one.id),
  );
  const blocks: { id: string; type: string; text: string }[] = [];
  let characters = 0;
  for (const [at, { id: own, type, subType }] of chosen.entries()) {
    const text = plainText(kramdowns[at] ?? "");
    if (blocks.length > 0 && characters + text.length > mostCharacters) break;
    characters += text.length;
    blocks.push({
      id: own,
      type: subType === "" ? typeName(type) : `${typeName(type)} ${subType}`,
      text,
    });
  }
  const { documentId, documentTitle } = spot;
  return { documentId, documentTitle, blocks, first: from, total: all.length };
}

/** Returns the start position of a slice, and its end position, which is exclusive. */
function rangeOf(slice: string, ids: readonly string[]): readonly [number, number] {
  const [, left = "", right = ""] = /^\s*([^:]+?)\s*:\s*([^:]*?)\s*$/.exec(slice) ?? [];
  if (left === "")
    throw refused(
      "invalid_slice",
      `"${slice.slice(0, 80)}" is not a slice. Write ID:+20, ID:-20, ID:ID, 0:20, BEGIN:+20 or END:-20.`,
    );
  const count = /^[+-]\d+$/.test(right) ? Number(right) : undefined;
  // The previous page already had the block that a slice starts from, so do not repeat it.
  const anchor = blockId.test(left) ? positionOf(left, ids) : undefined;
  if (count !== undefined) {
    const start = anchor === undefined ? bound(left, ids) : count > 0 ? anchor + 1 : anchor;
    return count > 0 ? [start, start + count] : [Math.max(0, start + count), start];
  }
  const end = blockId.test(right)
    ? positionOf(right, ids) + 1
    : right === ""
      ? ids.length
      : bound(right, ids);
  const start = anchor ?? bound(left, ids);
  if (start > end)
    throw refused("invalid_slice", `The slice "${slice}" ends before it begins. Swap its ends.`);
  return [start, end];
}

function positionOf(id: string, ids: readonly string[]): number {
  const at = ids.indexOf(id);
  if (at >= 0) return at;
  throw refused(
    "invalid_slice",
    `${id} is not one of the ${ids.length} blocks. If it is inside one of them, read that block.`,
  );
}

function bound(text: string, ids: readonly string[]): number {
  if (/^BEGIN$/i.test(text)) return 0;
  if (/^END$/i.test(text)) return ids.length;
  if (/^\d{1,9}$/.test(text)) return Math.min(Number(text), ids.length);
  throw refused(
    "invalid_slice",
    `"${text.slice(0, 80)}" in the slice is neither an id, a position, BEGIN nor END.`,
  );
}

function format(
  { documentId, documentTitle, blocks, first, total }: BlockContent,
  showIds: boolean,
): string {
  const end = first + blocks.length;
  const head = `Document ${documentTitle} (${documentId}), ${blocks.length === 0 ? "no blocks" : `blocks ${first} to ${end - 1}`} of ${total}`;
  const texts = blocks.map(({ id, type, text }) =>
    showIds ? `@@${id}@@ (${type})\n${text}` : text,
  );
  const last = blocks.at(-1);
  const next = last !== undefined && end < total ? [`More with slice ${last.id}:+50`] : [];
  return [head, ...texts, ...next].join("\n\n");
}
