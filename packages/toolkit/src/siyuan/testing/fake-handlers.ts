import { allBlocks, kramdownOf, markdownOf, type FakeBlock, parseBlocks } from "./fake-block.ts";
import type { FakeIndex } from "./fake-index.ts";
import { countBlocks, type FakeDoc, type FakeNotes, KernelFault, titleOf } from "./fake-notes.ts";

type Body = { readonly [key: string]: unknown };
type Handler = (body: Body) => unknown;

/**
 * Imitates the kernel's older handlers: a missing argument makes them panic and reply with an empty
 * success.
 */
export class Panic extends Error {}

const longTypes: { readonly [type: string]: string } = {
  d: "NodeDocument",
  h: "NodeHeading",
  l: "NodeList",
  i: "NodeListItem",
  c: "NodeCodeBlock",
  m: "NodeMathBlock",
  t: "NodeTable",
  b: "NodeBlockquote",
  p: "NodeParagraph",
  tb: "NodeThematicBreak",
};

function text(body: Body, key: string): string {
  const value = body[key];
  if (typeof value !== "string") throw new Panic(key);
  return value;
}

function id(body: Body, key = "id"): string {
  const value = text(body, key);
  if (!/^\d{14}-[a-z0-9]{7}$/.test(value)) throw new KernelFault(-1, "invalid ID argument");
  return value;
}

/** Returns the kernel's request handlers by path, written after its published description. */
export function fakeHandlers(
  notes: FakeNotes,
  index: FakeIndex,
): { readonly [path: string]: Handler } {
  const open = (box: string) =>
    notes.notebooks.find((one) => one.id === box && one.closed !== true);
  const transaction = (action: string, blocks: readonly { id: string }[], parentID = "") => [
    {
      timestamp: Date.now(),
      doOperations: blocks.slice(0, 1).map((one) => ({ action, id: one.id, parentID })),
      undoOperations: null,
    },
  ];
  const add = (body: Body, where: Parameters<FakeNotes["insert"]>[1]) => {
    const blocks = parseBlocks(text(body, "data"));
    if (blocks.length === 0) blocks.push(...parseBlocks("​"));
    notes.insert(blocks, where);
    const placed = blocks.flatMap((one) => (notes.find(one.id) ? [one] : one.children));
    const parent = notes.find(placed[0]?.id ?? "")?.ancestors.at(-1)?.id;
    return transaction("insert", placed, parent);
  };
  const optional = (body: Body, key: string) => (typeof body[key] === "string" ? body[key] : "");
  return {
    "/api/system/version": () => "3.7.3",
    "/api/notebook/lsNotebooks": () => ({
      notebooks: notes.notebooks.map(
        ({ id, name, closed = false, encrypted = false, unlocked = false }) => ({
          id,
          name,
          icon: "",
          sort: 0,
          sortMode: 15,
          closed,
          encrypted,
          unlocked,
        }),
      ),
      boxDocEnabled: false,
    }),
    "/api/notebook/getNotebookConf": (body) => {
      const found = notes.notebooks.find((one) => one.id === text(body, "notebook"));
      if (found === undefined) throw new KernelFault(-1, "Query notebook failed");
      return {
        box: found.id,
        name: found.name,
        conf: {
          name: found.name,
          closed: found.closed === true,
          dailyNoteSavePath: found.dailyNoteSavePath ?? "",
        },
      };
    },
    "/api/filetree/listDocsByPath": (body) => {
      const [box, path] = [text(body, "notebook"), text(body, "path")];
      if (
        notes.notebooks.some(
          (one) => one.id === box && one.encrypted === true && one.unlocked !== true,
        )
      )
        throw new KernelFault(-1, "Please unlock the encrypted notebook first");
      const most = typeof body["maxListCount"] === "number" ? body["maxListCount"] : 512;
      const found = notes.below(box, path);
      return {
        box,
        path,
        files: (most <= 0 ? found : found.slice(0, most)).map((doc) => ({
          path: doc.path,
          name: `${titleOf(doc.root)}.sy`,
          id: doc.root.id,
          count: countBlocks(doc),
          subFileCount: notes.below(box, doc.path).length,
        })),
      };
    },
    "/api/filetree/getPathByID": (body) => {
      const { doc } = notes.need(id(body));
      return { path: doc.path, notebook: doc.box };
    },
    "/api/filetree/getHPathByID": (body) => notes.hpath(notes.need(id(body)).doc),
    "/api/filetree/getIDsByHPath": (body) =>
      notes.docs
        .filter(
          (doc) => doc.box === text(body, "notebook") && notes.hpath(doc) === text(body, "path"),
        )
        .map((doc) => doc.root.id),
    "/api/filetree/createDocWithMd": (body) => {
      const box = text(body, "notebook");
      if (open(box) === undefined) throw new KernelFault(-1, "Query notebook failed");
      const names = text(body, "path")
        .split("/")
        .filter((name) => name !== "");
      const parentID = optional(body, "parentID");
      let parent: FakeDoc | undefined = notes.docs.find((doc) => doc.root.id === parentID);
      // Creates missing parents, and allows several documents with the same path.
      if (parent === undefined)
        for (const name of names.slice(0, -1)) {
          const siblings = notes.below(box, parent?.path ?? "/");
          parent =
            siblings.find((doc) => titleOf(doc.root) === name) ??
            notes.addDoc({ box, title: name, ...withParent(parent) });
        }
      const doc = notes.addDoc({
        box,
        title: names.at(-1) ?? "Untitled",
        markdown: text(body, "markdown"),
        ...withParent(parent),
      });
      return doc.root.id;
    },
    "/api/block/getBlockInfo": (body) => {
      const { doc } = notes.need(id(body));
      return {
        box: doc.box,
        path: doc.path,
        rootID: doc.root.id,
        rootTitle: titleOf(doc.root),
        rootChildID: doc.root.children[0]?.id ?? "",
        rootIcon: "",
      };
    },
    "/api/block/getBlockKramdown": (body) => {
      const found = notes.find(id(body));
      return { id: text(body, "id"), kramdown: found === undefined ? "" : kramdownOf(found.block) };
    },
    "/api/block/getChildBlocks": (body) => {
      const found = notes.find(id(body));
      const children = found === undefined ? [] : notes.children(found);
      return children.map((one) => ({
        id: one.id,
        type: one.type,
        subType: one.subtype,
        content: "",
        markdown: "",
      }));
    },
    "/api/block/getBlockBreadcrumb": (body) => {
      const found = notes.find(id(body));
      if (found === undefined) return [];
      return [...found.ancestors, found.block].map((one) => ({
        id: one.id,
        type: longTypes[one.type] ?? one.type,
        subType: one.subtype,
        children: null,
        name: one.type === "d" ? titleOf(one) : markdownOf(one).slice(0, 60),
      }));
    },
    "/api/block/getDocInfo": (body) => {
      const found = notes.need(id(body));
      return {
        id: found.block.id,
        rootID: found.doc.root.id,
        name: titleOf(found.doc.root),
        refCount: 0,
        subFileCount: notes.below(found.doc.box, found.doc.path).length,
        ial: {},
      };
    },
    "/api/attr/getBlockAttrs": (body) => {
      const found = notes.find(id(body));
      return found === undefined
        ? {}
        : { id: found.block.id, ...Object.fromEntries(found.block.attrs) };
    },
    "/api/attr/setBlockAttrs": (body) => {
      const { block } = notes.need(id(body));
      for (const [name, value] of Object.entries(body["attrs"] as Body))
        if (value === null || value === "") block.attrs.delete(name);
        else block.attrs.set(name, text(body["attrs"] as Body, name));
      return null;
    },
    "/api/outline/getDocOutline": (body) => {
      const { doc } = notes.need(id(body));
      return doc.root.children
        .filter((one) => one.type === "h")
        .map((one) => ({
          id: one.id,
          name: one.text.replace(/^#+ /, ""),
          depth: 0,
          subType: one.subtype,
          type: "outline",
          box: doc.box,
        }));
    },
    "/api/block/insertBlock": (body) =>
      add(body, {
        nextID: optional(body, "nextID"),
        previousID: optional(body, "previousID"),
        parentID: optional(body, "parentID"),
      }),
    "/api/block/appendBlock": (body) => add(body, { parentID: id(body, "parentID"), atEnd: true }),
    "/api/block/prependBlock": (body) => add(body, { parentID: id(body, "parentID") }),
    "/api/block/appendDailyNoteBlock": (body) => {
      const box = text(body, "notebook");
      const found = open(box);
      if (found === undefined)
        throw new KernelFault(1, "create daily note failed: notebook not found");
      if ((found.dailyNoteSavePath ?? "") === "")
        throw new KernelFault(
          -1,
          "create daily note failed: Please specify the daily note save path in the Notebook Settings",
        );
      const today = new Date().toISOString().slice(0, 10).replaceAll("-", "");
      const name = `custom-dailynote-${today}`;
      const doc =
        notes.docs.find((one) => one.box === box && one.root.attrs.has(name)) ??
        notes.addDoc({ box, title: today });
      doc.root.attrs.set(name, today);
      return add(body, { parentID: doc.root.id, atEnd: true });
    },
    "/api/block/updateBlock": (body) => {
      const target = id(body);
      if (notes.find(target) === undefined)
        throw new KernelFault(-1, `get block failed: block not found`);
      notes.update(target, text(body, "data"));
      return transaction("update", [{ id: target }]);
    },
    "/api/block/deleteBlock": (body) => {
      const target = id(body);
      notes.remove(target);
      return transaction("delete", [{ id: target }]);
    },
    "/api/block/moveBlock": () => null,
    "/api/query/sql": (body) => index.query(text(body, "stmt"), optional(body, "mode")),
    "/api/sqlite/flushTransaction": () => {
      index.flush();
      return null;
    },
    "/api/search/fullTextSearchBlock": (body) => search(notes, body),
    "/api/storage/getRecentDocs": () =>
      notes.recent.map(({ rootID, viewedAt }) => ({
        rootID,
        icon: "",
        title: titleOf(notes.find(rootID)?.doc.root),
        viewedAt,
        closedAt: 0,
        openAt: viewedAt,
      })),
  };
}

function withParent(parent: FakeDoc | undefined) {
  return parent === undefined ? {} : { parent };
}

function search(notes: FakeNotes, body: Body) {
  const [page, size] = [Number(body["page"] ?? 1), Number(body["pageSize"] ?? 32)];
  const query = text(body, "query");
  const paths = (body["paths"] ?? []) as readonly string[];
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const isMatch = (content: string) =>
    body["method"] === 3
      ? new RegExp(query).test(content)
      : words.every((word) => content.toLowerCase().includes(word));
  const locked = notes.notebooks.filter(
    ({ encrypted, unlocked }) => encrypted === true && unlocked !== true,
  );
  const readable = notes.docs.filter(({ box }) => !locked.some(({ id }) => id === box));
  const hits = readable.flatMap((doc) =>
    paths.length > 0 && !paths.some((path) => `${doc.box}${doc.path}`.startsWith(path))
      ? []
      : [...allBlocks(doc.root)].flatMap((one: FakeBlock) => {
          const content = one.type === "d" ? titleOf(one) : markdownOf(one);
          return isMatch(content) ? [{ doc, one, content }] : [];
        }),
  );
  return {
    blocks: hits.slice((page - 1) * size, page * size).map(({ doc, one, content }) => ({
      box: doc.box,
      path: doc.path,
      hPath: notes.hpath(doc),
      id: one.id,
      rootID: doc.root.id,
      content: words.reduce(
        (marked, word) => marked.replaceAll(word, `<mark>${word}</mark>`),
        content,
      ),
      type: longTypes[one.type] ?? one.type,
      subType: one.subtype,
    })),
    matchedBlockCount: hits.length,
    matchedRootCount: new Set(hits.map(({ doc }) => doc)).size,
    pageCount: Math.ceil(hits.length / size),
    docMode: false,
  };
}
