import { createHash, randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { refused } from "../kernel/kernel-error.ts";

const madeBlock = z.object({ id: z.string(), text: z.string() });
const place = z.object({ previousID: z.string().optional(), container: z.string() });

const step = z.discriminatedUnion("do", [
  /** `after` is absent until the write is read back. `added`: further blocks of the new text. */
  z.object({
    do: z.literal("update"),
    id: z.string(),
    before: z.string(),
    container: z.string(),
    siblings: z.array(z.string()),
    after: z.string().optional(),
    added: z.array(madeBlock).optional(),
  }),
  z.object({ do: z.literal("delete"), id: z.string(), before: z.string(), place }),
  /** `siblings`: the blocks in the container before the write. */
  z.object({
    do: z.literal("insert"),
    container: z.string(),
    siblings: z.array(z.string()),
    added: z.array(madeBlock).optional(),
  }),
]);

const record = z.object({
  id: z.string(),
  /** Milliseconds since the epoch. */
  at: z.number(),
  /** `begun`: a process is still making the change, or ended before it was complete. */
  status: z.enum(["begun", "done", "undone"]),
  steps: z.array(step),
  /** The result of the call, which a repeated call returns. */
  text: z.string(),
});

/** A write with the data to undo it. */
export type ChangeStep = z.infer<typeof step>;
/** A change of blocks, with the former texts. */
export type BlockChange = z.infer<typeof record>;

/** How long changes can be undone, in ms, and the maximum number of stored changes. */
const keptMs = 7 * 24 * 60 * 60 * 1000;
const keptChanges = 500;

/** The changes of one user. The kernel does not record the writes of its API for its own undo. */
export class BlockChanges {
  readonly #folder: string;

  /** @param folder the folder for the changes of all users */
  constructor(folder: string, principal: string) {
    this.#folder = join(folder, createHash("sha256").update(principal).digest("hex").slice(0, 32));
  }

  /** Returns the change of a call. A repeated call gets the change that its first attempt began. */
  async begin(key: string): Promise<BlockChange> {
    const id = `change_${createHash("sha256").update(`${this.#folder}\0${key}`).digest("hex").slice(0, 24)}`;
    const found = await this.#read(id);
    return found ?? { id, at: Date.now(), status: "begun", steps: [], text: "" };
  }

  /**
   * @throws KernelError `unknown_change` if there is no such change, or if it belongs to another
   *   user
   */
  async find(id: string): Promise<BlockChange> {
    const found = /^change_[0-9a-f]{24}$/.test(id) ? await this.#read(id) : undefined;
    if (found !== undefined) return found;
    throw refused(
      "unknown_change",
      `There is no change ${JSON.stringify(id)}. The results of applyBlockDiff and appendContent name theirs; changes are kept for 7 days, on the server that made them.`,
    );
  }

  async save(change: BlockChange): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const path = join(this.#folder, `${change.id}.json`);
    const temporary = `${path}.${randomBytes(6).toString("hex")}`;
    await writeFile(temporary, JSON.stringify(change), { mode: 0o600, flush: true });
    await rename(temporary, path);
  }

  async forget(id: string): Promise<void> {
    await rm(join(this.#folder, `${id}.json`), { force: true });
  }

  /** Deletes changes that are too old, and the oldest ones if there are too many. */
  async prune(now = Date.now()): Promise<void> {
    const names = (await readdir(this.#folder)).filter((name) => /^change_\w+\.json$/.test(name));
    const all = await Promise.all(names.map((name) => this.#read(name.slice(0, -5))));
    const sorted = all.flatMap((one) => one ?? []).toSorted((a, b) => b.at - a.at);
    for (const [index, { id, at }] of sorted.entries())
      if (index > 0 && (index >= keptChanges || now - at > keptMs)) await this.forget(id);
  }

  async #read(id: string): Promise<BlockChange | undefined> {
    try {
      return record.parse(JSON.parse(await readFile(join(this.#folder, `${id}.json`), "utf8")));
    } catch {
      return undefined;
    }
  }
}
