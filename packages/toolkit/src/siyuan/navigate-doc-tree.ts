import { defineTool, type Tool } from "@capstan/core";
import { z } from "zod";
import type { AskKernel } from "./kernel/kernel.ts";
import { returnKernelErrors } from "./kernel/kernel-error.ts";
import { blockInfoReply, docsReply, idParameter, notebooksReply } from "./kernel/replies.ts";
import { kernelErrors, reads, type SiyuanAccess } from "./siyuan-options.ts";

/** The maximum number of documents in a result. */
const mostNodes = 500;

const parameters = z.object({
  entry: idParameter.describe("A document, any block in it, or a notebook."),
  direction: z.enum(["children", "siblings", "parent"]).default("children"),
  depth: z.int().min(1).max(7).default(1).describe("Levels of children."),
});

/** A document in the tree. */
interface TreeNode {
  readonly id: string;
  readonly title: string;
  /** The number of documents directly below it. */
  readonly below: number;
  readonly children?: readonly TreeNode[];
}

interface Tree {
  readonly notebook: string;
  /** The document that holds the listed ones; absent for the top of the notebook. */
  readonly parent?: string;
  readonly documents: readonly TreeNode[];
  /** Whether the list is truncated because there are too many documents. */
  readonly cut: boolean;
}

/** `navigateDocTree`: lists the documents below, next to or above a document. */
export function navigateDocTree({ ask }: SiyuanAccess): Tool {
  return defineTool({
    name: "navigateDocTree",
    description:
      "Lists documents of SiYuan: those below a document or a notebook, next to a document, or above it.",
    parameters,
    examples: [
      {
        title: "Two levels of documents of a notebook.",
        args: { entry: "20260101000000-work000", depth: 2 },
      },
    ],
    errors: {
      ...kernelErrors,
      no_such_block: "the entry does not exist",
      locked_notebook: "the notebook is encrypted and locked",
    },
    ...reads,
    declaredReturnType: {
      type: "{notebook, parent?, documents: {id, title, below, children?}[], cut}",
    },
    formatForLLM: format,
    execute: (args, context) => returnKernelErrors(() => navigate(ask(context), args)),
  });
}

async function navigate(
  ask: AskKernel,
  { entry, direction, depth }: z.infer<typeof parameters>,
): Promise<Tree> {
  const { notebooks } = await ask("/api/notebook/lsNotebooks", {}, notebooksReply);
  const isNotebook = notebooks.some(({ id }) => id === entry);
  const place = isNotebook ? { notebook: entry, path: "/" } : await documentPlace(ask, entry);
  const { notebook } = place;
  const above = place.path.replace(/\.sy$/, "").split("/").slice(1, -1);
  if (direction === "parent") {
    const parents = await Promise.all(above.map((id) => titled(ask, id)));
    return { notebook, documents: parents, cut: false };
  }
  const parentPath = above.length === 0 ? "/" : `/${above.join("/")}.sy`;
  const path = direction === "siblings" ? parentPath : place.path;
  const parent = path === "/" ? undefined : path.split("/").at(-1)?.replace(/\.sy$/, "");
  const budget = { left: mostNodes, cut: false };
  const documents = await list(
    ask,
    { notebook, path },
    direction === "siblings" ? 1 : depth,
    budget,
  );
  return { notebook, ...(parent !== undefined && { parent }), documents, cut: budget.cut };
}

async function documentPlace(ask: AskKernel, id: string) {
  const { box, path } = await ask("/api/block/getBlockInfo", { id }, blockInfoReply);
  return { notebook: box, path };
}

async function titled(ask: AskKernel, id: string): Promise<TreeNode> {
  const { rootTitle } = await ask("/api/block/getBlockInfo", { id }, blockInfoReply);
  return { id, title: rootTitle, below: 1 };
}

async function list(
  ask: AskKernel,
  place: { readonly notebook: string; readonly path: string },
  depth: number,
  budget: { left: number; cut: boolean },
): Promise<readonly TreeNode[]> {
  // Without maxListCount, the kernel returns 512 documents and does not report that there are more.
  const { files } = await ask(
    "/api/filetree/listDocsByPath",
    { ...place, maxListCount: 0 },
    docsReply,
  );
  if (files.length > budget.left) budget.cut = true;
  const shown = files.slice(0, budget.left);
  budget.left -= shown.length;
  const nodes: TreeNode[] = [];
  for (const { id, name, path, subFileCount } of shown) {
    const node = { id, title: name.replace(/\.sy$/, ""), below: subFileCount };
    const deeper = depth > 1 && subFileCount > 0 && budget.left > 0;
    nodes.push(
      deeper ? { ...node, children: await list(ask, { ...place, path }, depth - 1, budget) } : node,
    );
    if (depth > 1 && subFileCount > 0 && !deeper) budget.cut = true;
  }
  return nodes;
}

function format({ notebook, parent, documents, cut }: Tree): string {
  const lines: string[] = [];
  const add = (nodes: readonly TreeNode[], indent: string): void => {
    for (const { id, title, below, children } of nodes) {
      const more = children === undefined && below > 0 ? `, ${below} below` : "";
      lines.push(`${indent}- ${title || "Untitled"} (${id}${more})`);
      if (children !== undefined) add(children, `${indent}  `);
    }
  };
  add(documents, "");
  const where = `Notebook ${notebook}${parent === undefined ? "" : `, below document ${parent}`}`;
  const rest = cut ? `\nOnly ${mostNodes} documents are listed. Start further down.` : "";
  return `${where}\n${lines.join("\n") || "There are no documents."}${rest}`;
}
