import { defineTool, type Tool } from "@capstan/core";
import { z } from "zod";
import { flush } from "./blocks/read-blocks.ts";
import type { AskKernel } from "./kernel/kernel.ts";
import { refused, returnKernelErrors } from "./kernel/kernel-error.ts";
import {
  blockInfoReply,
  docsReply,
  idParameter,
  notebooksReply,
  pathReply,
} from "./kernel/replies.ts";
import { kernelErrors, type SiyuanAccess, writeLocks } from "./siyuan-options.ts";

const parameters = z.object({
  title: z.string().trim().min(1).max(512),
  markdown: z.string().max(1_000_000).default(""),
  anchorId: idParameter.describe("A document, or a notebook to create a top-level document."),
  location: z
    .enum(["children", "siblings", "parent"])
    .default("children")
    .describe("Below the anchor, next to it, or next to its parent."),
});

type Args = z.infer<typeof parameters>;

/** The location of the new document. */
interface DocumentPlace {
  readonly notebook: string;
  readonly title: string;
  /** The document above it; absent at the top of the notebook. */
  readonly parent?: string;
  /** The path of ids of the documents above it: `/id.sy`. */
  readonly parentPath: string;
  /** The path of titles. */
  readonly hpath: string;
}

interface Created {
  readonly id: string;
  readonly title: string;
  readonly hpath: string;
  readonly notebook: string;
}

/** `createNewDoc`: creates a document. */
export function createNewDoc({ ask }: SiyuanAccess): Tool {
  return defineTool({
    name: "createNewDoc",
    description:
      "Creates a document in SiYuan: below a document or notebook, next to a document, or next to its parent. Never replaces a document.",
    parameters,
    examples: [
      {
        title: "A document below another one.",
        args: { title: "Meeting", markdown: "# Agenda", anchorId: "20260101120000-plan000" },
      },
    ],
    errors: {
      ...kernelErrors,
      exists: "a document with this title already exists",
      closed_notebook: "the notebook is closed",
      other_place: "SiYuan created the document elsewhere",
    },
    effects: writeLocks,
    permission: {
      executionPolicy: "ask-always",
      preview: (args, context) =>
        returnKernelErrors(async () => {
          const { hpath, notebook } = await placeOf(ask(context), args);
          return `Creates ${hpath} in the notebook ${notebook}:\n${args.markdown}`;
        }),
    },
    compressArgs: ({ title }) => title,
    declaredReturnType: { type: "{id, title, hpath, notebook}" },
    formatForLLM: ({ id, hpath }: Created) => `Created ${hpath} (${id}).`,
    execute: (args, context) => returnKernelErrors(() => create(ask(context), args)),
  });
}

async function create(ask: AskKernel, args: Args): Promise<Created> {
  const { notebook, title, parent, parentPath, hpath } = await placeOf(ask, args);
  const id = await ask(
    "/api/filetree/createDocWithMd",
    {
      notebook,
      path: hpath,
      markdown: args.markdown,
      ...(parent !== undefined && { parentID: parent }),
    },
    z.string().min(1),
  );
  await flush(ask);
  const made = await ask("/api/filetree/getPathByID", { id }, pathReply);
  const wanted = `${parentPath.replace(/\.sy$/, "").replace(/\/$/, "")}/${id}.sy`;
  if (made.path !== wanted)
    throw refused(
      "other_place",
      `SiYuan created the document ${id} at ${made.path}, not below ${parent ?? "the notebook"}. Tell the user its path.`,
    );
  return { id, title, hpath, notebook };
}

/**
 * @throws KernelError `exists` if the title is taken. The kernel itself allows duplicate titles.
 */
async function placeOf(
  ask: AskKernel,
  { title: given, anchorId, location }: Args,
): Promise<DocumentPlace> {
  // A slash in a title would create another document above.
  const title = given.replaceAll("/", "／").replaceAll(/\p{Cc}/gu, " ");
  const { notebooks } = await ask("/api/notebook/lsNotebooks", {}, notebooksReply);
  const found = notebooks.find(({ id }) => id === anchorId);
  const anchor =
    found === undefined
      ? await ask("/api/block/getBlockInfo", { id: anchorId }, blockInfoReply)
      : { box: anchorId, path: "/", rootID: anchorId };
  const notebook = notebooks.find(({ id }) => id === anchor.box);
  if (notebook?.closed === true)
    throw refused(
      "closed_notebook",
      `The notebook ${notebook.name} is closed. The user can open it in SiYuan.`,
    );
  if (found !== undefined && location !== "children")
    throw refused(
      "invalid_arguments",
      `${anchorId} is a notebook, so location must be "children".`,
    );
  const ids = anchor.path
    .replace(/\.sy$/, "")
    .split("/")
    .filter((id) => id !== "");
  const up = { children: 0, siblings: 1, parent: 2 }[location];
  if (up > ids.length)
    throw refused(
      "invalid_arguments",
      `${anchorId} is at the top of its notebook and has no parent. Use "siblings".`,
    );
  const above = ids.slice(0, ids.length - up);
  const parent = above.at(-1);
  const parentPath = above.length === 0 ? "/" : `/${above.join("/")}.sy`;
  const { files } = await ask(
    "/api/filetree/listDocsByPath",
    { notebook: anchor.box, path: parentPath, maxListCount: 0 },
    docsReply,
  );
  const same = files.find(({ name }) => name.replace(/\.sy$/, "") === title);
  if (same !== undefined)
    throw refused(
      "exists",
      `A document "${title}" already exists: ${same.id}. Add to it with appendContent, or choose another title.`,
    );
  const parentHpath =
    parent === undefined ? "" : await ask("/api/filetree/getHPathByID", { id: parent }, z.string());
  return {
    notebook: anchor.box,
    title,
    parentPath,
    hpath: `${parentHpath}/${title}`,
    ...(parent !== undefined && { parent }),
  };
}
