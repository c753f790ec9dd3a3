import { defineTool, type Tool } from "@capstan/core";
import { z } from "zod";
import { inParallel, readChildren, readSpot } from "./blocks/read-blocks.ts";
import { typeName } from "./kernel/block-types.ts";
import type { AskKernel } from "./kernel/kernel.ts";
import { KernelError, returnKernelErrors } from "./kernel/kernel-error.ts";
import {
  attributesReply,
  blockInfoReply,
  docInfoReply,
  idParameter,
  outlineReply,
} from "./kernel/replies.ts";
import { kernelErrors, reads, type SiyuanAccess } from "./siyuan-options.ts";

const parameters = z.object({ ids: z.array(idParameter).min(1).max(50) });

interface BlockInfo {
  readonly id: string;
  /** The name of its type: `heading`. */
  readonly type: string;
  readonly documentId: string;
  readonly documentTitle: string;
  readonly notebook: string;
  readonly path: string;
  readonly children: number;
  readonly attributes: { readonly [name: string]: string };
  /**
   * Only for documents: the number of references to it, the number of documents below it, and its
   * headings.
   */
  readonly references?: number;
  readonly documentsBelow?: number;
  readonly outline?: readonly {
    readonly id: string;
    readonly title: string;
    readonly level: string;
  }[];
}

interface BlockInfos {
  readonly blocks: readonly BlockInfo[];
  readonly missing: readonly string[];
}

/** `getBlockInfo`: describes blocks without their text. */
export function getBlockInfo({ ask }: SiyuanAccess): Tool {
  return defineTool({
    name: "getBlockInfo",
    description:
      "Describes blocks of SiYuan: type, document, attributes, number of children, and the headings of a document.",
    parameters,
    examples: [
      {
        title: "The type, document and headings of a document.",
        args: { ids: ["20260101120000-plan000"] },
      },
    ],
    errors: kernelErrors,
    ...reads,
    declaredReturnType: { type: "{blocks: {id, type, documentId, …}[], missing: string[]}" },
    formatForLLM: format,
    execute: ({ ids }, context) =>
      returnKernelErrors(async (): Promise<BlockInfos> => {
        const kernel = ask(context);
        const found = await inParallel([...new Set(ids)], (id) => describe(kernel, id));
        return {
          blocks: found.flatMap((one) => (typeof one === "string" ? [] : [one])),
          missing: found.filter((one) => typeof one === "string"),
        };
      }),
  });
}

/** Returns the id of a block that does not exist. */
async function describe(ask: AskKernel, id: string): Promise<BlockInfo | string> {
  let info;
  try {
    info = await ask("/api/block/getBlockInfo", { id }, blockInfoReply);
  } catch (error) {
    if (error instanceof KernelError && error.data.code === "no_such_block") return id;
    throw error;
  }
  const [spot, children, attributes] = await Promise.all([
    readSpot(ask, id),
    readChildren(ask, id),
    ask("/api/attr/getBlockAttrs", { id }, attributesReply),
  ]);
  const { id: _id, type: _type, ...others } = attributes;
  const common = {
    id,
    type: typeName(spot.type),
    documentId: info.rootID,
    documentTitle: info.rootTitle,
    notebook: info.box,
    path: info.path,
    children: children.length,
    attributes: others,
  };
  if (spot.type !== "d") return common;
  const [document, outline] = await Promise.all([
    ask("/api/block/getDocInfo", { id }, docInfoReply),
    ask("/api/outline/getDocOutline", { id }, outlineReply),
  ]);
  return {
    ...common,
    references: document.refCount,
    documentsBelow: document.subFileCount,
    outline: (outline ?? [])
      .slice(0, 200)
      .map(({ id: heading, name, subType }) => ({ id: heading, title: name, level: subType })),
  };
}

function format({ blocks, missing }: BlockInfos): string {
  const parts = blocks.map((block) => {
    const { id, type, documentId, documentTitle, notebook, path, children, attributes } = block;
    const lines = [
      `${type} ${id}, ${children} blocks in it`,
      `document: ${documentTitle} (${documentId}), notebook ${notebook}, path ${path}`,
    ];
    const listed = Object.entries(attributes).map(
      ([name, value]) => `${name}=${JSON.stringify(value)}`,
    );
    if (listed.length > 0) lines.push(`attributes: ${listed.join(" ")}`);
    if (block.references !== undefined)
      lines.push(`references to it: ${block.references}; documents below: ${block.documentsBelow}`);
    for (const { id: heading, title, level } of block.outline ?? [])
      lines.push(`- ${level} ${title} (${heading})`);
    return lines.join("\n");
  });
  if (missing.length > 0) parts.push(`There is no block ${missing.join(", ")}.`);
  return parts.join("\n\n");
}
