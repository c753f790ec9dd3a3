import { isContainer, shortType } from "../kernel/block-types.ts";
import type { AskKernel } from "../kernel/kernel.ts";
import { noBlock } from "../kernel/kernel-error.ts";
import {
  breadcrumbReply,
  childrenReply,
  kramdownReply,
  blockInfoReply,
  noReply,
} from "../kernel/replies.ts";

/** The maximum number of blocks to read at the same time. */
const parallel = 8;

/**
 * Returns the kramdown of blocks, in the same order. It is empty for a block that does not exist.
 */
export async function readKramdowns(
  ask: AskKernel,
  ids: readonly string[],
): Promise<readonly string[]> {
  return inParallel(ids, async (id) => {
    const { kramdown } = await ask("/api/block/getBlockKramdown", { id }, kramdownReply);
    return kramdown;
  });
}

/** Runs a function for each value with limited concurrency. Returns the results in order. */
export async function inParallel<T, R>(
  values: readonly T[],
  run: (value: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  for (let at = 0; at < values.length; at += parallel)
    results.push(...(await Promise.all(values.slice(at, at + parallel).map(run))));
  return results;
}

/** Returns the kramdown of a block. @throws KernelError `no_such_block` */
export async function readKramdown(ask: AskKernel, id: string): Promise<string> {
  const [kramdown = ""] = await readKramdowns(ask, [id]);
  if (kramdown === "") throw noBlock(id);
  return kramdown;
}

/** Returns the blocks directly in a block, in document order. */
export async function readChildren(ask: AskKernel, id: string) {
  const children = await ask("/api/block/getChildBlocks", { id }, childrenReply);
  return children.map((one) => ({ ...one, type: shortType(one.type) }));
}

/** A block's type, its document, and the blocks around it. */
export interface BlockSpot {
  readonly id: string;
  /** The short type: `p`. */
  readonly type: string;
  readonly documentId: string;
  readonly documentTitle: string;
  /** The block that holds it; `undefined` for a document. A heading holds no blocks. */
  readonly container: { readonly id: string; readonly type: string } | undefined;
  /** The ids of all blocks that hold it. */
  readonly ancestors: readonly string[];
}

/** Finds a block in its document. @throws KernelError `no_such_block` */
export async function readSpot(ask: AskKernel, id: string): Promise<BlockSpot> {
  const { rootID, rootTitle } = await ask("/api/block/getBlockInfo", { id }, blockInfoReply);
  const trail = await ask("/api/block/getBlockBreadcrumb", { id }, breadcrumbReply);
  const ancestors = trail.filter((one) => one.id !== id && isContainer(shortType(one.type)));
  const own = trail.find((one) => one.id === id);
  const container = ancestors.at(-1);
  return {
    id,
    type: own === undefined ? (id === rootID ? "d" : "") : shortType(own.type),
    documentId: rootID,
    documentTitle: rootTitle,
    container: container && { id: container.id, type: shortType(container.type) },
    ancestors: ancestors.map((one) => one.id),
  };
}

/** Waits until the kernel has stored and indexed all changes. */
export async function flush(ask: AskKernel): Promise<void> {
  await ask("/api/sqlite/flushTransaction", {}, noReply);
}
