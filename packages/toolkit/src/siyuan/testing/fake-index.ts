import { DatabaseSync } from "node:sqlite";
import { allBlocks, markdownOf } from "./fake-block.ts";
import { type FakeNotes, KernelFault, titleOf } from "./fake-notes.ts";

/** The SQL index of the fake kernel. Changes become visible only when it is flushed. */
export class FakeIndex {
  readonly #database = new DatabaseSync(":memory:");
  readonly #notes: FakeNotes;
  /** The limit for statements without a LIMIT. */
  readonly limit: number;

  constructor(notes: FakeNotes, limit = 64) {
    this.#notes = notes;
    this.limit = limit;
    this.#database.exec(`
      CREATE TABLE blocks (id, parent_id, root_id, hash, box, path, hpath, name, alias, memo, tag, content, fcontent, markdown, length, type, subtype, ial, sort, created, updated);
      CREATE TABLE attributes (id, name, value, type, block_id, root_id, box, path);
      CREATE TABLE refs (id, def_block_id, def_block_parent_id, def_block_root_id, def_block_path, block_id, root_id, box, path, content, markdown, type);`);
  }

  /** Writes all blocks into the index. A locked notebook is not in it. */
  flush(): void {
    this.#database.exec("DELETE FROM blocks; DELETE FROM attributes; DELETE FROM refs;");
    const block = this.#database.prepare(
      "INSERT INTO blocks (id, parent_id, root_id, box, path, hpath, content, markdown, type, subtype, created, updated) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    );
    const attribute = this.#database.prepare(
      "INSERT INTO attributes (name, value, block_id, root_id, box, path) VALUES (?, ?, ?, ?, ?, ?)",
    );
    const locked = this.#notes.notebooks.filter(
      ({ encrypted, unlocked }) => encrypted === true && unlocked !== true,
    );
    for (const doc of this.#notes.docs) {
      if (locked.some(({ id }) => id === doc.box)) continue;
      for (const one of allBlocks(doc.root)) {
        const { id, type, subtype, attrs } = one;
        const markdown = type === "d" ? "" : markdownOf(one);
        const content = type === "d" ? titleOf(one) : markdown.replaceAll(/[#*>`]+ ?/g, "");
        const time = id.slice(0, 14);
        const parent = this.#notes.find(id)?.ancestors.at(-1)?.id ?? "";
        const { box, path, root } = doc;
        block.run(
          id,
          parent,
          root.id,
          box,
          path,
          this.#notes.hpath(doc),
          content,
          markdown,
          type,
          subtype,
          time,
          time,
        );
        for (const [name, value] of attrs) attribute.run(name, value, id, root.id, box, path);
      }
    }
  }

  /** @throws KernelFault */
  query(statement: string, mode: string): unknown[] {
    const sql = statement.trim().replace(/;+\s*$/, "");
    if (sql === "") throw new KernelFault(-1, "SQL statement is empty");
    if (sql.includes(";") && !/'[^']*;[^']*'/.test(sql))
      throw new KernelFault(-1, "SQL statement is not single");
    if (mode === "readonly" && !/^(select|with)\b/i.test(sql))
      throw new KernelFault(-1, "SQL statement is not a read-only query");
    const isSelect = /^(select|with)\b/i.test(sql);
    const limited = isSelect && !/\blimit\b/i.test(sql) ? `${sql} LIMIT ${this.limit}` : sql;
    try {
      return this.#database
        .prepare(limited)
        .all()
        .map((row) => ({ ...row }));
    } catch (error) {
      throw new KernelFault(1, error instanceof Error ? error.message : String(error));
    }
  }

  close(): void {
    this.#database.close();
  }
}
