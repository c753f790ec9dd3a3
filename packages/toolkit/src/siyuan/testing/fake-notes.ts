import { allBlocks, type FakeBlock, newId, parseBlocks } from "./fake-block.ts";

/** A notebook of the fake kernel. */
export interface FakeNotebook {
  readonly id: string;
  readonly name: string;
  readonly closed?: boolean;
  readonly encrypted?: boolean;
  readonly unlocked?: boolean;
  /** The path of daily notes. Empty if they are not set up. */
  readonly dailyNoteSavePath?: string;
}

/** A document: its root block and its location. */
export interface FakeDoc {
  readonly root: FakeBlock;
  readonly box: string;
  /** `/parent/id.sy` */
  readonly path: string;
}

/** A block with its ancestors, the document first. */
export interface FakeSpot {
  readonly doc: FakeDoc;
  readonly block: FakeBlock;
  readonly ancestors: readonly FakeBlock[];
}

/** A reply with a code other than 0. */
export class KernelFault extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The notebooks and documents of the fake kernel. */
export class FakeNotes {
  readonly notebooks: FakeNotebook[] = [];
  docs: FakeDoc[] = [];
  /** The documents that were viewed recently, with their times. */
  readonly recent: { rootID: string; viewedAt: number }[] = [];

  addDoc(options: {
    readonly box: string;
    readonly title: string;
    readonly markdown?: string;
    readonly parent?: FakeDoc;
    readonly id?: string;
  }): FakeDoc {
    const { box, title, markdown = "", parent } = options;
    const id = options.id ?? newId();
    const root: FakeBlock = {
      id,
      type: "d",
      subtype: "",
      text: "",
      attrs: new Map([["title", title]]),
      children: parseBlocks(markdown),
    };
    const folder = parent === undefined ? "" : parent.path.replace(/\.sy$/, "");
    const doc = { root, box, path: `${folder}/${id}.sy` };
    this.docs.push(doc);
    return doc;
  }

  find(id: string): FakeSpot | undefined {
    for (const doc of this.docs) {
      const found = findIn(doc.root, id, []);
      if (found !== undefined) return { doc, ...found };
    }
    return undefined;
  }

  /** @throws KernelFault */
  need(id: string): FakeSpot {
    const found = this.find(id);
    if (found === undefined) throw new KernelFault(-1, `Content block with id [${id}] not found`);
    return found;
  }

  hpath({ path, root }: FakeDoc): string {
    const ids = path.replace(/\.sy$/, "").split("/").slice(1, -1);
    const parents = ids.map((id) => this.docs.find((doc) => doc.root.id === id));
    return `/${[...parents.map((doc) => titleOf(doc?.root)), titleOf(root)].join("/")}`;
  }

  /** Returns the documents directly below a path such as `/` or `/id.sy`. */
  below(box: string, path: string): readonly FakeDoc[] {
    const folder = path === "/" ? "" : path.replace(/\.sy$/, "");
    return this.docs.filter(
      (doc) => doc.box === box && doc.path.slice(0, doc.path.lastIndexOf("/")) === folder,
    );
  }

  /**
   * Returns the blocks that the kernel lists below a block. For a heading, these are the blocks of
   * its section.
   */
  children({ block, ancestors }: FakeSpot): readonly FakeBlock[] {
    if (block.type !== "h") return block.children;
    const siblings = ancestors.at(-1)?.children ?? [];
    const after = siblings.slice(siblings.indexOf(block) + 1);
    const end = after.findIndex((one) => one.type === "h" && one.subtype <= block.subtype);
    return end < 0 ? after : after.slice(0, end);
  }

  insert(
    blocks: readonly FakeBlock[],
    where: { nextID?: string; previousID?: string; parentID?: string; atEnd?: boolean },
  ): void {
    const { nextID, previousID, parentID, atEnd } = where;
    const neighbour = nextID || previousID;
    if (neighbour) {
      const { ancestors, block } = this.need(neighbour);
      const siblings = ancestors.at(-1)?.children ?? [];
      const fresh = block.type === "i" ? unwrap(blocks) : blocks;
      siblings.splice(siblings.indexOf(block) + (nextID ? 0 : 1), 0, ...fresh);
      return;
    }
    const { block: parent } = this.find(parentID ?? "") ?? {};
    if (parent === undefined) throw new KernelFault(-1, `parent block not found: ${parentID}`);
    if (parent.type === "h")
      throw new KernelFault(
        -1,
        `heading [${parentID}] is a leaf block and cannot have children; pass previousID=${parentID}`,
      );
    if (!["d", "b", "l", "i", "s"].includes(parent.type))
      throw new KernelFault(
        -1,
        `block [${parentID}] type "${parent.type}" is a leaf block and cannot have children; pass previousID=${parentID}`,
      );
    if (parent.type === "l") {
      parent.children.splice(atEnd ? parent.children.length : 0, 0, ...unwrap(blocks));
      return;
    }
    parent.children.splice(atEnd ? parent.children.length : 0, 0, ...blocks);
  }

  /** Keeps the id on the first block only. A list is unwrapped if a list item is replaced. */
  update(id: string, markdown: string): void {
    const { block, ancestors } = this.need(id);
    const parsed = parseBlocks(markdown);
    if (block.type === "d") {
      block.children = parsed;
      return;
    }
    const fresh = block.type === "i" ? unwrap(parsed) : parsed;
    const siblings = ancestors.at(-1)?.children ?? [];
    const [first, ...more] = fresh;
    if (first === undefined) return;
    siblings.splice(siblings.indexOf(block), 1, { ...first, id }, ...more);
  }

  remove(id: string): void {
    const found = this.find(id);
    // The kernel does not return an error of a transaction.
    if (found === undefined) return;
    const siblings = found.ancestors.at(-1)?.children ?? [];
    siblings.splice(siblings.indexOf(found.block), 1);
  }
}

/** Unwraps lists whose items are inserted into a list. */
function unwrap(blocks: readonly FakeBlock[]): readonly FakeBlock[] {
  return blocks.flatMap((one) => (one.type === "l" ? one.children : [one]));
}

/** Returns the title of a document. */
export function titleOf(root: FakeBlock | undefined): string {
  return root?.attrs.get("title") ?? "";
}

function findIn(
  block: FakeBlock,
  id: string,
  ancestors: readonly FakeBlock[],
): { block: FakeBlock; ancestors: readonly FakeBlock[] } | undefined {
  if (block.id === id) return { block, ancestors };
  for (const child of block.children) {
    const found = findIn(child, id, [...ancestors, block]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the number of blocks in a document. */
export function countBlocks(doc: FakeDoc): number {
  return [...allBlocks(doc.root)].length;
}
