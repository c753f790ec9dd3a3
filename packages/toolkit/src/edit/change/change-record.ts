import { createHash, randomBytes } from "node:crypto";
import { open, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { FileError } from "../../files/file-roots.ts";

/**
 * The temporary name of a file or folder, next to its final path, while it is written or removed.
 */
const temporary = z.string().optional();

/** One step of a change, with the data to undo it. Paths are in the form that users see. */
const step = z.discriminatedUnion("do", [
  z.object({
    do: z.literal("write"),
    path: z.string(),
    /** The SHA-256 of the new content. */
    after: z.string(),
    /** The name of the former content in the change's folder. Absent if the file is new. */
    kept: z.string().optional(),
    temporary,
  }),
  z.object({ do: z.literal("remove"), path: z.string(), kept: z.string(), temporary }),
  z.object({ do: z.literal("move"), from: z.string(), to: z.string(), temporary }),
  /** `isImplied`: the folder was created as a parent of a new file. */
  z.object({ do: z.literal("folder"), path: z.string(), isImplied: z.boolean().optional() }),
  z.object({ do: z.literal("restore"), path: z.string(), temporary }),
]);

const record = z.object({
  id: z.string(),
  principal: z.string(),
  tool: z.string(),
  /** Milliseconds since the epoch. */
  at: z.number(),
  /** `begun`: a process is still making the change, or ended before it was complete. */
  status: z.enum(["begun", "done", "undone"]),
  /** The size of the stored former contents, in bytes. */
  bytes: z.number(),
  steps: z.array(step),
});

/** A step of a change. */
export type ChangeStep = z.infer<typeof step>;
/** A change of files, with the data to undo it. */
export type ChangeRecord = z.infer<typeof record>;

/** How long changes can be undone, in ms. */
const keptMs = 7 * 24 * 60 * 60 * 1000;
/** The maximum size of the former contents that the changes of one user store, in bytes. */
export const keptBytes = 1024 * 1024 * 1024;

/** The changes of one user, each in a folder of its own. */
export class ChangeFolder {
  readonly #folder: string;
  readonly #principal: string;

  /** @param changes the folder for the changes of all users */
  constructor(changes: string, principal: string) {
    const own = createHash("sha256").update(principal).digest("hex").slice(0, 32);
    this.#folder = join(changes, own);
    this.#principal = principal;
  }

  /**
   * Begins a change.
   *
   * @param key the call's idempotency key, so that a repeated call finds its change
   */
  async begin(
    key: string,
    tool: string,
  ): Promise<{ readonly found: ChangeRecord } | { readonly begun: ChangeRecord }> {
    const id = `change_${createHash("sha256").update(`${this.#principal}\0${key}`).digest("hex").slice(0, 24)}`;
    const found = await this.#read(id);
    if (found !== undefined) return { found };
    const begun = { id, principal: this.#principal, tool, at: Date.now(), bytes: 0, steps: [] };
    await mkdir(join(this.#folder, id), { recursive: true, mode: 0o700 });
    await this.save({ ...begun, status: "begun" });
    return { begun: { ...begun, status: "begun" } };
  }

  /**
   * @throws FileError `unknown_change` if there is no such change, or if it belongs to another user
   */
  async find(id: string): Promise<ChangeRecord> {
    const found = /^change_[0-9a-f]{24}$/.test(id) ? await this.#read(id) : undefined;
    if (found !== undefined) return found;
    throw new FileError(
      "unknown_change",
      `There is no change ${JSON.stringify(id)}. The results of the editing tools name theirs; changes are kept for 7 days, on the server that made them.`,
    );
  }

  /** Stores a record durably before the step that it describes. */
  async save(change: ChangeRecord): Promise<void> {
    const path = join(this.#folder, change.id, "change.json");
    const temporary = `${path}.${randomBytes(6).toString("hex")}`;
    await writeFile(temporary, JSON.stringify(change), { mode: 0o600, flush: true });
    await rename(temporary, path);
    const folder = await open(join(this.#folder, change.id));
    await folder.sync().catch(() => {});
    await folder.close();
  }

  /** Returns the path of a stored content. */
  keptAt(change: Pick<ChangeRecord, "id">, name: string): string {
    return join(this.#folder, change.id, name);
  }

  async forget(id: string): Promise<void> {
    await rm(join(this.#folder, id), { recursive: true, force: true });
  }

  /**
   * Deletes changes that are too old, and the oldest ones if the changes exceed the size limit.
   * Never deletes the newest change.
   */
  async prune(now = Date.now()): Promise<void> {
    const ids = await readdir(this.#folder).catch(() => []);
    const all = await Promise.all(ids.map((id) => this.#read(id)));
    const [newest, ...older] = all.flatMap((one) => one ?? []).toSorted((a, b) => b.at - a.at);
    let bytes = newest?.bytes ?? 0;
    for (const change of older) {
      const isOld = now - change.at > keptMs;
      const isTooMuch = change.status !== "begun" && bytes + change.bytes > keptBytes;
      if (isOld || isTooMuch) await this.forget(change.id);
      else bytes += change.bytes;
    }
  }

  async #read(id: string): Promise<ChangeRecord | undefined> {
    try {
      return record.parse(
        JSON.parse(await readFile(join(this.#folder, id, "change.json"), "utf8")),
      );
    } catch {
      return undefined;
    }
  }
}
